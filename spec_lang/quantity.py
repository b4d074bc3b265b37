"""Numbers with units: exact decimals in a base unit of their dimension."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Dimension = Literal["number", "time", "money", "size", "share", "points", "task", "trial", "turn", "token"]
"""``share`` is dimensionless (% = 1/100); ``points`` is a difference of two shares (pp)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A unit: its dimension and how many base units (s, USD, bytes, 1) it is."""

    name: str
    dimension: Dimension
    scale: Decimal


UNITS: tuple[Unit, ...] = (
    Unit(name="s", dimension="time", scale=Decimal(1)),
    Unit(name="min", dimension="time", scale=Decimal(60)),
    Unit(name="h", dimension="time", scale=Decimal(3600)),
    Unit(name="USD", dimension="money", scale=Decimal(1)),
    Unit(name="MB", dimension="size", scale=Decimal(1_000_000)),
    Unit(name="GB", dimension="size", scale=Decimal(1_000_000_000)),
    Unit(name="%", dimension="share", scale=Decimal("0.01")),
    Unit(name="pp", dimension="points", scale=Decimal("0.01")),
    Unit(name="task", dimension="task", scale=Decimal(1)),
    Unit(name="tasks", dimension="task", scale=Decimal(1)),
    Unit(name="trial", dimension="trial", scale=Decimal(1)),
    Unit(name="trials", dimension="trial", scale=Decimal(1)),
    Unit(name="turn", dimension="turn", scale=Decimal(1)),
    Unit(name="turns", dimension="turn", scale=Decimal(1)),
    Unit(name="token", dimension="token", scale=Decimal(1)),
    Unit(name="tokens", dimension="token", scale=Decimal(1)),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """An amount as it was written: ``20 min`` is number 20, unit ``min``, 1200 base units (s)."""

    number: Decimal
    unit: Unit

    @property
    def base(self) -> Decimal:
        """The amount in the base unit of its dimension: s, USD, bytes, or a plain fraction."""
        return self.number * self.unit.scale


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """Two amounts of one dimension, the lower first: ``4 h..12 h``."""

    low: Quantity
    high: Quantity
