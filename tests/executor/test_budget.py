"""The guard: whatever happens, what may have been spent never passes the registered total."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.plan import RunPlan
from executor.budget import affordable, arm_limits, committed
from executor.history import History
from executor.progress import counted
from ledger.records import Claimed, Infrastructure, Outcome
from tests.executor.worlds import world

STEPS = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from(["claim", "known", "unknown", "lost"]), st.integers(0, 200)),
    max_size=60,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RunPlan:
    return world(tmp_path_factory.mktemp("budget"), tasks=6, budget_usd=Decimal(9)).plan


@given(steps=STEPS)
def test_the_total_is_never_passed(made: RunPlan, steps: list[tuple[int, str, int]]) -> None:
    limits = arm_limits(made)
    history = History.read(made, ())
    for number, what, cents in steps:
        trial = made.trials[number - 1]
        attempt = history.attempts[trial.id]
        running = (trial.id, attempt) in history.open
        if what == "claim" and not running and not history.settled(trial.id):
            if affordable(made, history, limits, trial.arm):
                history.add(
                    Claimed(trial=trial.id, attempt=attempt + 1, task=trial.task, arm=trial.arm, seed=1, machine="m")
                )
        elif running and what in ("known", "unknown"):
            cost = str(Decimal(cents) / 100) if what == "known" else None
            history.add(
                Outcome(
                    trial=trial.id, attempt=attempt, task=trial.task, arm=trial.arm, seed=1,
                    verdict="fail", ended="finished", measures={"cost": cost},
                )
            )  # fmt: skip
        elif running and what == "lost":
            history.add(Infrastructure(trial=trial.id, attempt=attempt, rule="lost", step="executor", detail=""))
        assert committed(history, limits) <= Decimal(9)
    seen = counted(made, history)
    assert seen.remaining >= seen.running
    assert seen.spent <= 9


def test_without_a_budget_nothing_is_guarded(tmp_path: Path) -> None:
    free = world(tmp_path).plan
    assert arm_limits(free) == {}
    assert affordable(free, History.read(free, ()), {}, "base")
