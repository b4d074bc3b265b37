"""A folder of tasks from the command line: validating single tasks, and what an author sees who wrote one wrongly."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.executor.sources.task_folders import TASK, lay_task
from tests.prereg.conftest import Call

SPEC = """\
prereg: 1
id: small-evals
stage: pilot
question: Does the reference solve what doing nothing does not?
foreknowledge: {access: nothing-run, statement: Nothing has run.}
tasks:
  evals:
    source: {kind: folder, path: tasks}
    where: ['category in ["bugfix", "explain"]', 'count(requires) <= 2']
    stability: {harvests: 1}
    draw: {sort: id}
    oracle: {from: task}
agent: {kind: reference, limits: {time: 20 min, cost: 2 USD}}
arms:
  idle: {agent: {kind: noop}}
  reference: {}
single_difference: agent
trials: {seeds: 1, order: {kind: alternate}}
sandbox: {kind: local}
measures: {solved: verdict == "pass"}
missing:
  rules:
    - {rule: skipped, when: verdict == "skipped", exclude: pair}
endpoints:
  solved: {role: primary, measure: solved, per_task: only, compare: reference - idle, statistic: mean}
decision:
  claim: The reference solves more
  supported_when: [solved.estimate > 0 pp]
  wording: {supported: it does, not_supported: it does not, no_verdict: nobody knows}
sample_size: {rationale: all-available}
threats: [none of this is evidence]
does_not_show: Anything about an agent.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An experiment with two good tasks: ``add`` by a change, ``ask`` by an answer."""
    root = tmp_path / "evals"
    lay_task(root, "add")
    checks = [{"kind": "answer-contains", "pattern": "four", "ignoreCase": True}]
    ask = lay_task(root, "ask", {**TASK, "category": "explain", "checks": checks, "hidden": []}, as_json=True)
    shutil.rmtree(ask / "hidden")
    (ask / "solution.patch").unlink()
    (ask / "solution.answer.md").write_text("It is Four.\n")
    (root / "spec.yaml").write_text(SPEC)
    return root


def test_a_task_is_validated_before_there_is_a_pool(root: Path, call: Call) -> None:
    said = call("validate", root, "--tasks", "add", "--tasks", "ask", "--json")
    assert said.code == 0, said.out
    assert (said.json["tasks"], said.json["as_in_pool"]) == (["add", "ask"], False)
    assert "no pool was looked at" in call("validate", root, "--tasks", "ask").out
    assert not (root / "pool").exists()


def test_from_tasks_to_a_verdict(root: Path, call: Call) -> None:
    for verb in ("harvest", "compile", "validate"):
        said = call(verb, root, "--json")
        assert said.code == 0, (verb, said.out)
    assert call("execute", root, "--run", "one", "--json").code == 0
    said = call("analyze", root / "runs" / "one", "--json")
    assert (said.code, said.json["status"]) == (0, "supported"), said.out
    plan = json.loads(next((root / "registry").iterdir()).joinpath("plan.json").read_bytes())
    assert plan["run"]["oracles"]["evals/ask"]["passes"] == ["answer_contains_1.ok"]
    assert (
        plan["run"]["tasks"][0]["limits"]
        == plan["analysis"]["tasks"][0]["limits"]
        == {"cost_usd": "0.5", "time_s": "600"}
    )


def test_a_program_that_goes_missing_skips_the_task(root: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for verb in ("harvest", "compile"):
        assert call(verb, root, "--json").code == 0
    monkeypatch.setattr("executor.trial.absent", lambda required, environment: tuple(required))
    assert call("execute", root, "--run", "one", "--json").code == 0
    lines = [json.loads(line) for line in (root / "runs" / "one" / "ledger.jsonl").read_bytes().splitlines()]
    verdicts = [line["verdict"] for line in lines if line["kind"] == "outcome"]
    assert verdicts == ["skipped"] * 4


def test_a_program_that_is_missing_at_harvest_drops_the_task(root: Path, call: Call) -> None:
    rewrite(root, "add", lambda said: said.update(requires=["sh", "no-such-program"]))
    said = call("harvest", root, "--json")
    assert (said.code, said.json["sets"]["evals"]["dropped"]) == (0, {"requires": 1})
    said = call("tasks", root, "--all")
    assert "requires: a program that the task requires is not on this machine no-such-program" in " ".join(
        said.out.split()
    )


def test_a_tasks_own_limit_counts_in_the_run_and_in_the_analysis(root: Path, call: Call) -> None:
    shutil.rmtree(root / "tasks" / "ask")
    rewrite(root, "add", lambda said: said.update(timeoutMs=1000))
    spec = SPEC.replace("{kind: reference, limits", "{kind: command, run: [sh, -c, sleep 30], limits")
    rule = '{rule: late, when: stop == "timeout" and limits.time == 1 s, value: {solved: "true"}}'
    (root / "spec.yaml").write_text(spec.replace("  rules:\n", f"  rules:\n    - {rule}\n"))
    for verb in ("harvest", "compile"):
        said = call(verb, root, "--json")
        assert said.code == 0, said.out
    assert call("execute", root, "--run", "one", "--json").code == 0
    lines = [json.loads(line) for line in (root / "runs" / "one" / "ledger.jsonl").read_bytes().splitlines()]
    ended = {line["arm"]: line["ended"] for line in lines if line["kind"] == "outcome"}
    assert ended == {"idle": "finished", "reference": "timeout"}
    said = call("analyze", root / "runs" / "one", "--json")
    assert said.json["endpoints"]["solved"]["estimate"] == 1, said.out


# --- wrong tasks ---


def rewrite(root: Path, task: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what a task's file says, which is JSON from now on."""
    folder = root / "tasks" / task
    said: dict[str, Any] = {"id": task, **json.loads(json.dumps(TASK))}
    change(said)
    (folder / "task.yaml").unlink(missing_ok=True)
    (folder / "task.json").write_text(json.dumps(said, indent=2))


