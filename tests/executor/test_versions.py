"""Versions: arms of one agent have its program in one version, and every arm finds the same in a task's environment."""

from dataclasses import replace
from pathlib import Path

from compiler.plan import Chosen
from executor.history import History
from ledger.records import Outcome
from tests.executor.worlds import arm, world


def outcome(trial: str, **versions: str) -> Outcome:
    return Outcome(
        trial=trial,
        attempt=1,
        task=trial.partition("/")[0],
        arm="base",
        seed=1,
        verdict="pass",
        ended="finished",
        measures={},
        reasons={},
        checks={},
        versions=versions,
        blobs={},
        machine="m",
        simulated=True,
    )


def test_task_sets_with_other_environments_are_no_mixed_versions(tmp_path: Path) -> None:
    plan = world(tmp_path, tasks=3).plan
    other = Chosen(kind="venv", options={"install": ["numpy==2.0.0"]})
    plan = replace(plan, tasks=(plan.tasks[0], *(replace(each, environment=other) for each in plan.tasks[1:])))
    first, second, third = (each.id for each in plan.trials if each.arm == "base")
    history = History.read(plan, ())
    history.add(outcome(first, agent="1", environment="a", python="3.11.7"))
    assert history.earlier(first) == {"agent": "1", "environment": "a", "python": "3.11.7"}
    assert history.earlier(second) == {"agent": "1"}
    history.add(outcome(second, agent="1", environment="b", python="3.12.1"))
    assert history.earlier(third) == {"agent": "1", "environment": "b", "python": "3.12.1"}
    (more, *_) = (each.id for each in plan.trials if each.arm == "more")
    # The other arm is driven by the same agent and finds the same environment; what its provider brings is its own.
    assert history.earlier(more) == {"agent": "1", "environment": "a", "python": "3.11.7"}


def test_only_arms_of_one_agent_share_its_version(tmp_path: Path) -> None:
    arms = (
        arm("base", "any", version="1"),
        arm("more", "any", version="2"),
        arm("same", "any", version="1", model="m"),
    )
    plan = world(tmp_path, arms=arms).plan
    history = History.read(plan, ())
    history.add(outcome("t1/base/1", agent="1", guide="g", sandbox="local"))
    assert history.programs("base") == {"agent": "1", "guide": "g", "sandbox": "local"}
    assert history.programs("same") == {"agent": "1", "sandbox": "local"}
    assert history.programs("more") == {}
