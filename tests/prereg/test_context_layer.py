"""System C from its starter: injected defects in two repositories, three arms, to an audited verdict; nothing runs by name order."""

import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from compiler.pool_file import read as read_pool
from compiler.task import Candidate
from prereg.cli import main
from prereg.resources import specs_folder
from prereg.starters import lay
from tests.needs import require
from tests.prereg.conftest import Call
from tests.prereg.test_compile import edit

FEW = ("larder-one-pack-too-many", "larder-salt", "tramline-night-prices")
CATEGORIES = {"single-file", "multi-file", "cross-module", "multi-turn"}


def laid(root: Path, keep: tuple[str, ...] = ()) -> Path:
    """The starter with some of its tasks."""
    require(None if shutil.which("node") else "there is no node")
    lay("context-layer", root)
    for each in (root / "tasks").iterdir():
        if keep and each.name not in keep:
            shutil.rmtree(each)
    return root


def candidates(root: Path) -> tuple[Candidate, ...]:
    return read_pool((root / "pool" / "candidates.jsonl").read_bytes(), where="pool").candidates


def outcomes(run: Path) -> dict[tuple[str, str], str]:
    """The verdict of each (task, arm)."""
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    return {(each["task"], each["arm"]): each["verdict"] for each in lines if each["kind"] == "outcome"}


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks, with a decision that three tasks can reach; harvested, compiled, carried out as ``one``."""
    root = laid(tmp_path_factory.mktemp("context") / "few", FEW)
    edit(root / "spec.yaml", "- solved.discordant >= 6 tasks", "- solved.n >= 2 tasks")
    edit(root / "spec.yaml", "    - solved.p < 0.05\n", "")
    edit(root / "spec.yaml", "    - solved.lower > 0 pp\n", "    - solved.estimate > 0 pp\n")
    edit(root / "spec.yaml", "  floor: 6 tasks\n", "")
    assert main(["harvest", str(root), "--json"]) == 0
    assert main(["compile", str(root), "--json"]) == 0
    assert main(["execute", str(root), "--run", "one", "--json"]) == 0
    return root


@pytest.fixture
def context(few: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(few, tmp_path / "few"))


def test_the_road_from_defects_to_an_audited_verdict(context: Path, call: Call) -> None:
    kept = candidates(context)
    assert {each.id: each.status for each in kept} == dict.fromkeys(FEW, "kept")
    assert {each.category for each in kept} == {"single-file", "multi-file", "multi-turn"}
    run = context / "runs" / "one"
    said = call("analyze", run, "--json")
    assert said.code == 0, said.out
    assert said.json["simulated"] is True
    said = call("audit", run, "--json")
    assert said.code == 0, said.out
    report = (run / "report.md").read_text()
    assert "SIMULATED" in report


def test_turns_and_context_are_registered_and_hash_to_their_names(context: Path, call: Call) -> None:
    plan = json.loads(next(context.glob("registry/*/plan.json")).read_text())
    tasks = {each["id"]: each for each in plan["run"]["tasks"]}
    assert {name: len(each["steps"]) for name, each in tasks.items()} == {FEW[0]: 0, FEW[1]: 1, FEW[2]: 0}
    assert tasks[FEW[0]]["fixture"] == tasks[FEW[1]]["fixture"] != tasks[FEW[2]]["fixture"]
    inputs = next(context.glob("registry/*/inputs"))
    turn = inputs / tasks[FEW[1]]["steps"][0]["say"].removeprefix("sha256:")
    assert b"three people" in turn.read_bytes()
    turn.chmod(0o644)
    turn.write_bytes(b"Solve it.")
    assert call("audit", context / "runs" / "one", "--json").code == 4


def test_context_that_holds_an_answer_is_refused_at_its_line(context: Path, call: Call) -> None:
    guide = context / "larder.md"
    lines = guide.read_text().count("\n") + 1
    guide.write_text(guide.read_text() + "- The list buys -(-amount.count // pack.size.count) packs.\n")
    shutil.rmtree(context / "registry")
    for each in FEW[1:]:
        shutil.rmtree(context / "tasks" / each)
    assert call("harvest", context).code == 0
    said = call("compile", context)
    assert said.code == 1
    assert "error[P389]" in said.err
    assert f"larder.md:{lines}:" in said.err


def test_temporary_folders_behind_links_change_no_outcome(
    context: Path, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A path that is another one once it is resolved must not keep a test file from being found.
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "here").symlink_to(context)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))
    monkeypatch.setenv("PREREG_CACHE", str(tmp_path / "link" / "cache"))
    assert call("execute", tmp_path / "here", "--run", "two", "--json").code == 0
    assert outcomes(context / "runs" / "two") == outcomes(context / "runs" / "one")
    assert set(outcomes(context / "runs" / "one").values()) == {"pass", "fail"}


def test_no_verb_chooses_a_run_by_itself(context: Path, call: Call) -> None:
    # Runs named so that their order of names and of time differ: a verb that chose one would choose wrongly for somebody.
    shutil.copytree(context / "runs" / "one", context / "runs" / "aaa")
    for verb in ("analyze", "audit"):
        for folder in (context, context / "runs"):
            said = call(verb, folder, "--json")
            assert (said.code, said.codes) == (2, ["usage"]), (verb, folder)
    assert call("execute", context).code == 2


def test_the_design_for_a_real_agent_stands_and_its_arms_differ_in_one_thing(call: Call) -> None:
    said = call("check", specs_folder() / "context-layer" / "claude.yaml", "--json")
    assert said.code == 0, said.out
    assert said.json["warnings"] == []


def test_the_server_hands_out_the_words_of_the_file(context: Path) -> None:
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "shared_context", "arguments": {}}},
        {"id": 4, "method": "tools/call", "params": {"name": "another"}},
        {"id": 5, "method": "resources/list"},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked)
    for repository in ("larder", "tramline", "."):
        call = ["node", str(context / "context.mjs")]
        done = subprocess.run(
            call, input=lines, capture_output=True, check=True, text=True, cwd=context / repository, timeout=60
        )
        answers = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
        assert answers.keys() == {1, 2, 3, 4, 5}
        assert [tool["name"] for tool in answers[2]["result"]["tools"]] == ["shared_context"]
        guide = context / f"{repository}.md"
        words = guide.read_text() if guide.is_file() else "Nothing is known of this repository."
        assert answers[3]["result"]["content"] == [{"type": "text", "text": words}]
        assert "error" in answers[4]
        assert "error" in answers[5]


SOLVERS = """\
prereg: 1
id: solvers
stage: exploratory
question: Does reversing the defect solve what doing nothing does not?
foreknowledge: {access: nothing-run, statement: Nothing has run.}
TASKS
agent: {kind: reference, limits: {time: 20 min, cost: 2 USD}}
arms:
  idle: {agent: {kind: noop}}
  reference: {}
