"""Bootstrap intervals: laws, degenerate answers, seeds, memory; seeded runs against the ideal law."""

import tracemalloc
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stats.bootstrap import bca_interval, bootstrap, ideal_law, jackknife_acceleration, percentile_interval, seeded_law
from stats.law import law_of
from stats.number import StatError
from stats.published_bootstrap import bootstrap_seeded_numpy

numbers = st.lists(st.integers(-30, 30).map(lambda k: Fraction(k, 10)), min_size=1, max_size=14)
statistics = st.sampled_from(["mean", "median"])
methods = st.sampled_from(["percentile", "bca"])


def interval(values, statistic="median", method="percentile", level="0.95", **more):
    return bootstrap(values, statistic=statistic, method=method, level=level, **({"resamples": None} | more))


@given(numbers, statistics, methods, st.integers(0, 3), st.randoms())
def test_order_of_tasks_cannot_matter(values, statistic, method, seed, chance):
    shuffled = list(values)
    chance.shuffle(shuffled)
    for resamples in (None, 60):
        one = interval(values, statistic, method, resamples=resamples, seed=seed)
        assert interval(shuffled, statistic, method, resamples=resamples, seed=seed) == one


@given(
    numbers,
    statistics,
    methods,
    st.fractions(-9, 9, max_denominator=8),
    st.fractions(Fraction(1, 9), 9, max_denominator=9),
)
def test_moves_and_scales_with_the_data(values, statistic, method, shift, scale):
    moved = [scale * value + shift for value in values]
    for resamples in (None, 60):
        one, other = (interval(data, statistic, method, resamples=resamples) for data in (values, moved))
        assert one.reason == other.reason
        for end in ("estimate", "lo", "hi"):
            if getattr(one, end) is not None:
                assert getattr(other, end) == pytest.approx(
                    float(scale) * getattr(one, end) + float(shift), rel=1e-9, abs=1e-9
                )


@given(numbers, statistics)
def test_swapping_the_arms_mirrors_bca_with_mid_ties(values, statistic):
    """Levels mirror exactly; so do the ends wherever no jump of the law lies on a level to the last bit."""
    one, other = interval(values, statistic, "bca"), interval([-value for value in values], statistic, "bca")
    assert one.z0 == pytest.approx(-other.z0, abs=1e-12)
    assert one.alpha_lo == pytest.approx(1 - other.alpha_hi, abs=1e-12)
    law = ideal_law(values, statistic)
    steps = [Fraction(int(weight), law.total) for weight in law.cumulative]
    assume(all(abs(float(step) - level) > 1e-9 for step in steps for level in (one.alpha_lo, one.alpha_hi)))
    assert (one.lo, one.hi) == (-other.hi, -other.lo)


def test_strict_ties_do_not_mirror():
    """b = 2, c = 1 of 22 pairs: [-13.6, +13.6] one way, [-27.3, +4.5] the other."""
    values = [Fraction(1)] * 2 + [Fraction(-1)] + [Fraction(0)] * 19
    one = interval(values, "mean", "bca", ties="strict")
    other = interval([-value for value in values], "mean", "bca", ties="strict")
    assert (one.lo, one.hi) == (-3 / 22, 3 / 22)
    assert (other.lo, other.hi) == (-6 / 22, 1 / 22)


@given(numbers, statistics, st.integers(0, 2**64))
def test_a_seeded_interval_lies_within_the_data_and_repeats(values, statistic, seed):
    one = interval(values, statistic, resamples=40, seed=seed)
    assert one == interval(values, statistic, resamples=40, seed=seed)
    assert float(min(values)) <= one.lo <= one.hi <= float(max(values))


@given(numbers, statistics)
def test_a_higher_level_is_wider(values, statistic):
    narrow, wide = interval(values, statistic, level="0.8"), interval(values, statistic, level="0.99")
    assert wide.lo <= narrow.lo <= narrow.hi <= wide.hi


