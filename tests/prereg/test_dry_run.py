"""Before a run: ``--dry-run`` shows every trial with its command line and runs nothing; an absent or other agent is told."""

import json
from pathlib import Path

import pytest

from compiler.registry import Registry
from prereg.cli import main
from tests.prereg.conftest import Call
from tests.prereg.laying import SPEC, lay_experiment

REAL = """\
agent:
  kind: claude-code
  model: claude-sonnet-4-5
  limits: {time: 20 min, cost: 2 USD, turns: 60}
"""


def lay(root: Path, arms: str = "", differ: str = "provider", agent: str = REAL) -> Path:
    """The small experiment, with an agent that has a command line; its program need not be there."""
    head, _, rest = SPEC.partition("agent:\n")
    rest = rest[rest.index("arms:") :]
    if arms:
        rest = f"arms:\n{arms}single_difference: {differ}\n" + rest[rest.index("\ntrials:") :]
    lay_experiment(root, head + agent + "\n" + rest)
    assert main(["compile", str(root), "--json"]) == 0
    return root


def test_every_trial_is_shown_with_its_command_line_and_nothing_runs(tmp_path: Path, call: Call) -> None:
    root = lay(tmp_path / "small")
    before = sorted(root.rglob("*"))
    said = call("execute", root, "--dry-run", "--json")
    assert said.code == 0, said.out
    (entry,) = Registry(root / "registry").entries()
    trials = entry.plan().run.trials
    assert [each["trial"] for each in said.json["trials"]] == [each.id for each in trials]
    assert (said.json["most_usd"], said.json["budget_usd"]) == ("32", "60")
    for trial, shown in zip(trials, said.json["trials"], strict=True):
        line = shown["command"]
        assert line[:2] == ["claude", "-p"]
        assert line[line.index("--model") + 1] == "claude-sonnet-4-5"
        assert line[line.index("--max-turns") + 1] == "60"
        assert line[-1].startswith(f"Something is wrong with number {trial.task[:3]}")
    text = call("execute", root, "--dry-run").out
    assert f"{trials[0].id}: claude -p --output-format stream-json" in text
    assert text.endswith("16 trials; limits allow 32 USD without retries, budget 60 USD; nothing was run\n")
    assert sorted(root.rglob("*")) == before


def test_two_arms_are_started_alike(tmp_path: Path, call: Call) -> None:
    said = call("execute", lay(tmp_path / "small"), "--dry-run", "--json").out
    lines: dict[str, set[str]] = {}
    for each in json.loads(said)["trials"]:
        lines.setdefault(each["trial"].split("/")[0], set()).add(json.dumps(each["command"]))
    assert {len(each) for each in lines.values()} == {1}  # what differs stands in the provider's file


def test_a_run_needs_a_name_where_it_is_meant(tmp_path: Path, call: Call) -> None:
    assert call("execute", lay(tmp_path / "small"), "--json").code == 2


def test_arms_that_are_models_differ_in_one_word(tmp_path: Path, call: Call) -> None:
    arms = "  baseline: {agent: {model: claude-sonnet-4-5}}\n  guide: {agent: {model: claude-opus-4-5}}\n"
    said = call("execute", lay(tmp_path / "small", arms, "agent"), "--dry-run", "--json").json["trials"]
    lines = {tuple(each["trial"].split("/")): each["command"] for each in said}
    for (task, arm, seed), line in lines.items():
        if arm == "baseline":
            other = lines[task, "guide", seed]
            assert len(line) == len(other)
            assert [pair for pair in zip(line, other, strict=True) if pair[0] != pair[1]] == [
                ("claude-sonnet-4-5", "claude-opus-4-5")
            ]


def test_arms_that_are_variants_of_settings_are_started_alike(tmp_path: Path, call: Call) -> None:
    arms = (
        "  baseline: {provider: {kind: settings, name: v1, settings: {prompt: v1}}}\n"
        "  guide: {provider: {kind: settings, name: v2, settings: {prompt: v2}}}\n"
    )
    said = call("execute", lay(tmp_path / "small", arms), "--dry-run", "--json").json["trials"]
    assert len(said) == 16


def test_an_agent_that_is_absent_or_of_another_version_is_3_before_anything_is_claimed(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lay(tmp_path / "small", agent=REAL.replace("  model", '  version: "2.1.332"\n  model', 1))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    said = call("execute", root, "--run", "one", "--json")
    assert (said.code, said.json["reasons"][0]["code"]) == (3, "program-missing"), said.out
    assert "there is no program 'claude'" in said.out
    program = tmp_path / "bin/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.300 (Claude Code)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    said = call("execute", root, "--run", "one", "--json")
    reason = said.json["reasons"][0]
    assert (said.code, reason["code"], reason["expected"], reason["got"]) == (3, "agent-version", "2.1.332", "2.1.300")
    lines = (root / "runs/one/ledger.jsonl").read_text().splitlines()
    assert [json.loads(each)["kind"] for each in lines] == ["opened"]
