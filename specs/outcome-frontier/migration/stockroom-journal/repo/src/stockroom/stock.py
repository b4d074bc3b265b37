"""The shelves: what is on them, what comes in and what goes out."""

from collections.abc import Mapping

from stockroom.events import emit
from stockroom.pricing import price_changed


class Stock:
    """Counts of articles by name."""

    def __init__(self, low: int = 5) -> None:
        self.low = low
        self.counts: dict[str, int] = {}
        self.prices: dict[str, int] = {}

    def receive(self, delivery: Mapping[str, int]) -> None:
        """Put a delivery on the shelves. What counts nothing or less is told and left out."""
        for article, count in sorted(delivery.items()):
            if count <= 0:
                emit({"article": article, "count": count}, "odd-delivery", "warn")
                continue
            self.counts[article] = self.counts.get(article, 0) + count
            emit({"article": article, "count": count}, "received")

    def ship(self, article: str, count: int) -> bool:
        """Take articles off a shelf, if there are enough."""
        there = self.counts.get(article, 0)
        if there < count:
            emit(topic="short", level="warn", payload={"article": article, "missing": count - there})
            return False
        self.counts[article] = there - count
        if self.counts[article] < self.low:
            emit(level="warn", payload={"article": article, "left": self.counts[article]}, topic="low")
        return True

    def set_price(self, article: str, cents: int) -> None:
        """Give an article its price."""
        before = self.prices.get(article)
        self.prices[article] = cents
        if before is not None and before != cents:
            price_changed({"article": article, "before": before, "now": cents})
