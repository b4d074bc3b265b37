"""Values: what callers and stored facts are taken as."""

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from spec_lang.expr.types import BOOL, DATE, MONEY, TEXT, ListType, Type
from spec_lang.expr.values import UNKNOWN, day, read_plain, value_of


@pytest.mark.parametrize(
    ("plain", "kind", "value"),
    [
        (None, MONEY, UNKNOWN),
        (3, MONEY, Fraction(3)),
        ("0.0421", MONEY, Fraction(421, 10_000)),
        (Decimal("0.5"), MONEY, Fraction(1, 2)),
        (True, BOOL, True),
        ("x", TEXT, "x"),
        ("2026-07-01", DATE, date(2026, 7, 1)),
        ("2026-07-01T01:00:00+02:00", DATE, date(2026, 6, 30)),
        ("2026-07-01T01:00:00Z", DATE, date(2026, 7, 1)),
        (["a", "b"], ListType(item=TEXT), ("a", "b")),
    ],
)
def test_stored_facts(plain: object, kind: Type, value: object) -> None:
    assert read_plain(plain, kind) == value


@pytest.mark.parametrize(
    ("plain", "kind"),
    [(True, MONEY), ("x", MONEY), ("x", BOOL), (3, TEXT), ("x", DATE),
     ("2026-07-01T10:00:00", DATE), ("x", ListType(item=TEXT)), (0.5, MONEY)],
)  # fmt: skip
def test_facts_of_another_type(plain: object, kind: Type) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_plain(plain, kind)


def test_moments_are_days_in_utc() -> None:
    assert value_of(datetime(2026, 7, 1, 23, tzinfo=UTC)) == date(2026, 7, 1)
    assert day("2026-07-01") == date(2026, 7, 1)
