"""The noun of a plan's routes: by which one way cost and time are measured in every arm, and at which prices."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class RoutesPlan:
    """By which one route cost and time are measured in every arm.

    ``models`` holds the prices of a million tokens (USD) by model and kind of token, of the file ``table`` with the digest ``prices``
    that was right on the day ``as_of``; without a table all four are empty.
    """

    cost: Literal["agent-result", "provider-usage", "price-table"] = "agent-result"
    time: Literal["harness-bracket"] = "harness-bracket"
    table: str | None = None
    prices: str | None = None
    as_of: str | None = None
    models: Mapping[str, Mapping[str, Decimal]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The route of costs in words, as every outcome and every measured overhead tells it."""
        return self.cost if self.prices is None else f"{self.cost}, prices {self.prices}"
