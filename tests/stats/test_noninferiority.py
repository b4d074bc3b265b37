"""Margins: monotone, consistent with the plain tests, and both sides together for equivalence."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.noninferiority import (
    count_margin,
    newcombe_equivalence,
    newcombe_noninferiority,
    tango_noninferiority,
    wilcoxon_equivalence,
    wilcoxon_noninferiority,
)
from stats.number import StatError
from stats.proportions import PairedCounts, newcombe_paired, newcombe_upper
from stats.signed_rank import signed_rank

cell = st.integers(0, 25)
tables = (
    st.tuples(cell, cell, cell, cell).filter(any).map(lambda t: PairedCounts(n11=t[0], n10=t[1], n01=t[2], n00=t[3]))
)
margins = st.fractions(0, Fraction(9, 10), max_denominator=50)
differences = st.lists(st.integers(-20, 20).map(lambda k: Fraction(k, 10)), min_size=1, max_size=15)


def test_count_margin():
    assert count_margin(17, 18, margin_tasks=1)
    assert not count_margin(16, 18, margin_tasks=1)


@given(tables, margins, margins)
def test_a_wider_margin_is_easier(table, one, other):
    narrow, wide = sorted((one, other))
    for procedure in (newcombe_noninferiority, tango_noninferiority):
        assert (
            procedure(table, margin=wide, alpha="0.05").noninferior
            >= procedure(table, margin=narrow, alpha="0.05").noninferior
        )


@given(differences, margins, margins)
def test_a_wider_margin_is_easier_for_shifts(values, one, other):
    """Compared without zeros after the shift: dropping one changes the number of ranks."""
    narrow, wide = sorted((one + Fraction(1, 1009), other + Fraction(1, 1009)))
    p_narrow, p_wide = (
        wilcoxon_noninferiority(values, margin=m, alpha="0.05", zeros="wilcox").test.p for m in (narrow, wide)
    )
    assert p_wide <= p_narrow


@given(differences, margins)
def test_lower_is_better_mirrors(values, margin):
    high = wilcoxon_noninferiority(values, margin=margin, alpha="0.05", zeros="pratt")
    low = wilcoxon_noninferiority(
        [-value for value in values], margin=margin, alpha="0.05", zeros="pratt", better="lower"
    )
    assert high == low


@given(differences)
def test_no_margin_is_the_plain_test(values):
    shifted = wilcoxon_noninferiority(values, margin=0, alpha="0.05", zeros="wilcox").test
    assert shifted == signed_rank(values, zeros="wilcox", alternative="greater")


@given(tables, margins.filter(bool))
def test_equivalence_is_the_interval_inside_the_margin(table, margin):
    interval = newcombe_paired(table, level="0.9")
    inside = -margin < interval.lo and interval.hi < margin
    assert newcombe_equivalence(table, margin=margin, alpha="0.05") == inside
    assert newcombe_upper(table, alpha="0.05") == interval.hi


def test_equivalence_of_shifts_takes_the_larger_p():
    values = [Fraction(k, 100) for k in (-3, 2, 1, -1, 4, -2, 3, 5)]
    result = wilcoxon_equivalence(values, margin="0.5", alpha="0.05", zeros="wilcox")
    assert result.p == max(result.p_lower, result.p_upper) == 2**-8
    assert result.equivalent
    with pytest.raises(StatError):
        wilcoxon_equivalence(values, margin=0, alpha="0.05", zeros="wilcox")


def test_equal_counts_of_twenty_demonstrate_little():
    """18 and 18 of 20 pass "minus one task", yet at one-sided 5% a loss of 12 points is not excluded."""
    table = PairedCounts(n11=18, n10=0, n01=0, n00=2)
    assert count_margin(18, 18, margin_tasks=1)
    assert newcombe_noninferiority(table, margin="0.05", alpha="0.05").lower == pytest.approx(-0.123, abs=0.001)


def test_refuses_directions_it_does_not_know():
    with pytest.raises(StatError):
        wilcoxon_noninferiority([1], margin=0, alpha="0.05", zeros="wilcox", better="cheaper")
