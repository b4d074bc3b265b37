"""Cost per correct task from the spec to the audit: judged by people, every attempt in the sum, decided on unseen tasks alone."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.canonical import canonical
from prereg import api
from prereg.cli import main
from tests.prereg.test_forging import read
from tests.prereg.test_judging import bytes_of

SPEC = Path(__file__).parents[2] / "specs" / "cost-per-correct-task"
DEVELOPMENT = sorted(each.name for each in (SPEC / "tasks").iterdir())
UNSEEN = sorted(each.name for each in (SPEC / "unseen").iterdir())
Said = Callable[..., tuple[int, Any]]


def lay(root: Path, development: list[str]) -> Path:
    """The experiment in a folder, with these of its development tasks."""
    shutil.copytree(SPEC, root, ignore=shutil.ignore_patterns("pool", "registry", "runs"))
    for name in set(DEVELOPMENT) - set(development):
        shutil.rmtree(root / "tasks" / name)
    kept = [
        line
        for line in (SPEC / "judgments.yaml").read_text("utf-8").splitlines(keepends=True)
        if not (found := re.search(r"trial: ([a-z-]+)/", line)) or found[1] in {*development, *UNSEEN}
    ]
    (root / "judgments.yaml").write_text("".join(kept), "utf-8")
    return root


def carry_out(root: Path) -> Path:
    """Harvest, compile and execute; gives the closed run."""
    dropped = {each.id: each.reasons for each in api.harvest(root).pool.candidates if each.status == "dropped"}
    assert dropped == {}
    api.compile_(root / "spec.yaml")
    api.execute(root, "one")
    return root / "runs" / "one"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment with two of its development tasks, carried out; nobody has judged."""
    root = lay(tmp_path_factory.mktemp("cost") / "cost", ["delivery", "mcp"])
    carry_out(root)
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(made, tmp_path / "cost")
    return tmp_path / "cost"


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Said:
    """Call the command line with ``--json``; gives exit code and document."""

    def call(*arguments: str | Path) -> tuple[int, Any]:
        capfd.readouterr()
        code = main([*map(str, arguments), "--json"])
        return code, json.loads(capfd.readouterr().out)

    return call


def test_judged_trials_decide_and_everything_is_derived_again(root: Path, said: Said) -> None:
    run = root / "runs" / "one"
    code, judged = said("judge", run, "--file", root / "judgments.yaml")
    assert (code, len(judged["recorded"]), judged["unjudged"]) == (0, 16, [])
    code, verdict = said("analyze", run)
    assert (code, verdict["status"], verdict["simulated"], verdict["stage"]) == (0, "supported", True, "exploratory")
    found = verdict["endpoints"]
    # 0.1491 USD over five correct trials (the sixth does half of what was asked, also when sent back), 0.0911 USD over six.
    assert found["spend"]["arms"] == pytest.approx({"baseline": 0.1491, "discovery": 0.0911})
    assert found["cost_per_correct"]["arms"] == pytest.approx({"baseline": 0.1491 / 5, "discovery": 0.0911 / 6})
    assert found["wrong"]["arms"] == {"baseline": 1, "discovery": 0}
    assert found["repairs"]["arms"] == {"baseline": 2, "discovery": 0}, "one that helped, and one that did not"
    assert found["unknown_billing"]["arms"] == {"baseline": 0, "discovery": 0}
    assert found["cost_per_correct"]["n"] == len(UNSEEN), "development tasks decide nothing"
    assert any(each.startswith("2 of 8 tasks for development: they decide nothing") for each in verdict["warnings"])
    report = (run / "report.md").read_text("utf-8")
    for words in (
        "What was used, and what is missing",
        "What people judged",
        "The cache was meant to be: warm",
        "UNSEEN",
    ):
        assert words.lower() in report.lower()
    assert "rounds up to the next full hundred" not in (run / "ledger.jsonl").read_text("utf-8"), "no answer in a line"
    code, audited = said("audit", run)
    assert (code, audited["status"]) == (0, "verified"), audited


def test_nobody_judged_so_nothing_is_claimed_and_all_of_it_is_counted(root: Path, said: Said) -> None:
    run = root / "runs" / "one"
    code, verdict = said("analyze", run)
    assert (code, verdict["status"]) == (0, "no_verdict")
    found = verdict["endpoints"]["cost_per_correct"]
    assert found["arms"] == {"baseline": None, "discovery": None}
    assert found["reasons"]["discovery"] == "correct is unknown on 6 of 6 trials"
    assert found["reasons"]["baseline"] == "correct is unknown on 5 of 6 trials", "what fails its checks is not correct"
    assert verdict["endpoints"]["unjudged"]["arms"] == {"baseline": 6, "discovery": 6}
    assert any("nobody judged them" in each for each in verdict["warnings"])


