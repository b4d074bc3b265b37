"""Versions: an arm's programs are its own, what a task's environment holds belongs to the arm and that environment."""

from dataclasses import replace
from pathlib import Path

from compiler.plan import Chosen
from executor.history import History
from ledger.records import Outcome
from tests.executor.worlds import world


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
    assert history.earlier(more) == {}
