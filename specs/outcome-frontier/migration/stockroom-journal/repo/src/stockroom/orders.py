"""Orders: what customers want, and who is told about it."""

from collections.abc import Callable, Iterable

from stockroom import Stock, emit, emits

Listener = Callable[[dict[str, object], str], None]


@emits("orders")
def accept(stock: Stock, wanted: Iterable[tuple[str, int]], listener: Listener = emit) -> list[str]:
    """Ship what is wanted and there; give the articles that were short."""
    short = []
    for article, count in wanted:
        if not stock.ship(article, count):
            short.append(article)
            listener({"article": article, "count": count}, "backorder")
    return short


@emits("orders", level="warn")
def cancel(number: int) -> str:
    """Cancel an order."""
    return f"order {number} is cancelled"
