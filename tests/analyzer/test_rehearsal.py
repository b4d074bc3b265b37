"""Rehearsals: simulated ledgers go through the code that judges, come out alike anywhere, and obey the laws of power."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from math import sqrt

import pytest

from analyzer.characteristics import scenario
from analyzer.frame import frame
from analyzer.rehearsal import Played, play, resized
from analyzer.simulated_ledger import ledger, stage
from compiler.operating import decode, encode
from compiler.plan import AnalysisPlan, Chosen, EndpointPlan, MissingPlan
from compiler.simulation import Lognormal, Profile
from compiler.worlds import Assumed, World, worlds
from ledger.records import Closed, Infrastructure, Outcome
from tests.analyzer.runs import plan_of

CONTROL = Profile(
    solve=Decimal("0.8"),
    cost=Lognormal(median=Decimal("0.4"), spread=Decimal("0.3")),
    harness_failure=Decimal("0.05"),
    timeout=Decimal("0.02"),
)
CHEAPER = replace(CONTROL, cost=Lognormal(median=Decimal("0.3"), spread=Decimal("0.3")))
ALIKE = {"baseline": CONTROL, "neuralmind": CONTROL}
BETTER = {"baseline": CONTROL, "neuralmind": CHEAPER}
NAMES = ("cost", "solved", "relative_cost")


def small(tasks: int = 8, seeds: int = 1, **changes: object) -> AnalysisPlan:
    plan = plan_of(tasks=tasks, seeds=seeds, **changes)
    return resized(replace(plan, endpoints=tuple(each for each in plan.endpoints if each.name in NAMES)), 200)


def played(plan: AnalysisPlan, profiles: Mapping[str, Profile], times: int, seed: int = 1) -> list[Played]:
    ready = stage(plan)
    return [play(ready, profiles, seed=seed, experiment=number) for number in range(times)]


def supported(results: list[Played]) -> float:
    return sum(each.status == "supported" for each in results) / len(results)


def test_an_experiment_is_what_it_is_whatever_ran_before() -> None:
    plan = small()
    alone = play(stage(plan), BETTER, seed=3, experiment=5)
    assert played(plan, BETTER, 6, seed=3)[5] == alone
    assert play(stage(plan), BETTER, seed=4, experiment=5) != alone


def test_what_nothing_reads_changes_nothing() -> None:
    told = {arm: replace(each, turns=18, tool_calls=30) for arm, each in BETTER.items()}
    assert played(small(), told, 5) == played(small(), BETTER, 5)


def test_the_ledger_holds_every_attempt() -> None:
    plan = small(tasks=20, seeds=3)
    ready = stage(plan)
    lines = ledger(ready, dict.fromkeys(ALIKE, replace(CONTROL, harness_failure=Decimal("0.4"))), 1)
    framed = frame(plan, lines, ready.trials)
    assert framed.closed
    assert framed.simulated
    records = [line.record for line in lines]
    lost = [each for each in records if isinstance(each, Infrastructure)]
    assert {each.rule for each in lost} == {"harness_failure"}
    assert sum(isinstance(each, Outcome) for each in records) + len(framed.gathered.closed.gaps) == 120  # type: ignore[union-attr]
    assert 0.3 < len(lost) / (len(lost) + 120) < 0.5


def test_retries_that_run_out_leave_a_gap_and_no_verdict() -> None:
    plan = small()
    profiles = dict.fromkeys(ALIKE, replace(CONTROL, harness_failure=Decimal(1)))
    closed = ledger(stage(plan), profiles, 1)[-1].record
    assert isinstance(closed, Closed)
    assert set(closed.gaps.values()) == {"harness_failure"}
    assert len(closed.gaps) == 16
    assert closed.attempts == 16 * 6
    assert {each.status for each in played(plan, profiles, 3)} == {"no_verdict"}


def test_an_excluding_rule_is_followed() -> None:
    rules = (MissingPlan(rule="lost", when="not result_event", exclude="pair"),)
    plan = small(missing=rules)
    assert {each.status for each in played(plan, dict.fromkeys(ALIKE, replace(CONTROL, timeout=Decimal(1))), 2)} == {
        "no_verdict"
    }


def test_money_is_counted_with_the_lost_attempts() -> None:
    found = play(stage(small()), ALIKE, seed=1, experiment=0)
    assert found.attempts >= 16
    assert found.known_usd > 0
    assert found.most_usd == pytest.approx(found.known_usd + 2 * found.unknown)


def test_what_nobody_assumed_is_unknown() -> None:
    silent = {arm: replace(each, cost=None) for arm, each in ALIKE.items()}
    found = play(stage(small()), silent, seed=1, experiment=0)
    assert found.status == "no_verdict"
    assert found.blank == {"cost", "relative_cost"}
    assert found.holds == (None, None, True)


def test_a_null_world_is_rarely_supported() -> None:
    """Alpha is 5 % one-sided; the rate may exceed it by three Monte Carlo errors at most."""
    times = 400
    rate = supported(played(small(), ALIKE, times))
    assert rate <= 0.05 + 3 * sqrt(0.05 * 0.95 / times)


def test_more_tasks_or_a_larger_effect_do_not_cost_power() -> None:
    times = 150
    error = sqrt(0.25 / times)
    few, many = (supported(played(small(tasks=tasks), BETTER, times)) for tasks in (8, 16))
    assert many >= few - 3 * error
    much = {"baseline": CONTROL, "neuralmind": replace(CHEAPER, cost=Lognormal(median=Decimal("0.2")))}
    assert supported(played(small(), much, times)) >= few
    assert few > supported(played(small(), ALIKE, times))


def world(profiles: Mapping[str, Profile]) -> World:
    return World(name="one", kind="assumed", claim=True, says="", profiles=profiles)


def test_characteristics_are_counts_of_what_was_played() -> None:
    plan = small(tasks=10)
    results = played(plan, BETTER, 60)
    found = scenario(plan, world(BETTER), results)
    assert found.supported.count + found.not_supported.count + found.no_verdict.count == 60
    assert [each.text for each in found.conditions] == list(plan.decision.supported_when)
    assert all(each.holds + each.fails + each.unknown == 60 for each in found.conditions)
    by = {each.endpoint: each for each in found.coverage}
    assert set(by) == {"solved", "relative_cost"}
    relative = by["relative_cost"]
    assert relative.truth is not None
    assert relative.truth_error is not None
    assert abs(float(relative.truth) + 0.25) < 4 * float(relative.truth_error)
    assert relative.covered.rate is not None
    assert relative.covered.rate > Decimal("0.8")
    assert relative.covered.count + relative.below + relative.above == relative.covered.of == 60


def test_a_truth_of_a_share_and_of_an_arm() -> None:
    arm = EndpointPlan(
        name="rate",
        role="secondary",
        unit="share",
        per_arm="share(solved)",
        interval=Chosen(kind="wilson", options={"level": "0.95"}),
    )
    plan = small()
    plan = replace(plan, endpoints=(*plan.endpoints, arm))
    found = scenario(plan, world(ALIKE), played(plan, ALIKE, 80))
    arms = {each.arm: each for each in found.coverage if each.endpoint == "rate"}
    assert set(arms) == {"baseline", "neuralmind"}
    assert all(abs(float(each.truth or 0) - 0.784) < 0.06 for each in arms.values())
    assert all((each.covered.rate or 0) > Decimal("0.85") for each in arms.values())


def test_all_worlds_of_a_design_can_be_played() -> None:
    assumed = Assumed(profiles=BETTER, control="baseline", treatment="neuralmind")
    plan = small(tasks=6)
    for each in worlds(assumed):
        found = scenario(plan, each, played(plan, each.profiles, 3))
        assert found.experiments == 3
        assert found.claim is each.claim


def test_a_simulation_is_read_back() -> None:
    from tests.compiler.test_design import simulation

    plan = small(tasks=6)
    made = simulation(scenarios=(scenario(plan, world(BETTER), played(plan, BETTER, 4)),))
    assert decode(encode(made)) == made
