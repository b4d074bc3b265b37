"""Agreement, pass@k, Holm, clustered errors, sample size, relative change: definitions and laws."""

from fractions import Fraction
from itertools import combinations
from math import sqrt
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats import relative_change
from stats.agreement import agreement, self_disagreement
from stats.clustered import clustered_interval, clustered_se
from stats.holm import holm
from stats.number import StatError
from stats.pass_k import pass_at_k, pass_hat_k
from stats.sample_size import sample_size_wilcoxon

runs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=20)


@given(runs)
def test_agreement_does_not_care_for_labels_or_order(pairs):
    one = agreement([a for a, _ in pairs], [b for _, b in pairs])
    renamed = agreement([f"{b}!" for _, b in reversed(pairs)], [f"{a}!" for a, _ in reversed(pairs)])
    assert one == renamed
    assert one.flips == sum(a != b for a, b in pairs)


def test_kappa_where_chance_would_always_agree_is_unknown():
    assert agreement([1, 1, 1], [1, 1, 1]).kappa is None
    assert agreement([1, 1, 0], [1, 1, 1]).kappa == 0


@given(st.lists(st.lists(st.booleans(), min_size=2, max_size=6), min_size=1, max_size=5))
def test_self_disagreement_is_the_share_of_unlike_pairs(tasks):
    result = self_disagreement([(sum(seeds), len(seeds)) for seeds in tasks])
    listed = [mean(one != other for one, other in combinations(seeds, 2)) for seeds in tasks]
    assert result.per_task == pytest.approx(listed)
    assert result.mean == pytest.approx(mean(listed))


def test_a_task_with_one_seed_says_nothing():
    assert self_disagreement([(1, 1), (1, 2)]).per_task == (None, 1.0)


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_k_are_shares_of_subsets(case):
    n, c, k = case
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == Fraction(sum(map(any, subsets)), len(subsets))
    assert pass_hat_k(n, c, k) == Fraction(sum(map(all, subsets)), len(subsets))


@given(st.lists(st.fractions(0, 1, max_denominator=1000), min_size=1, max_size=8), st.randoms())
def test_holm_is_monotone_and_moves_with_the_order(values, chance):
    adjusted = holm(values)
    order = list(range(len(values)))
    chance.shuffle(order)
    assert holm([values[place] for place in order]) == tuple(adjusted[place] for place in order)
    assert all(value <= fixed <= min(1, len(values) * value) for value, fixed in zip(values, adjusted, strict=True))
    ranked = sorted(zip(values, adjusted, strict=True))
    assert [fixed for _, fixed in ranked] == sorted(adjusted)


scores = st.lists(st.integers(0, 5).map(Fraction), min_size=2, max_size=12)


@given(scores)
def test_cr1_of_single_scores_is_the_plain_standard_error(values):
    result = clustered_se(values, range(len(values)))
    assert result.se_cr1 == pytest.approx(stdev(map(float, values)) / sqrt(len(values)), abs=1e-12)
    assert result.se_cr1 == pytest.approx(result.se_clt, abs=1e-12)


@given(st.lists(st.tuples(*[st.integers(0, 5).map(Fraction)] * 3), min_size=2, max_size=8))
def test_cr1_of_equal_seeds_is_the_standard_error_of_task_means(tasks):
    result = clustered_se(
        [score for task in tasks for score in task], [number for number, task in enumerate(tasks) for _ in task]
    )
    assert result.se_cr1 == pytest.approx(stdev(float(sum(task)) / 3 for task in tasks) / sqrt(len(tasks)), abs=1e-12)


def test_clustered_interval_uses_t_with_clusters_less_one():
    interval = clustered_interval([Fraction(k) for k in (1, 0, 1, 1)], ["a", "a", "b", "b"], level="0.95")
    se = clustered_se([Fraction(k) for k in (1, 0, 1, 1)], ["a", "a", "b", "b"]).se_cr1
    assert interval.hi - interval.mean == pytest.approx(12.706204736432095 * se)
    assert interval.mean - interval.lo == pytest.approx(interval.hi - interval.mean)


def test_sample_sizes_of_the_usual_spreads():
    for sigma, n in (("0.139", 6), ("0.25", 18), ("0.3", 26), ("0.5", 72)):
        for constants in ("rounded", "exact"):
            size = sample_size_wilcoxon(
                sigma=sigma, delta="0.15", alpha_one_sided="0.05", power="0.8", constants=constants
            )
            assert size.n == n


@given(st.fractions(Fraction(1, 10), 3, max_denominator=20), st.fractions(Fraction(1, 10), 3, max_denominator=20))
def test_sample_size_depends_on_the_ratio_and_not_on_the_direction(sigma, delta):
    def size(spread, effect):
        return sample_size_wilcoxon(sigma=spread, delta=effect, alpha_one_sided="0.05", power="0.8", constants="exact")

    assert size(sigma, delta) == size(sigma * 7, delta * 7) == size(sigma, -delta)
    assert size(2 * sigma, delta).n_raw == pytest.approx(4 * size(sigma, delta).n_raw)


def test_sample_size_refuses_unknown_constants():
    with pytest.raises(StatError):
        sample_size_wilcoxon(sigma=1, delta=1, alpha_one_sided="0.05", power="0.8", constants="guessed")


def test_relative_changes_tie_exactly():
    changes = relative_change.relative_changes(
        [Fraction(3, 10), Fraction(9, 10)], [Fraction(33, 100), Fraction(99, 100)]
    )
    assert changes == (Fraction(1, 10), Fraction(1, 10))
    assert relative_change.median(changes) == relative_change.mean(changes) == Fraction(1, 10)
    with pytest.raises(StatError):
        relative_change.relative_changes([Fraction(1)], [])
