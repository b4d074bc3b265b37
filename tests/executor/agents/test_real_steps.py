"""Real agents through a task's steps: cancelled while they work, run anew, refused a call, sent back; a scripted service, no network."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compiler.steps import CancelPlan
from executor.ports import AgentEnd, AgentEvent
from executor.turns import Turn
from tests.doubles.script import Act, Script, run
from tests.executor.agents.driving import MENDED, Real, edit, installed, play

pytestmark = pytest.mark.agents
Give = Callable[[str], Real]
__all__ = ["installed"]

SLEEPS = "setsid nohup sleep 300 >/dev/null 2>&1 & echo started"


def read(path: Path) -> Act:
    return Act(kind="tool", args={"name": "Read", "args": {"file_path": str(path)}})


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
