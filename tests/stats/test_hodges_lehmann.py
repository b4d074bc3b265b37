"""The Hodges-Lehmann estimate: Walsh averages by definition, and agreement of interval and test."""

from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stats.hodges_lehmann import _sought, hodges_lehmann
from stats.relative_change import median
from stats.signed_rank import signed_rank
from stats.subset_sums import counts_up_to

values = st.lists(st.integers(-50, 50).map(lambda k: Fraction(k, 4)), min_size=1, max_size=30)
LEVEL = Fraction(19, 20)


def walsh(differences):
    return sorted((differences[i] + differences[j]) / 2 for i in range(len(differences)) for j in range(i + 1))


@given(values)
def test_order_statistics_of_the_walsh_averages(differences):
    result, averages = hodges_lehmann(differences, level=LEVEL), walsh(differences)
    assert result.estimate == float(median(averages))
    assert (result.lo, result.hi) == (float(averages[result.k - 1]), float(averages[-result.k]))
    assert result.attainable == (result.achieved_level >= LEVEL) == (len(differences) >= 6)


@given(
    values,
    st.fractions(min_value=-9, max_value=9, max_denominator=8),
    st.fractions(min_value=Fraction(1, 9), max_value=9),
)
def test_moves_and_scales_with_the_data(differences, shift, scale):
    one, other = (
        hodges_lehmann(differences, level=LEVEL),
        hodges_lehmann([scale * d + shift for d in differences], level=LEVEL),
    )
    for end in ("estimate", "lo", "hi"):
        assert getattr(other, end) == pytest.approx(
            float(scale * Fraction(getattr(one, end)) + shift), rel=1e-12, abs=1e-12
        )


@given(values)
def test_swapping_the_arms_mirrors(differences):
    one, other = hodges_lehmann(differences, level=LEVEL), hodges_lehmann([-d for d in differences], level=LEVEL)
    assert (one.estimate, one.lo, one.hi) == (-other.estimate, -other.hi, -other.lo)


@given(st.sets(st.integers(-300, 300).filter(bool), min_size=6, max_size=25))
def test_interval_and_test_agree_without_ties(distinct):
    """Zero lies strictly outside the interval exactly when the two-sided test rejects at 5%."""
    assume(len({abs(d) for d in distinct}) == len(distinct))
    differences = [Fraction(d) for d in distinct]
    assume(0 not in walsh(differences))
    interval = hodges_lehmann(differences, level=LEVEL)
    rejected = signed_rank(differences, zeros="wilcox", alternative="two-sided").p <= 1 - LEVEL
    assert rejected == (interval.lo > 0 or interval.hi < 0)


def test_large_samples_use_doubles_and_keep_the_level():
    result = hodges_lehmann([Fraction((k * 7919) % 10007, 10007) for k in range(700)], level=LEVEL)
    assert result.attainable
    assert 0.95 <= result.achieved_level < 0.9501
    assert result.lo < 0.5 < result.hi


@given(st.integers(1, 60), st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(2, 5)))
def test_the_rank_is_found_by_a_few_shares_as_by_all_counts(n, tail):
    counts = accumulate(counts_up_to(range(1, n + 1), n * (n + 1) // 4))
    assert _sought(n, tail) == sum(Fraction(each, 2**n) <= tail for each in counts)


def test_ten_thousand_differences():
    """50 million Walsh averages, none of them listed; the interval is as wide as the normal law has it."""
    differences = [Fraction(place * 7919 % 10_007 - 5_000) for place in range(10_000)]
    found = hodges_lehmann(differences, level=LEVEL)
    assert found.attainable
    assert 0 <= found.achieved_level - 0.95 < 1e-6
    assert found.lo < found.estimate < found.hi
    assert found.k == pytest.approx(25_002_500 - 1.959964 * (10_000 * 10_001 * 20_001 / 24) ** 0.5, rel=1e-5)
    tested = signed_rank([each - Fraction(found.lo) for each in differences], zeros="wilcox", alternative="two-sided")
    assert tested.p == pytest.approx(0.05, rel=0.03)  # whole numbers, of which many tie when shifted
