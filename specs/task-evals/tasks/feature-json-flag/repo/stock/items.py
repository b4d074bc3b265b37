"""Items in stock."""

import csv
from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """An item: ``count`` pieces at ``price`` cents each."""

    name: str
    count: int
    price: int


def read_items(file):
    """Read items from a CSV file with the columns name, count and price (in cents)."""
    with open(file, encoding="utf-8", newline="") as opened:
        return [Item(row["name"], int(row["count"]), int(row["price"])) for row in csv.DictReader(opened)]
