"""Agreement between runs and between seeds: definitions and laws."""

from itertools import combinations
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.agreement import agreement, self_disagreement

RUNS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=20)


@given(RUNS)
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