def check(number: int, **options: Any) -> Callable[[Path], None]:
    return lambda root: rewrite(root, "add", lambda said: said["checks"].__setitem__(number, options))


def text(old: str, new: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        rewrite(root, "add", lambda said: None)
        file = root / "tasks" / "add" / "task.json"
        written = file.read_text()
        assert old in written
        file.write_text(written.replace(old, new, 1))

    return change


WRONG: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "an unknown kind of check": (
        check(0, kind="comand", run="true"),
        "P204",
        (
            'unknown kind `comand`\n  --> {root}/tasks/add/task.json:15:15\n  15 |       "kind": "comand",\n'
            "     |               ~~~~~~~^\n  hint: nearest: `command`"
        ),
    ),
    "a pattern that does not compile": (
        check(1, kind="file-contains", path="calc.txt", pattern="ceil(4"),
        "P211",
        (
            "missing ), unterminated subpattern\n  --> {root}/tasks/add/task.json:23:23\n"
            '  23 |       "pattern": "ceil(4"\n     |                       ^'
        ),
    ),
    "a key that stands twice": (
        text('"category": "bugfix",', '"category": "bugfix",\n  "category": "debug",'),
        "P115",
        "the key `category` stands twice",
    ),
    "an unknown key": (text('"title"', '"titel"'), "P201", "unknown key `titel`"),
    "not JSON": (text('"title"', "title"), "P215", "not JSON"),
    "another id": (text('"id": "add"', '"id": "sub"'), "P216", "the id `sub` is not the name of its folder, `add`"),
    "no repo": (lambda root: shutil.rmtree(root / "tasks" / "add" / "repo"), "P938", "the task add has no repo/"),
    "no reference": (
        lambda root: (root / "tasks" / "add" / "solution.patch").unlink(),
        "P936",
        "add fails its gate: no-reference: it has neither solution.patch nor solution.answer.md",
    ),
    "a reference that fails": (
        check(1, kind="file-contains", path="calc.txt", pattern="five"),
        "P936",
        "add fails its gate: reference-fails: the reference does not pass file_contains_2: 0 matches of five",
    ),
    "a reference that does not apply": (
        lambda root: (root / "tasks" / "add" / "repo" / "calc.txt").write_text("1 1 3\n"),
        "P936",
        "add fails its gate: reference-fails: the reference does not apply",
    ),
    "doing nothing passes": (
        lambda root: rewrite(root, "add", lambda said: said.update(checks=[{"kind": "command", "run": "true"}])),
        "P936",
        "add fails its gate: noop-passes: doing nothing already passes",
    ),
    "setup that fails": (
        lambda root: rewrite(root, "add", lambda said: said.update(setup=["echo nowhere >&2; false"])),
        "P936",
        "add fails its gate: setup-fails: a setup step fails echo nowhere >&2; false: exit status 1: nowhere",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_task_is_said_with_its_place(root: Path, call: Call, name: str) -> None:
    spoil, code, shown = WRONG[name]
    spoil(root)
    said = call("validate", root, "--tasks", "add")
    assert said.code == 1, said.out + said.err
    assert f"error[{code}]" in said.err
    assert shown.replace("{root}", str(root)) in said.err, said.err
    assert "Traceback" not in said.err


def test_faults_of_shape_stop_a_harvest_and_all_are_said(root: Path, call: Call) -> None:
    check(0, kind="comand", run="true")(root)
    file = root / "tasks" / "ask" / "task.json"
    file.write_text(file.read_text().replace('"title"', '"titel"'))
    said = call("harvest", root, "--json")
    assert (said.code, set(said.codes)) == (1, {"P204", "P201", "P202"})
    assert not (root / "pool" / "candidates.jsonl").exists()


def test_a_task_that_nobody_knows(root: Path, call: Call) -> None:
    said = call("validate", root, "--tasks", "ad", "--json")
    assert (said.code, said.codes) == (1, ["P939"])


def test_no_folder_of_tasks(root: Path, call: Call) -> None:
    shutil.rmtree(root / "tasks")
    said = call("harvest", root, "--json")
    assert (said.code, said.codes) == (3, ["no-folder"])


def test_a_git_history_brings_no_checks(root: Path, call: Call) -> None:
    spec = root / "spec.yaml"
    spec.write_text(SPEC.replace("{from: task}", "{from: nobody}"))
    said = call("check", root)
    assert said.code == 1
    assert "possible: `task`" in said.err + said.out
