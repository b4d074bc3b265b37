"""How numbers read on a page."""

import pytest

from analyzer.wording import amount, probability, tick


@pytest.mark.parametrize(
    ("unit", "n", "read", "marked"),
    [
        ("pp", 5, "+0.25 (fraction)", "+0.25"),
        ("share", 5, "+0.25 (fraction)", "+0.25"),
        ("pp", 6, "+25.0 pp", "+25.0 pp"),
        ("USD", 5, "+0.25 USD", "+0.25 USD"),
    ],
)
def test_a_mark_of_an_axis_reads_like_the_amount_without_its_word(unit: str, n: int, read: str, marked: str) -> None:
    assert amount(0.25, unit, n=n, signed=True) == read
    assert tick(0.25, unit, n=n, signed=True) == marked


def test_a_mark_at_nothing_has_no_sign() -> None:
    assert tick(-1e-12, "USD", n=9) == "0 USD"


@pytest.mark.parametrize(
    ("p", "read"),
    [(1.0, "1"), (0.0123456, "0.0123"), (1e-5, "1.0e-05"), (1e-299, "1.0e-299"), (5e-324, "below 1e-300")],
)
def test_no_p_reads_as_zero(p: float, read: str) -> None:
    assert probability(p) == read
