"""The next run is sized by the registered formula, and not at all where the spread is unknown."""

from dataclasses import replace

import pytest

from analyzer.verdict import Shown
from compiler.plan import AnalysisPlan
from tests.analyzer.runs import Shot, cheaper, judged, lines_of, plan_of


def sized(plan: AnalysisPlan, shots: object = cheaper) -> dict[str, Shown]:
    return dict(judged(plan, lines_of(plan, shots)).sizing)  # type: ignore[arg-type]


def spread(task: str, arm: str, seed: int) -> Shot:
    """Relative changes of -25 % and +25 % in turn: sigma is 0.25 · sqrt(20/19)."""
    change = 25 if int(task[1:]) % 2 else -25
    return Shot(cost=f"{(100 + change * (arm == 'neuralmind')) / 100:.2f}")


def test_the_spread_of_a_pilot_sizes_the_next_run() -> None:
    found = sized(plan_of(), spread)
    assert found["sigma"] == pytest.approx(0.25 * (20 / 19) ** 0.5)
    assert found["n"] == 19
    assert found["floor"] == 5
    assert (found["effect"], found["alpha"], found["power"]) == (0.15, 0.05, 0.8)


def test_an_effect_may_carry_its_unit() -> None:
    plan = plan_of()
    asked = {**plan.sample_size["next"], "effect": "15 %"}  # type: ignore[dict-item]
    assert sized(replace(plan, sample_size={"rationale": "pilot", "next": asked}), spread)["n"] == 19


def test_nothing_is_sized_that_was_not_registered() -> None:
    assert sized(plan_of(sample_size={"rationale": "budget"})) == {}


@pytest.mark.parametrize(
    ("tasks", "cost", "reason"),
    [
        (1, "0.5", "no spread"),
        (3, "0.5", "a spread of nothing"),
        (3, None, "is unknown on some tasks"),
    ],
)
def test_without_a_spread_there_is_no_number(tasks: int, cost: str | None, reason: str) -> None:
    found = sized(plan_of(tasks=tasks), lambda task, arm, seed: Shot(cost=cost if arm == "neuralmind" else "1"))
    assert found["n"] is None
    assert reason in str(found["reason"])
