"""The command agent: any program, its prompt filled in once, its result read by path; what is not told is unknown."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import LimitsPlan
from compiler.steps import CancelPlan
from executor.agents.command import CommandAgent, last_object
from executor.agents.jobs import inside
from executor.ports import AgentEnd, Sandbox
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.turns import FAMILIES, Steps, Turn, steps_of
from ledger.errors import WorldFault
from tests.executor.agents.orders import agent_order, agent_plan
from tests.needs import require

DONE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "terminal_reason": "completed",
    "num_turns": 7,
    "result": "I mended it.",
    "total_cost_usd": 0.0421,
    "usage": {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_input_tokens": 30,
        "cache_creation_input_tokens": 40,
    },
}


def run(
    root: Path, script: str, *, sandbox: Sandbox | None = None, args: tuple[str, ...] = (), **options: Any
) -> AgentEnd:
    limits = options.pop("limits", LimitsPlan(time_s=Decimal(20)))
    plan = agent_plan("command", options={"run": ["sh", "-c", script, "sh", *args], **options}, limits=limits)
    return CommandAgent().run(agent_order(root, plan, sandbox=sandbox))


def say(document: object) -> str:
    return f"printf '%s\\n' '{json.dumps(document)}'"


def test_a_result_document_is_read_by_path(tmp_path: Path) -> None:
    end = run(tmp_path, f"echo some talk; {say(DONE)}")
    assert (end.ended, end.result_event, end.terminal_reason, end.answer) == (
        "finished",
        True,
        "completed",
        "I mended it.",
    )
    assert end.measures == {
        "cost": Decimal("0.0421"),
        "turns": 7,
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read": 30,
        "cache_write": 40,
        "tokens": None,
        "left_running": 0,
    }
    assert set(end.artefacts) == {"stdout", "stderr"}


def test_a_list_of_events_is_read_by_its_last(tmp_path: Path) -> None:
    assert run(tmp_path, say([{"type": "system"}, DONE])).answer == "I mended it."


def test_success_on_an_api_error_is_no_success(tmp_path: Path) -> None:
    refused = {**DONE, "is_error": True, "terminal_reason": "api_error", "total_cost_usd": 0, "result": "Not logged in"}
    end = run(tmp_path, f"{say(refused)}; exit 1")
    assert (end.ended, end.result_event, end.terminal_reason) == ("error", True, "api_error")
    old = {name: value for name, value in refused.items() if name != "terminal_reason"}
    end = run(tmp_path, say(old))
    assert (end.ended, end.terminal_reason) == ("error", "error")


@pytest.mark.parametrize(
    "script", ["echo 'unknown flag' >&2; exit 1", "true", "echo no json", "echo '{broken'", "kill -9 $$"]
)
def test_no_document_is_no_result_and_nothing_is_zero(tmp_path: Path, script: str) -> None:
    end = run(tmp_path, script)
    assert (end.ended, end.result_event) == ("no-result", False)
    unknown = {name for name, value in end.measures.items() if value is None}
    assert unknown == set(end.measures) - {"left_running"}
    assert unknown <= set(end.reasons)


def test_limits_win_over_what_it_says(tmp_path: Path) -> None:
    end = run(tmp_path, f"{say(DONE)}; sleep 30", limits=LimitsPlan(time_s=Decimal("0.3")))
    assert (end.ended, end.result_event) == ("timeout", False)
    end = run(tmp_path, f"{say(DONE)}; yes", limits=LimitsPlan(time_s=Decimal(20), output_bytes=5000))
    assert end.ended == "limit"


def test_odd_numbers_are_unknown(tmp_path: Path) -> None:
    odd = {
        **DONE,
        "total_cost_usd": float("nan"),
        "num_turns": "7",
        "usage": {"input_tokens": 1 << 60, "output_tokens": None},
    }
    end = run(tmp_path, say(odd))
    assert {end.measures[name] for name in ("cost", "turns", "input_tokens", "output_tokens", "cache_read")} == {None}


def test_a_program_that_prints_no_document_ends_by_its_code(tmp_path: Path) -> None:
    end = run(tmp_path, "sed -i s/41/42/ tool.py", result={})
    assert (end.ended, end.result_event, end.measures["cost"]) == ("finished", True, None)
    assert (tmp_path / "workspace/tool.py").read_text() == "answer = 42\n"
    assert run(tmp_path, "exit 3", result={}).ended == "no-result"


@pytest.mark.parametrize("kind", [LocalSandbox, pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)])
def test_the_prompt_is_filled_in_once_and_meets_no_shell(tmp_path: Path, kind: type) -> None:
    require(kind().unavailable())
    script = 'printf "%s|" "$@" > args; cat "$2" > file; printf %s "$EXTRA" > extra'
    run(tmp_path, script, sandbox=kind(), args=("-p={prompt}", "{prompt_file}", "{model}"), env={"EXTRA": "e"})
    prompt = 'Mend `tool.py`; {model} is no place to fill. "Quotes" $HOME ünï'
    workspace = tmp_path / "workspace"
    shown = inside(agent_order(tmp_path, agent_plan("command"), sandbox=kind()), tmp_path / "home/prompt.txt")
    assert (workspace / "args").read_text("utf-8") == f"-p={prompt}|{shown}|model-1|"
    assert (workspace / "file").read_text("utf-8") == prompt
    assert (workspace / "extra").read_text() == "e"


def test_versions_are_the_digest_of_the_program(tmp_path: Path) -> None:
    agent, sandbox = CommandAgent(), LocalSandbox()
    versions = agent.versions(agent_plan("command", options={"run": ["sh"]}), sandbox)
    assert list(versions) == ["program sh"]
    assert versions["program sh"].startswith("sha256:")
    with pytest.raises(WorldFault) as raised:
        agent.versions(agent_plan("command", options={"run": ["no-such-agent"]}), sandbox)
    assert raised.value.reasons[0].code == "program-missing"
    with pytest.raises(WorldFault):
        agent.versions(agent_plan("command"), sandbox)


@pytest.mark.bubblewrap
def test_a_program_outside_the_system_is_shown_to_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require(BubblewrapSandbox().unavailable())
    (tmp_path / "own/bin").mkdir(parents=True)
    (tmp_path / "own/lib").mkdir()
    (tmp_path / "own/lib/said").write_text(json.dumps(DONE))
    program = tmp_path / "own/bin/my-agent"
    program.write_text('#!/bin/sh\ncat "$(dirname "$0")/../lib/said"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    plan = agent_plan("command", options={"run": ["my-agent", "{prompt}"]})
    end = CommandAgent().run(agent_order(tmp_path, plan, sandbox=BubblewrapSandbox()))
    assert end.answer == "I mended it."


def test_the_command_line_differs_by_its_flags_alone() -> None:
    plan = agent_plan("command", options={"run": ["claude", "-p", "{prompt}", "--model", "{model}"]})
    base, more = (CommandAgent().command(plan, flags) for flags in ((), ("--mcp-config", "mcp.json")))
    assert more[: len(base)] == base
    assert "{prompt}" in base


def test_last_object() -> None:
    assert last_object(b"") is None
    assert last_object(b"[1, 2]") is None
    assert last_object(b'{"a": 1}\n{"b": 2}\ntrailing talk') == {"b": 2}
    assert last_object(b'{\n "a": 1.50\n}') == {"a": Decimal("1.50")}
    assert last_object(b"\xff{") is None
    assert last_object(b"[" * 100_000) is None


EVENTS = (
    {"event": "says", "text": "I will look at it."},
    {"event": "call", "id": "1", "does": "read", "tool": "read_file", "args": {"path": "tool.py", "from": 3}},
    {"event": "result", "id": "1", "text": "answer = 41"},
    {"event": "call", "does": "dance"},
    {"event": "result", "failed": True},
)


def test_a_program_may_print_what_it_does(tmp_path: Path) -> None:
    script = "; ".join((*map(say, EVENTS), "echo '{torn'", say(DONE), say({"event": "says", "text": "Bye."})))
    end = run(tmp_path, script, events=True)
    assert [(event.kind, dict(event.data)) for event in end.events] == [
        ("message", {"text": "I will look at it."}),
        ("tool_call", {"name": "read_file", "does": "read", "call": "1", "args": {"path": "tool.py", "from": 3}}),
        ("tool_result", {"call": "1", "error": False, "text": "answer = 41"}),
        ("tool_call", {"name": "other", "does": "other", "call": "", "args": {}}),
        ("tool_result", {"call": "", "error": True, "text": ""}),
        ("message", {"text": "Bye."}),
    ]
    assert (end.answer, end.measures["turns"]) == ("I mended it.", 7)
    assert CommandAgent().shows_work(agent_plan("command", options={"run": ["x"], "events": True}))


def test_a_program_that_prints_no_event_may_have_called_anything(tmp_path: Path) -> None:
    end = run(tmp_path, say(DONE), events=True)
    assert (end.events, end.reasons["tool_calls"]) == ((), "the agent printed no event")


def test_what_looks_like_an_event_is_none_unless_the_spec_says_so(tmp_path: Path) -> None:
    end = run(tmp_path, say({"event": "says", "text": "Bye.", "result": "done"}))
    assert (end.events, end.answer) == ((), "done")


# --- steps ---

CALLS = 'echo \'{"event": "call", "does": "read", "tool": "look", "id": "1"}\''
LOOKED = say({**DONE, "result": "I looked."})
ACTS = f'case "$1" in *Mend*) {CALLS}; sleep 20; touch later ;; *) {LOOKED} ;; esac'


def test_a_program_that_shows_its_calls_is_cancelled_and_run_anew(tmp_path: Path) -> None:
    plan = agent_plan("command", options={"run": ["sh", "-c", ACTS, "sh", "{prompt}"], "events": True})
    turns = (Turn(prompt="Go on.", fresh=True),)
    order = agent_order(tmp_path, plan, cancel=CancelPlan(after="read"), turns=turns)
    assert steps_of(CommandAgent(), plan).cancel == FAMILIES
    end = CommandAgent().run(order)
    told = [(event.kind, event.data.get("does") or event.data.get("what")) for event in end.events]
    assert told == [("tool_call", "read"), ("harness", "cancelled"), ("harness", "new_run")]
    assert (end.ended, end.answer, end.measures["cost"]) == ("finished", "I looked.", None)
    assert not (tmp_path / "workspace/later").exists()
    assert set(end.artefacts) == {"stdout", "stderr", "stdout-2", "stderr-2"}
    blind = agent_plan("command", options={"run": ["true"]})
    assert steps_of(CommandAgent(), blind) == Steps(new_run=True, repairs=True)


def test_a_home_that_an_agent_shut_is_put_back_all_the_same(tmp_path: Path) -> None:
    script = f'if [ -e "$HOME/shut" ]; then exit 3; fi; mkdir -p "$HOME/shut/inner"; chmod 0 "$HOME/shut/inner" "$HOME/shut"; {LOOKED}'
    plan = agent_plan("command", options={"run": ["sh", "-c", script]})
    end = CommandAgent().run(agent_order(tmp_path, plan, turns=(Turn(prompt="Go on.", fresh=True),)))
    assert (end.ended, end.answer, set(end.artefacts)) == (
        "finished",
        "I looked.",
        {"stdout", "stderr", "stdout-2", "stderr-2"},
    )


def test_what_several_runs_cost_adds_up(tmp_path: Path) -> None:
    plan = agent_plan("command", options={"run": ["sh", "-c", say(DONE)]})
    end = CommandAgent().run(agent_order(tmp_path, plan, turns=(Turn(prompt="Again.", fresh=True),)))
    assert (end.measures["cost"], end.measures["turns"]) == (Decimal("0.0842"), 14)