@pytest.mark.parametrize("values", [[Fraction(1, 4)], [Fraction(1, 4)] * 12])
@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("resamples", [None, 100])
def test_degenerate_data_say_so(values, statistic, resamples):
    for method in ("percentile", "bca"):
        got = interval(values, statistic, method, resamples=resamples)
        assert (got.lo, got.hi, got.degenerate) == (0.25, 0.25, True)


def test_constant_jackknife_is_not_degenerate():
    """Where scipy answers nan: the jackknife of this median does not vary, so a is 0 and the interval stands."""
    got = interval([Fraction(k) for k in (1, 2, 3, 3, 3, 4, 9, 9)], method="bca")
    assert (got.degenerate, got.a) == (False, 0.0)
    assert got.lo < got.hi


def test_strict_ties_at_the_bottom_are_undefined_and_say_why():
    got = interval([Fraction(k) for k in [0] * 10 + [1]], method="bca", ties="strict")
    assert (got.lo, got.hi, got.reason) == (None, None, "z0 infinite")


def test_the_rank_is_worked_out_in_rationals():
    """2.5% of 10,000 is the 250th value; in doubles (1 - 0.95)/2·10000 is 250.00000000000023."""
    law = law_of([(k, 1) for k in range(1, 10_001)], unit=Fraction(1), observed=5000, exact=True)
    got = percentile_interval(law, level=0.95, quantile_rule="inverted_cdf")
    assert (got.lo, got.hi) == (250, 9750)


def test_ties_are_counted_exactly():
    """Means of thirds: the many exact ties with the estimate all count, where sums of doubles would lose most of them."""
    values = [Fraction(k % 4, 3) for k in range(20)]
    law = seeded_law(values, "mean", resamples=10_000, seed=1)
    doubles = [float(value) for value in values]
    ideal = ideal_law(values, "mean")
    assert float(law.share_tied()) == pytest.approx(float(ideal.share_tied()), abs=0.012)
    assert sum(doubles) / 20 == pytest.approx(float(law.estimate))
    mid = bca_interval(law, 0.0, level="0.95", ties="mid", quantile_rule="inverted_cdf")
    assert abs(mid.z0) < 0.05


def test_a_coarse_unit_is_rounded_only_where_it_must_be():
    """Forty relative changes with coprime denominators still add up exactly; 400 are rounded, and the result says so."""
    few, many = ([Fraction(k % 7 - 3, 1000 + k) for k in range(size)] for size in (40, 400))
    assert interval(few, "mean", resamples=50).exact
    rounded = interval(many, "mean", resamples=50)
    assert not rounded.exact
    assert rounded.estimate == pytest.approx(float(sum(many) / 400), rel=1e-12)


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_memory_does_not_grow_with_the_resamples(statistic):
    values = [Fraction((k * 7919) % 10007, 100) for k in range(10_000)]
    tracemalloc.start()
    interval(values, statistic, resamples=1000, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


def test_numpys_stream_is_one_stream_however_it_is_cut(monkeypatch):
    arguments = {
        "statistic": "mean",
        "level": "0.95",
        "resamples": 501,
        "seed": 5,
        "ties": "mid",
        "quantile_rule": "linear",
    }
    values = [Fraction(k) for k in (1, 5, 9, 2, 2, 7, 30)]
    whole = bootstrap_seeded_numpy(values, **arguments)
    monkeypatch.setattr("stats.published_bootstrap.CHUNK", 7)
    assert bootstrap_seeded_numpy(values, **arguments) == whole


def test_acceleration_without_leave_one_out_values_is_zero():
    assert jackknife_acceleration([]) == 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"statistic": "mode"},
        {"method": "t"},
        {"level": 1},
        {"ties": "half", "method": "bca"},
        {"quantile_rule": "type6"},
    ],
)
def test_refuses_unknown_words(wrong):
    with pytest.raises(StatError):
        interval([Fraction(1), Fraction(2)], **wrong)
