"""Counts what lies on the shelves, and writes a line about everything that happens."""

from stockroom.events import emit, emits
from stockroom.journal import Level, record, recorded
from stockroom.stock import Stock

__all__ = ["Level", "Stock", "emit", "emits", "record", "recorded"]
