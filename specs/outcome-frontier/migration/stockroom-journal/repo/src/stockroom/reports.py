"""Reports over the shelves. The first of them already writes to the journal."""

import stockroom.events as events
from stockroom.journal import Level, record
from stockroom.stock import Stock


def total(stock: Stock) -> int:
    """Count everything."""
    count = sum(stock.counts.values())
    record("total", Level.INFO, count=count)
    return count


def value(stock: Stock) -> int:
    """Give what everything is worth, in cents; an article without a price is told and counts nothing."""
    cents = 0
    for article, count in sorted(stock.counts.items()):
        if article not in stock.prices:
            events.emit({"article": article, "help": "set one; emit() says so"}, "no-price", level="warn")
            continue
        cents += count * stock.prices[article]
    tell = events.emit
    tell({"cents": cents}, "value")
    return cents
