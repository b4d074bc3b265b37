"""Amounts of a run too large for lines: a command each, which reads them out of the ledger and comes to what the page says."""

import json
import shlex
from pathlib import Path

import pytest

import analyzer.rederive_amounts as rederived
from analyzer.derivation import commented
from analyzer.rederive_amounts import MOST_TRIALS
from prereg.calculating import answer
from tests.prereg.conftest import Call


@pytest.fixture
def commands(analyzed: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What a report prints of amounts where lines would be too long: each comment, and the command below it."""
    monkeypatch.setattr(rederived, "MOST_TRIALS", 0)
    assert call("report", analyzed).code == 0
    monkeypatch.chdir(analyzed.parent.parent)
    lines = (analyzed / "report.md").read_text().partition("## Every number again")[2].splitlines()
    return [(lines[at - 1], line) for at, line in enumerate(lines) if "--ledger" in line]


def test_each_command_comes_to_what_stands_above_it(commands: list[tuple[str, str]], call: Call) -> None:
    told = set()
    for comment, command in commands:
        tool, *arguments = shlex.split(command)
        assert tool == "prereg"
        said = call(*arguments)
        assert said.code == 0, said.err
        found = json.loads(said.out)
        of, _, gives = comment.removeprefix("# ").partition(": ")
        keys = [each.partition(" ")[0] for each in gives.split(", ")]
        assert commented(of, {key: found[key] for key in keys}, command) == f"{comment}\n{command}"
        told.add(of)
    assert {"spread of cost in guide", "spread of turns in baseline", "time of all attempts of guide"} <= told


def test_lost_attempts_count_where_every_attempt_does(analyzed: Path, call: Call) -> None:
    ledger = analyzed / "ledger.jsonl"
    whole = [json.loads(line) for line in ledger.read_text().splitlines()]
    (lost,) = [each for each in whole if each["kind"] == "infrastructure"]
    arm = lost["trial"].split("/")[1]
    asked = ("stat", "--ledger", ledger, "--arm", arm, "--measure", "cost", "--json")
    (trials,), (attempts,) = call(*asked).json["results"], call(*asked, "--attempts").json["results"]
    assert (trials["n"], trials["unknown"]) == (8, 0)
    assert (attempts["n"], attempts["unknown"]) == (8, 1), "the lost one says nothing of its cost"
    assert trials["total"] == attempts["total"]
    (line,) = [
        each for each in (analyzed / "numbers.jsonl").read_text().splitlines() if f"drift of cost in {arm}" in each
    ]
    assert trials["drift"] == answer(line)["rho"]
    assert "drift" not in attempts


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--arm", "nobody", "--measure", "cost"), "no trial of nobody in it; its arms: baseline, guide"),
        (("--arm", "guide", "--measure", "tool_calls"), "no trial of guide tells tool_calls"),
        (("--arm", "guide", "--measure", "result_event"), "not a number: True"),
    ],
)
def test_what_cannot_be_summed_is_refused(analyzed: Path, call: Call, arguments: tuple[str, ...], reason: str) -> None:
    said = call("stat", "--ledger", analyzed / "ledger.jsonl", *arguments)
    assert (said.code, json.loads(said.out)) == (0, {"refuse": True, "reason": reason})


def test_what_is_no_ledger_is_refused(tmp_path: Path, call: Call) -> None:
    (tmp_path / "text").write_text("{}\n[]\n")
    said = call("stat", "--ledger", tmp_path / "text", "--arm", "guide", "--measure", "cost")
    assert json.loads(said.out)["reason"].startswith("not a ledger: ")


@pytest.mark.parametrize("arguments", [("--arm", "guide"), ("--attempts",), ("--ledger", "{ledger}", "--arm", "guide")])
def test_half_a_question_is_a_matter_of_usage(analyzed: Path, call: Call, arguments: tuple[str, ...]) -> None:
    assert call("stat", *(each.format(ledger=analyzed / "ledger.jsonl") for each in arguments)).code == 2


def test_a_report_of_few_trials_has_lines_for_them(analyzed: Path) -> None:
    assert MOST_TRIALS > 16
    assert '"of":"spread of turns in guide"' in (analyzed / "numbers.jsonl").read_text()
    assert "--ledger" not in (analyzed / "report.md").read_text()
