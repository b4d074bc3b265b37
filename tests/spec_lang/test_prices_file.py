"""Price tables: exact prices by model, and every fault of one at its place."""

from decimal import Decimal

import pytest

from spec_lang.diagnostics import SpecErrors
from spec_lang.prices_file import read_prices
from spec_lang.span import Source

TABLE = """
currency: USD
as_of: "2026-11-01"
models:
  big: {input: 3, output: 15, cache_read: 0.3}
  small/one: {input: 0.25, output: 0}
"""


def read(text: str) -> object:
    return read_prices(Source(name="prices.yaml", text=text))


def test_prices_are_exact_and_sorted_by_model() -> None:
    table = read_prices(Source(name="prices.yaml", text=TABLE))
    assert table.as_of == "2026-11-01"
    assert table.models == {
        "big": {"cache_read": Decimal("0.3"), "input": Decimal(3), "output": Decimal(15)},
        "small/one": {"input": Decimal("0.25"), "output": Decimal(0)},
    }


def test_json_is_read_like_yaml() -> None:
    text = '{"currency": "USD", "as_of": "2026-11-01", "models": {"m": {"input": 1, "output": 2.5}}}'
    assert read_prices(Source(name="prices.json", text=text)).models["m"]["output"] == Decimal("2.5")


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("USD", "EUR", "prices.yaml:2:11"),
        ('"2026-11-01"', '"November"', "prices.yaml:3:8"),
        ("output: 15, ", "", "prices.yaml:5:3"),
        ("input: 3", "input: -3", "prices.yaml:5:16"),
        ("input: 3", "input: 3 USD", "prices.yaml:5:16"),
        ("cache_read", "cached", "prices.yaml:5:31"),
    ],
)
def test_what_is_no_price_is_shown_where_it_stands(old: str, new: str, at: str) -> None:
    assert TABLE.count(old) == 1
    with pytest.raises(SpecErrors) as raised:
        read(TABLE.replace(old, new))
    assert [str(each.span) for each in raised.value.diagnostics] == [at]


def test_a_day_that_never_was_is_refused_at_its_place() -> None:
    with pytest.raises(SpecErrors) as caught:
        read(TABLE.replace("2026-11-01", "2026-13-45"))
    (found,) = caught.value.diagnostics
    assert (found.code, found.summary) == ("P205", "`2026-13-45` is a day that never was")
    assert str(found.span).startswith("prices.yaml:3:")
