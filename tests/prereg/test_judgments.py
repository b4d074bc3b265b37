"""What people judge: recorded once, never overwritten, shown to nobody who must not see it, bound into the chain."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ledger.blobs import Blobs
from ledger.canonical import digest
from ledger.errors import WorldFault
from ledger.store import Ledger
from prereg import api
from prereg.case import Case
from prereg.experiment import run_at
from prereg.judgments import record, standing
from spec_lang.judgments_file import Entry
from tests.prereg.conftest import Call
from tests.prereg.laying import run_by_hand
from tests.prereg.test_compile import edit
from tests.prereg.test_forging import read
from tests.prereg.test_judging import bytes_of


def kinds(run: Path) -> list[str]:
    return [str(each["kind"]) for each in read(run)]


def trials(run: Path) -> list[str]:
    return [str(each["trial"]) for each in read(run) if each["kind"] == "outcome"]


def written(run: Path, text: str) -> Path:
    path = run.parent.parent / "judgments.yaml"
    path.write_text(text)
    return path


def whole(run: Path, *, value: str = "success", **more: str) -> Path:
    """A file that judges every trial."""
    entries: list[dict[str, Any]] = [{"trial": each, "judgment": value, **more} for each in trials(run)]
    return written(run, f"who: Ana\njudgments: {json.dumps(entries)}\n")


def test_a_file_of_judgments_is_recorded_line_by_line(run: Path, call: Call) -> None:
    said = call("judge", run, "--file", whole(run), "--json")
    assert said.code == 0, said.err
    assert (len(said.json["recorded"]), said.json["unchanged"], said.json["unjudged"]) == (16, 0, [])
    assert (said.json["peek"], said.json["after_analysis"]) == (False, False)
    last = read(run)[-1]
    assert (last["kind"], last["judgment"], last["who"], last["evidence"], last["arm_seen"]) == (
        "judgment",
        "success",
        "Ana",
        None,
        None,
    )


def test_the_same_judgment_again_changes_nothing(run: Path, call: Call) -> None:
    path = whole(run)
    assert call("judge", run, "--file", path).code == 0
    before = bytes_of(run)
    said = call("judge", run, "--file", path, "--json")
    assert (said.code, said.json["recorded"], said.json["unchanged"]) == (0, [], 16)
    trial = trials(run)[0]
    assert call("judge", run, trial, "--judgment", "success", "--who", "Ana").code == 0
    assert bytes_of(run) == before


def test_another_judgment_is_refused_without_a_reason_and_kept_beside_with_one(run: Path, call: Call) -> None:
    trial = trials(run)[0]
    assert call("judge", run, trial, "--judgment", "success", "--who", "Ana").code == 0
    before = bytes_of(run)
    for judgment, who in (("failure", "Ana"), ("success", "Ben"), ("unjudged", "Ana")):
        said = call("judge", run, trial, "--judgment", judgment, "--who", who, "--json")
        assert (said.code, said.codes) == (1, ["P942"])
    assert bytes_of(run) == before
    assert call("judge", run, trial, "--judgment", "failure", "--who", "Ben", "--reason", "it edits more").code == 0
    standing = call("judge", run, "--json").json["standing"][trial]
    assert (standing["judgment"], standing["who"], standing["reason"]) == ("failure", "Ben", "it edits more")
    assert [each["judgment"] for each in read(run) if each["kind"] == "judgment"] == ["success", "failure"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--who", "Ben", "--reason", ""], "P207"),
        (["--who", "Ben", "--reason", " "], "P205"),
        (["--who", "Ana\nBen", "--reason", "it edits more"], "P205"),
        (["--who", "Ben\udcff", "--reason", "it edits more"], "P110"),
        (["--who", "Ben", "--reason", "ghp_" + "a1" * 20], "P380"),
    ],
)
def test_the_command_line_is_held_against_the_rules_of_a_file(
    run: Path, call: Call, more: list[str], code: str
) -> None:
    trial = trials(run)[0]
    assert call("judge", run, trial, "--judgment", "success", "--who", "Ana").code == 0
    before = bytes_of(run)
    said = call("judge", run, trial, "--judgment", "failure", *more, "--json")
    assert (said.code, said.codes) == (1, [code])
    if code != "P110":  # what is no text at all has no column
        assert said.json["reasons"][0]["where"].startswith("the command line:1:")
    assert bytes_of(run) == before


def test_another_word_on_whether_the_arm_was_seen_is_a_revision(run: Path, call: Call) -> None:
    one = ("judge", run, trials(run)[0], "--judgment", "success", "--who", "Ana")
    assert call(*one, "--arm-unseen").code == 0
    assert call(*one, "--json").json["unchanged"] == 1
    said = call(*one, "--arm-seen", "--json")
    assert (said.code, said.codes) == (1, ["P942"])
    assert "whether the arm was seen" in said.json["reasons"][0]["what"]
    assert call(*one, "--arm-seen", "--reason", "the answer names a tool").code == 0
    assert [each["arm_seen"] for each in read(run) if each["kind"] == "judgment"] == [False, True]


def test_evidence_that_never_ends_is_not_read(run: Path, call: Call, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for evidence in (tmp_path / "pipe", "/dev/zero", tmp_path):
        entry = {"trial": trials(run)[0], "judgment": "success", "who": "Ana", "evidence": str(evidence)}
        said = call("judge", run, "--file", written(run, json.dumps({"judgments": [entry]}) + "\n"), "--json")
        assert (said.code, said.codes) == (1, ["P943"])


def test_two_who_judge_at_once_overwrite_nothing(run: Path) -> None:
    case, trial = Case(run_at(run)), trials(run)[0]
    assert standing(case).standing == {}
    api.judge_trial(run, Entry(trial=trial, judgment="success", who="Ana"))
    with pytest.raises(WorldFault, match="just now"):
        record(case, (Entry(trial=trial, judgment="failure", who="Ben"),), beside=run)
    assert [each["who"] for each in read(run) if each["kind"] == "judgment"] == ["Ana"]


def test_unjudged_of_a_trial_that_nobody_judged_leaves_it_open(run: Path, call: Call) -> None:
    before = bytes_of(run)
    said = call("judge", run, "--file", whole(run, value="unjudged"), "--json")
    assert (said.code, said.json["left_open"], said.json["recorded"]) == (0, 16, [])
    assert bytes_of(run).keys() == before.keys()
    assert bytes_of(run) == before


def test_evidence_is_kept_apart_and_redacted(run: Path, call: Call, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("Read the diff. The log shows ghp_" + "a1" * 20 + " in passing.\n")
    trial = trials(run)[0]
    said = call("judge", run, trial, "--judgment", "success", "--who", "Ana", "--evidence", notes, "--json")
    assert said.code == 0, said.err
    digest = said.json["recorded"][0]["evidence"]
    kept = Blobs(run / "blobs").get(digest)
    assert kept == b"Read the diff. The log shows [redacted: github token] in passing.\n"
    assert b"Read the diff" not in (run / "ledger.jsonl").read_bytes()
    again = call("judge", run, trial, "--judgment", "success", "--who", "Ana", "--evidence", notes, "--json")
    assert again.json["unchanged"] == 1
    notes.write_text("Something else.\n")
    other = call("judge", run, trial, "--judgment", "success", "--who", "Ana", "--evidence", notes, "--json")
    assert other.codes == ["P942"]


def test_what_is_wrong_with_a_file_is_said_at_its_place_and_nothing_is_recorded(run: Path, call: Call) -> None:
    good, open_run = trials(run)[0], run_by_hand(run.parent.parent, "open", close=False, upto=3)
    path = written(
        run,
        f"who: Ana\njudgments:\n  - {{trial: {good}, judgment: success}}\n  - {{trial: {good}x, judgment: success}}\n"
        f"  - {{trial: {trials(run)[1]}, judgment: success, evidence: nothing.md}}\n",
    )
    before = bytes_of(run)
    said = call("judge", run, "--file", path, "--json")
    assert (said.code, said.codes) == (1, ["P940", "P943"])
    assert said.json["reasons"][0]["where"].endswith("judgments.yaml:4:13")
    assert f"nearest: `{good}`" in said.json["reasons"][0]["hint"]
    assert bytes_of(run) == before
    later = next(each for each in trials(run) if each not in trials(open_run))
    said = call("judge", open_run, later, "--judgment", "success", "--who", "Ana", "--json")
    assert (said.code, said.codes) == (1, ["P941"]), "what cannot be judged asks for no reason to look"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("judgments: [{trial: a/b/1, judgment: success}]\n", "P218"),
        ("who: A\njudgments: [{trial: a/b/1, judgment: good}]\n", "P204"),
        ("who: A\njudgments: [{trial: a/b/1, judgment: success, because: x}]\n", "P201"),
        ("who: A\njudgments: [{trial: a/b/1, judgment: success}\n", "P110"),
        ("who: ghp_" + "a1" * 20 + "\njudgments: []\n", "P380"),
    ],
)
def test_a_malformed_file_is_refused(run: Path, call: Call, text: str, code: str) -> None:
    said = call("judge", run, "--file", written(run, text), "--json")
    assert (said.code, said.codes) == (1, [code])
    assert "judgments.yaml:" in said.json["reasons"][0]["where"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["x/y/1"],
        ["x/y/1", "--judgment", "success"],
        ["x/y/1", "--judgment", "success", "--who", " "],
        ["--judgment", "success", "--who", "Ana"],
        ["x/y/1", "--judgment", "fine", "--who", "Ana"],
        ["--blind"],
        ["--template", "--who", "Ana"],
    ],
)
def test_half_a_judgment_is_a_matter_of_usage(run: Path, call: Call, arguments: list[str]) -> None:
    before = bytes_of(run)
    assert call("judge", run, *arguments).code == 2
    assert bytes_of(run) == before


def test_a_template_can_be_filled_in_and_a_blind_one_names_no_arm(run: Path, call: Call) -> None:
    before = bytes_of(run)
    blind = call("judge", run, "--template", "--blind").out
    assert "baseline" not in blind
    assert "guide" not in blind
    assert "transcript" not in blind
    assert bytes_of(run) == before
    filled = blind.replace('who: ""', "who: Ana").replace("judgment: unjudged", "judgment: partial")
    said = call("judge", run, "--file", written(run, filled), "--json")
    assert (said.code, len(said.json["recorded"])) == (0, 16)
    assert {each["arm_seen"] for each in said.json["recorded"]} == {False}
    assert sorted(each["trial"] for each in said.json["recorded"]) == sorted(trials(run))
    assert "judgments: []" in call("judge", run, "--template").out
    empty = call("judge", run, "--file", written(run, call("judge", run, "--template").out), "--json")
    assert empty.code == 1


def test_judging_an_open_run_is_a_look_at_outcomes(run: Path, call: Call) -> None:
    open_run = run_by_hand(run.parent.parent, "open", close=False, upto=3)
    trial = trials(open_run)[0]
    judged = ("judge", open_run, trial, "--judgment", "success", "--who", "Ana")
    said = call(*judged, "--reason", " the key expires ", "--json")
    assert said.json["peek"] is True
    assert said.json["standing"][trial]["judgment"] == "success"
    assert kinds(open_run)[-2:] == ["peek", "judgment"]
    assert (read(open_run)[-2]["outcomes"], read(open_run)[-2]["reason"]) == (3, "the key expires")
    assert call(*judged).code == 0, "the same again is no look"
    assert kinds(open_run).count("peek") == 1


@pytest.mark.parametrize("reason", [(), ("--reason", " ")])
@pytest.mark.parametrize("by_file", [True, False])
def test_judging_an_open_run_needs_a_reason(run: Path, call: Call, reason: tuple[str, ...], by_file: bool) -> None:
    open_run = run_by_hand(run.parent.parent, "open", close=False, upto=3)
    before = bytes_of(open_run)
    one = (trials(open_run)[0], "--judgment", "success", "--who", "Ana")
    given = ("--file", whole(open_run)) if by_file else one
    said = call("judge", open_run, *given, *reason, "--json")
    # A judgment of one trial has its reason in an entry, which says so of an empty one.
    empty = bool(reason) and not by_file
    assert (said.code, said.codes) == (1, ["P205" if empty else "P944"])
    assert empty or "--reason TEXT" in said.json["reasons"][0]["hint"]
    assert bytes_of(open_run) == before
    assert call("judge", open_run, *given, "--reason", "the key expires").code == 0


def test_before_the_close_nobody_is_told_how_trials_were_judged(run: Path, call: Call) -> None:
    open_run = run_by_hand(run.parent.parent, "open", close=False, upto=3)
    assert "--reason WHY" in call("judge", open_run, "--template", "--blind").out
    assert call("judge", open_run, "--file", whole(open_run), "--reason", "the key expires").code == 0
    said = call("judge", open_run, "--json")
    assert said.json["standing"] == dict.fromkeys(sorted(trials(open_run)))
    shown = call("judge", open_run).out
    assert "3 judged" in shown
    assert "success" not in shown
    refused = call("judge", open_run, trials(open_run)[0], "--judgment", "failure", "--who", "Ben", "--json")
    assert refused.codes == ["P942", "P944"]
    assert "success" not in refused.out


def test_judging_after_an_analysis_is_recorded_and_shown(analyzed: Path, call: Call) -> None:
    said = call("judge", analyzed, trials(analyzed)[0], "--judgment", "failure", "--who", "Ana", "--json")
    assert (said.code, said.json["after_analysis"]) == (0, True)
    found = call("analyze", analyzed, "--json")
    assert found.code == 0, found.err
    assert any("after results had been analysed" in each for each in found.json["warnings"])
    assert "after results had been analysed" in (analyzed / "report.md").read_text()
    before = bytes_of(analyzed)
    assert call("analyze", analyzed).code == 0
    assert bytes_of(analyzed) == before
    assert call("audit", analyzed).code == 0


def test_who_judged_has_seen_outcomes_and_an_amendment_says_so(experiment: Path, call: Call) -> None:
    run = experiment / "runs" / "one"
    edit(experiment / "spec.yaml", "The guide lowers the cost of a task", "The guide lowers what a task costs")
    assert call("judge", run, trials(run)[0], "--judgment", "success", "--who", "Ana").code == 0
    said = call("amend", experiment, "--reason", "other words", "--json")
    assert (said.code, said.json["access"]) == (0, "outcomes-seen"), said.out


def test_a_run_that_somebody_writes_to_is_not_judged(experiment: Path, call: Call) -> None:
    run = experiment / "runs" / "one"
    registration = next((experiment / "registry").iterdir()) / "registration.json"
    with Ledger.open(run, digest(registration.read_bytes()), lambda: "2026-11-29T10:00:00Z"):
        said = call("judge", run, trials(run)[0], "--judgment", "success", "--who", "Ana", "--json")
    assert (said.code, said.codes) == (3, ["locked"])