def test_a_blind_template_is_filled_in_and_decides_the_same(root: Path, said: Said, tmp_path: Path) -> None:
    run = root / "runs" / "one"
    _, blind = said("judge", run, "--template", "--blind")
    assert "discovery" not in blind["template"]
    filled = blind["template"].replace('who: ""', "who: reviewer").replace("unjudged}", "success}")
    (tmp_path / "blind.yaml").write_text(filled)
    assert said("judge", run, "--file", tmp_path / "blind.yaml")[0] == 0
    _, verdict = said("analyze", run)
    # Judged a success, and its checks fail: it is not correct, and the report points it out.
    assert verdict["endpoints"]["cost_per_correct"]["arms"]["baseline"] == pytest.approx(0.1491 / 5)
    assert any("checks and people disagree on 1 trial" in each for each in verdict["warnings"])
    assert "| pace/baseline/1 | fail | success | reviewer |" in (run / "report.md").read_text("utf-8")


def test_a_run_that_is_carried_on_touches_no_judgment(root: Path, said: Said) -> None:
    run = root / "runs" / "one"
    assert said("judge", run, "--file", root / "judgments.yaml")[0] == 0
    before = bytes_of(run)
    api.execute(root, "one")
    assert bytes_of(run) == before


@pytest.mark.parametrize("how", ["forged", "removed", "evidence"])
def test_a_judgment_that_was_changed_is_refused(root: Path, said: Said, how: str) -> None:
    run = root / "runs" / "one"
    said("judge", run, "--file", root / "judgments.yaml")
    said("analyze", run)
    lines = read(run)
    place = next(n for n, each in enumerate(lines) if each["kind"] == "judgment" and each["judgment"] == "failure")
    if how == "evidence":
        blob = run / "blobs" / lines[place]["evidence"].removeprefix("sha256:")
        blob.chmod(0o644)
        blob.write_bytes(b"It was fine.\n")
        assert said("audit", run)[0] == 4
        return
    if how == "forged":
        lines[place] |= {"judgment": "success"}
    else:
        del lines[place]
    (run / "ledger.jsonl").write_bytes(b"".join(canonical(each) + b"\n" for each in lines))
    for verb in ("analyze", "report", "audit", "judge"):
        assert said(verb, run)[0] == 4, verb


def test_the_second_arm_differs_in_one_flag_and_the_first_turns_from_pair_to_pair(root: Path) -> None:
    plan = json.loads(next((root / "registry").iterdir()).joinpath("plan.json").read_text())
    arms = {each["name"]: each for each in plan["run"]["arms"]}
    assert arms["baseline"] == {**arms["discovery"], "name": "baseline", "flags": []}
    assert arms["baseline"]["agent"]["limits"] == arms["discovery"]["agent"]["limits"]
    trials = [(each["task"], each["arm"]) for each in plan["run"]["trials"]]
    first = [arm for (task, arm), (before, _) in zip(trials[::2], trials[1::2], strict=True) if task == before]
    assert first == ["baseline", "discovery"] * 4
    assert plan["analysis"]["cache"]["intended"] == "warm"
    assert "intended" not in json.dumps(plan["run"]), "what is intended is not for who carries out"


def test_a_development_task_among_the_unseen_is_refused_under_another_name(root: Path, said: Said) -> None:
    shutil.copytree(root / "tasks" / "delivery", root / "unseen" / "parcels-again")
    task = root / "unseen" / "parcels-again" / "task.yaml"
    task.write_text(task.read_text("utf-8").replace("id: delivery", "id: parcels-again"), "utf-8")
    said("harvest", root)
    code, refused = said("amend", root, "--reason", "one more unseen task")
    assert (code, [each["code"] for each in refused["reasons"]]) == (1, ["P359"])
    assert "`parcels-again` of `unseen` is `delivery` of `development`" in refused["reasons"][0]["what"]


def test_the_development_set_alone_decides_nothing(root: Path, said: Said) -> None:
    spec = root / "spec.yaml"
    text = spec.read_text("utf-8")
    spec.write_text(text.replace("tasks: [unseen]", "tasks: [development]"), "utf-8")
    code, refused = said("check", spec)
    assert (code, [each["code"] for each in refused["reasons"]]) == (1, ["P350"])


@pytest.mark.slow
def test_the_whole_experiment_as_it_ships(tmp_path: Path, said: Said) -> None:
    run = carry_out(lay(tmp_path / "cost", DEVELOPMENT))
    outcomes = {each["trial"]: each["verdict"] for each in read(run) if each["kind"] == "outcome"}
    assert {trial for trial, verdict in outcomes.items() if verdict != "pass"} == {"pace/baseline/1"}
    assert len(outcomes) == 2 * (12 + 6)
    assert said("judge", run, "--file", tmp_path / "cost" / "judgments.yaml")[0] == 0
    assert said("analyze", run)[1]["status"] == "supported"
    assert said("audit", run)[1]["status"] == "verified"
