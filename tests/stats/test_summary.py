"""Plain summaries: against the standard library, and the chance that two runs differ against counting."""

import statistics
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.calculator import calculate
from stats.number import StatError
from stats.pass_k import pass_at_k, pass_hat_k
from stats.summary import pass_k_of_tasks, runs_apart, summary

VALUES = st.lists(st.fractions(-20, 20, max_denominator=60), min_size=1, max_size=30)
TASKS = st.lists(st.integers(1, 4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=6)


@given(VALUES, st.randoms())
def test_a_summary_is_that_of_the_standard_library_and_knows_no_order(values, chance):
    found = summary(values)
    assert (found.n, found.total, found.mean) == (len(values), sum(values), statistics.mean(values))
    assert found.median == statistics.median(values)
    assert (found.least, found.most) == (min(values), max(values))
    assert found.below + found.zero + found.above == found.n
    for share, quartile in ((Fraction(1, 4), found.lower_quartile), (Fraction(3, 4), found.upper_quartile)):
        assert quartile in values
        assert sum(each <= quartile for each in values) >= share * found.n
        assert sum(each < quartile for each in values) < share * found.n
    mixed = list(values)
    chance.shuffle(mixed)
    assert summary(mixed) == found


@given(TASKS)
def test_two_runs_differ_as_often_as_counting_says(tasks):
    other = [(n - c, n) for c, n in tasks]
    counted = Fraction(0)
    for (c, n), (d, m) in zip(tasks, other, strict=True):
        pairs = list(product([True] * c + [False] * (n - c), [True] * d + [False] * (m - d)))
        counted += Fraction(sum(one != two for one, two in pairs), len(pairs))
    assert runs_apart(tasks, other) == counted / len(tasks) == runs_apart(other, tasks)


@given(TASKS, st.integers(1, 4))
def test_pass_k_averages_the_tasks_with_enough_tries(tasks, k):
    enough = [(n, c) for c, n in tasks if n >= k]
    if not enough:
        with pytest.raises(StatError):
            pass_k_of_tasks(tasks, k)
        return
    at, hat = pass_k_of_tasks(tasks, k)
    assert at == sum(pass_at_k(n, c, k) for n, c in enough) / len(enough)
    assert hat == sum(pass_hat_k(n, c, k) for n, c in enough) / len(enough)
    assert hat <= at


@pytest.mark.parametrize(
    ("procedure", "inputs"),
    [
        ("summary", {"x": []}),
        ("summary", {"x": [1, "NaN"]}),
        ("runs_apart", {"one": [], "other": []}),
        ("runs_apart", {"one": [[1, 1]], "other": [[1, 1], [1, 1]]}),
        ("runs_apart", {"one": [[2, 1]], "other": [[1, 1]]}),
        ("runs_apart", {"one": [[0, 0]], "other": [[1, 1]]}),
        ("pass_k_of_tasks", {"tasks": [[1]], "k": 1}),
        ("fisher_exact", {"one": [1], "other": [1, 2]}),
        ("fisher_exact", {"one": [-1, 2], "other": [1, 2]}),
    ],
)
def test_what_cannot_be_summed_up_is_refused(procedure, inputs):
    assert calculate(procedure, inputs)["refuse"]


def test_a_tea_tasting_lady():
    """Fisher's own table (1935): three of four cups told right either way, one-sided 17/70, two-sided 34/70."""
    assert calculate("fisher_exact", {"one": [3, 1], "other": [1, 3]}) == {"p": pytest.approx(34 / 70)}


def test_fractions_are_read_exactly():
    assert calculate("summary", {"x": ["1/3", "2/3", 1]})["mean"] == pytest.approx(2 / 3, abs=0)
    assert calculate("summary", {"x": ["1/0"]})["refuse"]
