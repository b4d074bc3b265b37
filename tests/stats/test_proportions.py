"""Intervals for proportions: inclusion, symmetry, nesting, and Tango's interval against his test."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.mcnemar import mcnemar
from stats.number import StatError
from stats.proportions import PairedCounts, newcombe_paired, tango_score_paired, tango_z, wilson

cell = st.integers(0, 25)
tables = (
    st.tuples(cell, cell, cell, cell).filter(any).map(lambda t: PairedCounts(n11=t[0], n10=t[1], n01=t[2], n00=t[3]))
)


def swapped(table):
    return PairedCounts(n11=table.n11, n10=table.n01, n01=table.n10, n00=table.n00)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_estimate_and_mirrors(tries):
    x, n = tries
    interval, mirror = wilson(x, n, level="0.95"), wilson(n - x, n, level="0.95")
    assert 0 <= interval.lo <= interval.estimate <= interval.hi <= 1
    assert interval.lo == pytest.approx(1 - mirror.hi, abs=1e-15)
    assert interval.hi - interval.lo > 0


@given(tables, st.sampled_from([newcombe_paired, tango_score_paired]))
def test_paired_intervals_hold_the_estimate_and_mirror(table, procedure):
    interval, mirror = procedure(table, level="0.95"), procedure(swapped(table), level="0.95")
    assert -1 <= interval.lo <= interval.diff <= interval.hi <= 1
    assert interval.hi > interval.lo
    assert (interval.lo, interval.hi) == pytest.approx((-mirror.hi, -mirror.lo), abs=1e-12)


@given(tables, st.sampled_from([newcombe_paired, tango_score_paired]))
def test_a_higher_level_is_wider(table, procedure):
    narrow, wide = procedure(table, level="0.9"), procedure(table, level="0.99")
    assert wide.lo <= narrow.lo
    assert narrow.hi <= wide.hi


@given(tables)
def test_tango_ends_are_where_the_test_begins_to_reject(table):
    interval = tango_score_paired(table, level="0.95")
    for end, sign in ((interval.lo, 1), (interval.hi, -1)):
        if -1 < end < 1:
            assert sign * tango_z(table, end) == pytest.approx(1.959963984540054, abs=1e-5)


@given(
    st.integers(0, 20),
    st.integers(0, 20),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from([newcombe_paired, tango_score_paired]),
)
def test_intervals_exclude_zero_wherever_the_exact_test_rejects(b, c, both, neither, procedure):
    """The other way round they need not: the exact test spends less than its 5% (see the next test)."""
    if mcnemar(b, c).p_two_sided < 0.05:
        interval = procedure(PairedCounts(n11=both, n10=b, n01=c, n00=neither), level="0.95")
        assert interval.lo > 0 or interval.hi < 0


def test_an_interval_may_exclude_zero_where_the_exact_test_does_not_reject():
    assert mcnemar(5, 0).p_two_sided == 0.0625
    assert newcombe_paired(PairedCounts(n11=17, n10=5, n01=0, n00=0), level="0.95").lo > 0


def test_no_discordant_pair_is_not_knowledge():
    """Both arms alike on four tasks excludes very little; a bootstrap would print [0, 0]."""
    interval = newcombe_paired(PairedCounts(n11=4, n10=0, n01=0, n00=0), level="0.95")
    assert interval.hi - interval.lo > 0.9


def test_refuses_impossible_tables():
    with pytest.raises(StatError, match="n = 0"):
        PairedCounts(n11=0, n10=0, n01=0, n00=0)
    with pytest.raises(StatError, match="negative count"):
        PairedCounts(n11=-1, n10=2, n01=0, n00=0)
    assert set(asdict(PairedCounts(n11=1, n10=0, n01=0, n00=0))) == {"n11", "n10", "n01", "n00"}
