"""Two sides of one arm: how often two runs of a task disagree, against counting all pairs of runs."""

from collections.abc import Sequence
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.compare import Chance, Compared, compare
from analyzer.frame import frame
from analyzer.missing import settle
from tests.analyzer.runs import Shot, lines_of, plan_of, trials_of

ARM = "baseline"

seeds = st.lists(st.booleans(), min_size=3, max_size=3)
tasks = st.lists(st.tuples(seeds, seeds), min_size=1, max_size=5)


def compared(found: Sequence[tuple[Sequence[bool], Sequence[bool]]]) -> Compared:
    """Compare the answers of both sides, task by task and seed by seed."""
    plan = plan_of(tasks=len(found), seeds=len(found[0][0]), missing=())

    def side(which: int) -> list[object]:
        lines = lines_of(plan, lambda task, _, seed: Shot(solved=found[int(task[1:]) - 1][which][seed - 1]))
        return [each for each in settle(plan, frame(plan, lines, trials_of(plan))) if each.row.trial.arm == ARM]

    return compare(ARM, side(0), side(1))  # type: ignore[arg-type]


@given(tasks)
@settings(deadline=None, max_examples=60)
def test_chances_are_those_of_all_pairs_of_runs(found: list[tuple[list[bool], list[bool]]]) -> None:
    result = compared(found)
    across = [sum(a != b for a, b in product(*task)) / 9 for task in found]
    assert result.between is not None
    assert result.between.value == pytest.approx(sum(across) / len(found))
    for place, chance in enumerate(result.within):
        inside = [sum(a != b for a, b in combinations(task[place], 2)) / 3 for task in found]
        assert chance is not None
        assert chance.value == pytest.approx(sum(inside) / len(found))
    for chance in (result.between, *result.within):
        assert chance is not None
        if chance.ends is not None:
            assert 0 <= chance.ends[0] <= chance.value <= chance.ends[1] <= 1
            assert chance.ends[0] < chance.ends[1], "an interval of some tasks has a width"


@given(tasks)
@settings(deadline=None, max_examples=30)
def test_sides_and_seeds_have_no_order(found: list[tuple[list[bool], list[bool]]]) -> None:
    one, other = compared(found), compared([(second[::-1], first) for first, second in found])
    assert one.between == other.between
    assert one.within == other.within[::-1]
    assert one.agreed is not None
    assert other.agreed is not None
    assert one.agreed.flip_wilson95 == other.agreed.flip_wilson95


def test_with_one_run_a_side_the_chance_is_the_rate_of_flips() -> None:
    result = compared([([True], [False]), ([True], [True]), ([False], [False])])
    assert result.agreed is not None
    assert result.between == Chance(value=result.agreed.flip_rate, ends=result.agreed.flip_wilson95)
    assert result.within == (None, None)


def test_runs_that_never_disagree_are_no_proof_that_they_never_will() -> None:
    result = compared([([True] * 3, [True] * 3)] * 4)
    assert result.between is not None
    assert result.between.value == 0
    assert result.between.ends is not None
    assert result.between.ends[1] > 0.4
    alike = compared([([True, True, False], [True] * 3)] * 4)
    assert alike.between == Chance(value=1 / 3, ends=None), "four tasks of one kind tell nothing of a fifth"