single_difference: agent
trials: {seeds: 1, order: {kind: alternate}, concurrency: 2}
measures: {solved: verdict == "pass"}
endpoints:
  solved: {role: primary, measure: solved, per_task: only, compare: reference - idle, statistic: mean}
decision:
  claim: The reference solves more
  supported_when: [solved.estimate > 99 pp]
  wording: {supported: it does, not_supported: it does not, no_verdict: nobody knows}
sample_size: {rationale: all-available}
threats: [none of this is evidence]
does_not_show: Anything about an agent.
"""


@pytest.mark.slow
def test_every_defect_passes_its_gate_and_is_solved_by_its_reverse_alone(tmp_path: Path, call: Call) -> None:
    root = laid(tmp_path / "all")
    for design in ("spec.yaml", "claude.yaml"):  # once: the solvers below repeat both sides of every gate
        edit(root / design, "stability: {harvests: 2}", "stability: {harvests: 1}")
    said = call("harvest", root, "--json")
    assert said.code == 0, said.out
    kept = candidates(root)
    assert [each.id for each in kept if each.status != "kept"] == []
    assert len(kept) >= 12
    found = Counter(each.category for each in kept)
    assert set(found) == CATEGORIES
    assert min(found.values()) >= 3
    assert {each.facts["repository"] for each in kept} == {"larder", "tramline"}
    assert call("compile", root, "--json").code == 0  # nothing of any defect stands in any prompt or guide
    spec = (root / "spec.yaml").read_text()
    shutil.rmtree(root / "registry")
    (root / "spec.yaml").write_text((root / "claude.yaml").read_text())
    said = call("compile", root, "--json")  # the same pool serves the design for a real agent
    assert said.code == 0, said.out
    assert said.json["trials"] == 4 * len(kept)
    tasks = re.search(r"^tasks:\n.*?^(?=agent:)", spec, re.DOTALL | re.MULTILINE)
    assert tasks is not None
    (root / "spec.yaml").write_text(SOLVERS.replace("TASKS\n", tasks[0]))
    shutil.rmtree(root / "registry")
    assert call("compile", root, "--json").code == 0
    assert call("execute", root, "--run", "solvers", "--json").code == 0
    said = call("analyze", root / "runs" / "solvers", "--json")
    assert said.code == 0, said.out
    verdicts = Counter((arm, verdict) for (_, arm), verdict in outcomes(root / "runs" / "solvers").items())
    assert verdicts == {("reference", "pass"): len(kept), ("idle", "fail"): len(kept)}
