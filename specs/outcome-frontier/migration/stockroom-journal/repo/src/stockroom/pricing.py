"""Prices and discounts. emit(payload, topic) lines about prices all have the topic "price"."""

from functools import partial

from stockroom.events import emit as note

price_changed = partial(note, topic="price")


def discounted(cents: int, percent: int) -> int:
    """Give a price less a discount, rounded down; an odd discount is told and not given."""
    if not 0 <= percent <= 100:
        note({"percent": percent}, "odd-discount", "warn")
        return cents
    return cents * (100 - percent) // 100


def best(offers: dict[str, int]) -> str | None:
    """Name the cheapest offer, and tell about each that was looked at."""
    for name, cents in sorted(offers.items()):
        note({"offer": name, "cents": cents}, "offer")
    return min(offers, key=lambda name: (offers[name], name), default=None)
