"""Real agents through a task's steps: cancelled while they work, run anew, refused a call, sent back; a scripted service, no network."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compiler.steps import CancelPlan
from executor.agents.refusing import REFUSAL
from executor.ports import AgentEnd, AgentEvent
from executor.turns import Turn
from tests.doubles.script import Act, Script, edit, mcp, run
from tests.executor.agents.driving import MENDED, Real, installed, play, sums

pytestmark = pytest.mark.agents
Give = Callable[[str], Real]
__all__ = ["installed"]

SLEEPS = "setsid nohup sleep 300 >/dev/null 2>&1 & echo started"


def read(path: Path, tool: str = "Read") -> Act:
    return Act(kind="tool", args={"name": tool, "args": {"file_path": str(path)}})


def harness(end: AgentEnd) -> list[dict[str, Any]]:
    return [dict(event.data) for event in end.events if event.kind == "harness"]


def calls(events: tuple[AgentEvent, ...]) -> list[object]:
    return [event.data["does"] for event in events if event.kind == "tool_call"]


def behind(end: AgentEnd, what: str) -> tuple[AgentEvent, ...]:
    at = next(n for n, event in enumerate(end.events) if event.data.get("what") == what)
    return end.events[at + 1 :]


def test_claude_is_cancelled_after_a_read_and_a_new_run_finishes_the_task(installed: Give, tmp_path: Path) -> None:
    calc = tmp_path / "workspace/calc.py"
    again = Script(turns=[[edit(str(calc), "a - b", "a + b")]], answer="I mended calc.py.")
    script = Script(
        turns=[[run(SLEEPS)], [read(calc)], [run("touch after; sleep 20")], [run("touch later")]],
        answer="I am done.",
        when={"Finish the same task": Script(turns=[[read(calc)], *again.turns], answer=again.answer)},
    )
    new = Turn(prompt="Finish the same task.", fresh=True)
    played = play(installed("claude-code"), tmp_path, script, cancel=CancelPlan(after="read"), turns=(new,))
    assert played.verdict == ("finished", True, "completed", None)
    assert played.text == MENDED
    assert harness(played.end) == [
        {"what": "cancelled", "after": "read", "count": 1},
        {"what": "new_run", "turn": 2},
    ]
    assert not (tmp_path / "workspace/later").exists()
    assert calls(behind(played.end, "new_run")) == ["read", "edit"]
    assert "-Mend calc.py" not in json.dumps(played.service.requests[-1])
    assert played.end.answer == "I mended calc.py."
    assert played.end.measures["left_running"] == 1


@pytest.mark.parametrize("kind", ["claude-code", "codex", "gemini-cli"])
def test_a_cancelled_agent_does_nothing_more_and_can_be_talked_to(kind: str, installed: Give, tmp_path: Path) -> None:
    script = Script(
        turns=[[run("echo once")], [run(f"{SLEEPS}; sleep 20; touch later")], [run("touch later")]],
        answer="I am done.",
        when={"What did you do?": Script(answer="I was cancelled.")},
    )
    cancel = CancelPlan(after="tool_call", count=2)
    played = play(installed(kind), tmp_path, script, cancel=cancel, turns=(Turn(prompt="What did you do?"),))
    assert played.verdict == ("finished", True, "completed", None)
    assert harness(played.end) == [
        {"what": "cancelled", "after": "tool_call", "count": 2},
        {"what": "told", "turn": 2},
    ]
    assert calls(behind(played.end, "cancelled")) == []
    assert calls(played.end.events) == ["shell", "shell"]
    assert "-Mend calc.py" in json.dumps(played.service.requests[-1])
    assert played.end.answer == "I was cancelled."
    assert not (tmp_path / "workspace/later").exists()


@pytest.mark.parametrize("does", ["shell", "read", "edit", "mcp"])
@pytest.mark.parametrize("kind", ["claude-code", "gemini-cli"])
def test_an_agent_is_refused_a_call_and_may_go_on(kind: str, does: str, installed: Give, tmp_path: Path) -> None:
    calc = tmp_path / "workspace/calc.py"
    acts = {
        "shell": run("touch ran"),
        "read": read(calc, "Read" if kind == "claude-code" else "read_file"),
        "edit": edit(str(calc), "a - b", "a + b"),
        "mcp": mcp("sums", "add", a=2, b=3),
    }
    refused, other = acts[does], acts["read" if does != "read" else "shell"]
    made = [refused, other] if does != "edit" else [other, refused]  # it edits nothing that it has not read
    script = Script(turns=[[each] for each in made], answer="It was declined.")
    played = play(installed(kind), tmp_path, script, refuse=does, mcp=(sums(),))
    assert played.verdict == ("finished", True, "completed", None)
    results = {event.data["call"]: event.data for event in played.end.events if event.kind == "tool_result"}
    found = [event.data for event in played.end.events if event.kind == "tool_call"]
    assert [results[each["call"]]["error"] for each in found] == [each is refused for each in made]
    declined = next(each for each in found if each["does"] == does)
    assert harness(played.end) == [
        {"what": "refused", "name": declined["name"], "does": does, "call": declined["call"]}
    ]
    assert REFUSAL in str(results[declined["call"]]["text"])
    assert (played.text == MENDED, (tmp_path / "workspace/ran").exists()) == (False, does == "read")
    assert REFUSAL in json.dumps(played.service.requests[-1])


def test_a_refusal_is_for_its_turn_alone_and_for_other_tools_too(installed: Give, tmp_path: Path) -> None:
    tasks = Act(kind="tool", args={"name": "TaskList", "args": {}})
    script = Script(turns=[[tasks], [run("touch first")]], when={"Once more": Script(turns=[[], [], [tasks]])})
    played = play(installed("claude-code"), tmp_path, script, refuse="other", turns=(Turn(prompt="Once more."),))
    assert [each["what"] for each in harness(played.end)] == ["refused", "told"]
    assert [event.data["error"] for event in played.end.events if event.kind == "tool_result"] == [True, False, False]


@pytest.mark.parametrize("kind", ["claude-code", "codex", "gemini-cli", "mini-swe-agent"])
def test_an_agent_is_sent_back_within_one_set_of_limits(kind: str, installed: Give, tmp_path: Path) -> None:
    calc = tmp_path / "workspace/calc.py"
    mends = [run(f"sed -i s/-/+/ {calc}")]
    done = [[run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")]] if kind == "mini-swe-agent" else []
    begun = [] if kind == "mini-swe-agent" else [[]]  # the turns of a conversation that goes on stay in it
    again = Script(turns=[*begun, mends, *done], answer="Mended.")
    script = Script(turns=[[run("echo once")], *done], answer="Mended.", when={"It does not pass": again})
    seen: list[AgentEnd] = []

    def then(end: AgentEnd) -> Turn | None:
        seen.append(end)
        return None if len(seen) == 2 else Turn(prompt="It does not pass.", fresh=kind == "mini-swe-agent")

    played = play(installed(kind), tmp_path, script, then=then)
    assert played.verdict == ("finished", True, "completed", None)
    assert played.text == MENDED
    assert [each.ended for each in seen] == ["finished", "finished"]
    asked = len(played.service.requests)
    assert played.end.measures["turns"] == asked
    assert played.end.measures["output_tokens"] == 50 * asked
    assert seen[0].measures["output_tokens"] == 50 * 2
    assert ("-Mend calc.py" in json.dumps(played.service.requests[-1])) is (kind != "mini-swe-agent")
