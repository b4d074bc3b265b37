"""Reading numbers: what is exact, what is a double, what is no number."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.number import StatError, count, double, exact, exact_double, finite, log10, open_unit, paired

finite_doubles = st.floats(allow_nan=False, allow_infinity=False)


@given(finite_doubles)
def test_every_double_is_read_exactly_as_a_double(value):
    assert exact_double(value) == Fraction(value)
    assert float(exact(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9))
def test_decimals_are_read_as_written(value):
    assert exact(value) == exact(str(value)) == Fraction(value)


def test_a_tenth_is_a_tenth_when_written_and_not_when_a_double():
    assert exact(0.1) == exact("0.1") == exact(Decimal("0.1")) == Fraction(1, 10)
    assert exact_double("0.1") == Fraction(0.1) != Fraction(1, 10)
    assert exact("0.3") - exact("0.1") - exact("0.2") == 0


def test_subnormals_are_not_zero_and_minus_zero_is():
    assert exact_double(5e-324) > 0
    assert exact(5e-324) > 0
    assert exact(-0.0) == exact_double("-0.0") == 0


@pytest.mark.parametrize(
    "bad",
    [float("nan"), float("inf"), "NaN", "-Infinity", Decimal("sNaN"), True, None, "one", "", [1], {}, "1e9999", 1j],
)
def test_refuses_what_is_no_number(bad):
    for read in (exact, exact_double):
        with pytest.raises(StatError):
            read(bad)


def test_counts_levels_and_ranges():
    assert count("3", "x") == count(3.0, "x") == 3
    assert open_unit(0.95, "level") == Fraction(19, 20)
    for value in (1.5, -1, "NaN"):
        with pytest.raises(StatError):
            count(value, "x")
    for value in (0, 1, -0.1, 2):
        with pytest.raises(StatError):
            open_unit(value, "level")
    with pytest.raises(StatError):
        double(Fraction(10**400))
    with pytest.raises(StatError):
        exact_double(10**400)


def test_lists():
    assert finite([1, Fraction(1, 2)]) == (1, Fraction(1, 2))
    assert paired([Fraction(3)], [Fraction(1)]) == (2,)
    for bad in ([], [0.5], [True], ["1"]):
        with pytest.raises(StatError):
            finite(bad)
    with pytest.raises(StatError, match="unequal"):
        paired([Fraction(1)], [])


@given(st.integers(-2000, 2000))
def test_logarithms_beyond_the_doubles(power):
    assert log10(Fraction(10) ** power) == pytest.approx(power, abs=1e-9)
