"""Sizing: crossings, floors, detectable effects, and profiles fitted to what was run."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.fitting import apart, calibrated, differences, moved, profile_of, spread_by
from analyzer.frame import frame
from analyzer.powers import Point, Wanted, crossing, detectable, floor, formula, sizes_to_try
from analyzer.simulated_ledger import ledger, stage
from compiler.operating import rate
from compiler.simulation import Lognormal, Profile
from tests.analyzer.test_rehearsal import ALIKE, CONTROL, small

WANTED = Wanted(endpoint="relative_cost", effect=Decimal("0.15"), alpha=Decimal("0.05"), power=Decimal("0.8"))
ENDPOINT = next(each for each in small().endpoints if each.name == "relative_cost")


@pytest.mark.parametrize(("sigma", "n"), [(0.139, 6), (0.25, 18), (0.3, 26), (0.5, 72), (0.0, None), (None, None)])
def test_the_formula_of_the_seed(sigma: float | None, n: int | None) -> None:
    assert formula(WANTED, sigma) == n


def test_sizes_surround_the_formula() -> None:
    assert sizes_to_try("estimate", 20) == (10, 15, 20, 30, 40)
    assert sizes_to_try("lower", 2) == (2, 3)
    assert sizes_to_try("upper", None) == ()


def test_no_size_is_tried_at_which_an_exact_test_cannot_speak() -> None:
    assert sizes_to_try("estimate", 1, least=5) == (5, 10)
    assert sizes_to_try("estimate", 4, least=5) == (5, 6, 8)
    assert sizes_to_try("estimate", 20, least=5) == (10, 15, 20, 30, 40)


def points(*counts: tuple[int, int]) -> tuple[Point, ...]:
    return tuple(
        Point(tasks=tasks, supported=rate(count, 100), weakest="cost.p < 0.05", weakest_holds=rate(count, 100))
        for tasks, count in counts
    )


def test_a_crossing_lies_between_the_sizes_that_were_tried() -> None:
    assert crossing(points((10, 50), (20, 70), (30, 90)), Decimal("0.8")) == (25, "")
    assert crossing(points((10, 90)), Decimal("0.8")) == (10, "at most: 10 tasks are the fewest that were tried")
    n, why = crossing(points((10, 57), (40, 60)), Decimal("0.8"))
    assert n is None
    assert (
        why
        == "40 tasks reach 0.60; `cost.p < 0.05` holds in 0.60 of the experiments only, and more tasks need not help"
    )


def test_a_power_that_still_rises_is_not_said_to_be_helped_by_no_task() -> None:
    n, why = crossing(points((5, 20), (10, 45)), Decimal("0.8"))
    assert n is None
    assert why.endswith("and the power still rises: more tasks than were tried may do")


def test_more_tasks_than_are_ever_tried_are_not_said_to_be_of_no_help() -> None:
    n, why = crossing(points((2000, 18)), Decimal("0.8"), 38_359)
    assert n is None
    assert why == "2000 tasks, the most that are tried, reach 0.18; the formula asks for more"


@given(st.floats(1e-6, 20), st.integers(1, 4), st.booleans())
def test_tasks_that_reach_no_p_show_no_effect(sigma: float, tasks: int, lowers: bool) -> None:
    found = detectable(WANTED, sigma, tasks, ENDPOINT, lowers=lowers)
    assert found is not None
    assert (found.effect, found.capped) == (None, None)
    assert "fewer than 5 reach no p < 0.05" in found.words


@given(st.floats(1e-6, 20), st.integers(5, 500), st.booleans())
def test_no_detectable_effect_is_more_than_all_there_is(sigma: float, tasks: int, lowers: bool) -> None:
    found = detectable(WANTED, sigma, tasks, ENDPOINT, lowers=lowers)
    assert found is not None
    assert found.effect is not None
    assert found.capped == min(1, found.effect)
    assert ("cannot show any" in found.words) == (found.effect >= 1)
    assert (" pp" in found.words) != lowers


def test_a_detectable_effect_is_capped_and_says_so() -> None:
    small_run = detectable(WANTED, 2.0, 8, ENDPOINT, lowers=True)
    assert small_run is not None
    assert small_run.effect is not None
    assert small_run.effect > 1
    assert small_run.capped == 1
    assert "not even one of 100 %" in small_run.words
    usual = detectable(WANTED, 0.25, 18, ENDPOINT, lowers=True)
    assert usual is not None
    assert usual.effect is not None
    assert usual.capped == usual.effect < 0.15
    assert "may be there and stay unseen" in usual.words
    tiny = detectable(WANTED, 0.0015, 8, ENDPOINT, lowers=True)
    assert tiny is not None
    assert "by 0.13 %" in tiny.words


def test_the_floor_of_an_exact_test() -> None:
    assert [floor(Decimal(each)) for each in ("0.05", "0.025", "0.01")] == [5, 6, 7]


def test_a_profile_is_found_again() -> None:
    plan = small(tasks=400, seeds=3)
    true = replace(CONTROL, within_task=Decimal("0.6"), harness_failure=Decimal("0.1"))
    ready = stage(plan)
    found = profile_of(frame(plan, ledger(ready, dict.fromkeys(ALIKE, true), 7), ready.trials), "baseline")
    assert found is not None
    assert found.cost is not None
    assert abs(found.solve - true.solve) < Decimal("0.05")
    assert abs(found.cost.median - Decimal("0.4")) < Decimal("0.02")
    assert abs(found.cost.spread - Decimal("0.3")) < Decimal("0.02")
    assert abs(found.harness_failure - Decimal("0.1")) < Decimal("0.03")
    assert abs(found.timeout - Decimal("0.02")) < Decimal("0.015")
    assert abs(found.within_task - Decimal("0.6")) < Decimal("0.1")


def test_a_spread_is_found_that_gives_the_pilots() -> None:
    def spread(profiles: object) -> float:
        values = [float(each) for each in differences(ready, profiles, "relative_cost", seed=1) or ()]  # type: ignore[arg-type]
        mean = sum(values) / len(values)
        return (sum((each - mean) ** 2 for each in values) / (len(values) - 1)) ** 0.5

    ready = stage(small(tasks=60))

    def widened(factor: Decimal) -> dict[str, Profile]:
        return {arm: spread_by(replace(each, timeout=Decimal(0)), factor) for arm, each in ALIKE.items()}

    factor = calibrated(widened, spread, 0.5)
    assert abs(spread(widened(factor)) - 0.5) < 0.01


def test_an_effect_is_moved_where_the_sampler_can() -> None:
    cheaper = moved(CONTROL, "cost", Decimal("-0.15"), solves=False)
    assert cheaper is not None
    assert cheaper.cost == Lognormal(median=Decimal("0.34"), spread=Decimal("0.3"))
    better = moved(CONTROL, "solved", Decimal("0.3"), solves=True)
    assert better is not None
    assert better.solve == 1
    assert moved(CONTROL, "tokens", Decimal("-0.1"), solves=False) is None
    assert moved(CONTROL, "turns", Decimal("-0.1"), solves=False) is None
    assert moved(replace(CONTROL, turns=20), "turns", Decimal("-0.1"), solves=False) == replace(CONTROL, turns=18)
    assert moved(CONTROL, "cost", Decimal(-1), solves=False) is None


def test_only_what_an_endpoint_measures_is_set_apart_from_the_control() -> None:
    own = Profile(solve=Decimal("0.9"), cost=Lognormal(median=Decimal("0.2"), spread=Decimal("0.7")), turns=9)
    control = replace(CONTROL, turns=20)
    effect = Decimal("-0.15")
    assert apart(own, control, "cost", effect, solves=False) == replace(
        own, cost=Lognormal(median=Decimal("0.34"), spread=Decimal("0.7"))
    )
    assert apart(own, control, "solved", Decimal("0.1"), solves=True) == replace(
        own, solve=CONTROL.solve + Decimal("0.1")
    )
    assert apart(own, control, "turns", effect, solves=False) == replace(own, turns=17)
    assert apart(own, control, "time", effect, solves=False) == replace(
        own, time=replace(own.time, median=CONTROL.time.median * Decimal("0.85"))
    )
    assert apart(own, control, "tokens", effect, solves=False) is None


def test_a_lost_task_of_a_draw_hides_no_spread() -> None:
    """Among hundreds of drawn tasks some trial runs out of retries; the spread of all others is still there."""
    alike = {arm: replace(each, harness_failure=Decimal("0.5")) for arm, each in ALIKE.items()}
    found = differences(stage(small(tasks=300)), alike, "relative_cost", seed=1)
    assert found is not None
    assert 200 < len(found) < 300


def test_differences_are_those_of_the_endpoint() -> None:
    found = differences(stage(small(tasks=5)), ALIKE, "cost", seed=1)
    assert found is not None
    assert len(found) == 5
    assert all(isinstance(each, Fraction) for each in found)
