"""The task evals for real: every task is proved by its gate, the reference solves all, doing nothing solves none."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from compiler.pool_file import read as read_pool
from executor.trees import leaves
from ledger.blobs import Blobs
from ledger.canonical import digest
from ledger.chain import verify
from ledger.records import Outcome
from prereg import api
from prereg.cli import main
from tests.e2e.needed import lacking
from tests.needs import require

EVALS = Path(__file__).parents[2] / "specs" / "task-evals"
TASKS = sorted(each.name for each in (EVALS / "tasks").iterdir())


def quick(text: str) -> str:
    """The spec with one harvest instead of two."""
    assert "stability: {harvests: 2}" in text
    return text.replace("stability: {harvests: 2}", "stability: {harvests: 1}")


def practice(text: str) -> str:
    """The spec with practice solvers in place of the agent and its arms; the tasks stay as they are, and so does the pool."""
    head, _, rest = quick(text).partition("\nagent:\n")
    _, _, rest = rest.partition("\ntrials:")
    rest = rest.partition("\n")[2].replace("notes - baseline", "reference - idle").replace("solved.large.", "solved.")
    rest = rest.replace("    - solved.small.estimate >= 5 pp\n", "")
    # They differ on every task by the same, in which no resampling sees a spread; of yes and no there is an interval all the same.
    rest = rest.replace("    per_task: mean\n", "    per_task: only\n")
    rest = re.sub(r"interval: \{kind: bootstrap-bca[^}]*\}", "interval: {kind: newcombe-paired, level: 0.95}", rest)
    solvers = """
agent: {kind: reference, limits: {time: 5 min}}
arms:
  idle: {agent: {kind: noop}}
  reference: {}
single_difference: agent
trials: {seeds: 1, order: {kind: alternate}, concurrency: 2}
"""
    return head + "\n" + solvers + rest


@pytest.fixture(scope="module")
def evals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment of the practice solvers: harvested, compiled, carried out as run ``practice``."""
    for task in TASKS:
        require(lacking(EVALS / "tasks" / task))
    root = tmp_path_factory.mktemp("evals") / "evals"
    shutil.copytree(EVALS, root, ignore=shutil.ignore_patterns("pool", "registry", "runs"))
    (root / "spec.yaml").write_text(practice((EVALS / "spec.yaml").read_text("utf-8")), "utf-8")
    harvested = api.harvest(root / "spec.yaml")
    dropped = {each.id: each.reasons for each in harvested.pool.candidates if each.status == "dropped"}
    assert dropped == {}
    api.compile_(root / "spec.yaml")
    api.execute(root, "practice")
    return root


def outcomes(root: Path) -> list[Outcome]:
    run = root / "runs" / "practice"
    registration = next((root / "registry").iterdir()) / "registration.json"
    lines = verify((run / "ledger.jsonl").read_bytes().splitlines(), digest(registration.read_bytes()))
    return [line.record for line in lines if isinstance(line.record, Outcome)]


@pytest.mark.slow
def test_the_reference_solves_every_task_and_doing_nothing_none(evals: Path) -> None:
    found = {(each.arm, each.task): each.verdict for each in outcomes(evals)}
    wanted = {("reference", task): "pass" for task in TASKS} | {("idle", task): "fail" for task in TASKS}
    assert found == wanted
    assert len(TASKS) >= 24


@pytest.mark.slow
def test_the_output_of_every_check_is_kept(evals: Path) -> None:
    blobs = Blobs(evals / "runs" / "practice" / "blobs")
    for each in outcomes(evals):
        assert each.checks
        for name in each.checks:
            assert blobs.get(each.blobs[f"{name}.detail"])
            if name.startswith("command_"):
                assert {f"{name}.stdout", f"{name}.stderr"} <= set(each.blobs)


@pytest.mark.slow
def test_the_run_is_judged_and_audited(evals: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = str(evals / "runs" / "practice")
    assert main(["analyze", run, "--json"]) == 0
    judged: Any = json.loads(capfd.readouterr().out)
    assert (judged["status"], judged["simulated"]) == ("supported", True)
    assert main(["audit", run, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["status"] == "verified"


@pytest.mark.slow
def test_the_simulated_experiment_compiles_over_the_same_pool(evals: Path, tmp_path: Path) -> None:
    shutil.copytree(evals / "pool", tmp_path / "pool")
    shutil.copy(EVALS / "notes.md", tmp_path / "notes.md")
    (tmp_path / "spec.yaml").write_text(quick((EVALS / "spec.yaml").read_text("utf-8")), "utf-8")
    locked = api.compile_(tmp_path / "spec.yaml")
    plan = locked.compiled.plan
    assert len(plan.run.trials) == 24 * 2 * 2 * 3
    assert plan.run.oracles["evals/bugfix-pagination"].passes == ("command_1.ok", "command_2.ok")
    limits = next(each.limits for each in plan.run.tasks if each.id == "explain-throttle")
    assert limits is not None
    assert (str(limits.time_s), str(limits.cost_usd)) == ("300", "0.5")


@pytest.mark.slow
def test_nothing_held_out_is_given(evals: Path) -> None:
    blobs = Blobs(evals / "pool" / "blobs")
    pool = read_pool((evals / "pool" / "candidates.jsonl").read_bytes(), where="pool")
    for each in pool.candidates:
        assert each.material is not None
        given = {leaf.path for leaf in leaves(blobs.get(each.material.given))}
        held_out = {leaf.path for leaf in leaves(blobs.get(each.material.held_out))}
        assert held_out
        assert not given & held_out
        assert not any(path.startswith("checks/") or "solution." in path for path in given)
