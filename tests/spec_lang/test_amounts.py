"""Amounts: a number, a space, a unit of the right dimension."""

from decimal import Decimal

import pytest

from spec_lang.amounts import EXAMPLES, AmountError, read_amount
from spec_lang.quantity import UNITS, Dimension


@pytest.mark.parametrize("dimension", EXAMPLES)
def test_every_example_is_right(dimension: Dimension) -> None:
    assert read_amount(EXAMPLES[dimension], dimension).unit.dimension == dimension


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_unit(unit: object) -> None:
    name, dimension, scale = unit.name, unit.dimension, unit.scale  # type: ignore[attr-defined]
    assert read_amount(f"1.5 {name}", dimension).base == Decimal("1.5") * scale


@pytest.mark.parametrize(
    "text",
    ["20", "20min", "min", "-5 min", "05 min", "1e3 min", "20  min", "20 mins", "20 USD", f"{10**20} min"],
)
def test_refused(text: str) -> None:
    with pytest.raises(AmountError):
        read_amount(text, "time")
