"""Recordings as scripted agents: turns, real calls of tools and servers, and how they take a cancel, a refusal, a repair."""

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.steps import CancelPlan
from executor.agents.recordings import (
    Instead,
    McpCall,
    RecordedTurn,
    Recording,
    Step,
    read_recording,
    write_recording,
)
from executor.agents.replay import ReplayAgent
from executor.ports import AgentEnd, Sandbox
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.treatments import McpServer
from executor.turns import Turn
from ledger.errors import WorldFault
from tests.executor.agents.orders import PATCH, agent_order, agent_plan
from tests.needs import require

PROGRAM = Path(__file__).parents[2] / "doubles/mcp_server.py"
PLAN = agent_plan("replay", options={"recordings": "recordings"})
ONCE = CancelPlan(after="read")


def play(root: Path, *turns: Any, **changes: Any) -> AgentEnd:
    whole = changes.pop("recording", {})
    place = root / "recordings/t1.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"turns": turns, **whole}))
    return ReplayAgent().run(agent_order(root, PLAN, base=root, **changes))


def seen(end: AgentEnd) -> Iterator[str]:
    """Give the stream in short: family of a call, ``ok`` or ``error`` of a result, what the harness did, what was said."""
    for event in end.events:
        if event.kind == "tool_call":
            yield str(event.data["does"])
        elif event.kind == "tool_result":
            yield "error" if event.data["error"] else "ok"
        elif event.kind == "harness":
            yield f"[{event.data['what']}]"
        elif event.kind == "message":
            yield str(event.data["text"])


def answers(end: AgentEnd) -> list[object]:
    """Give what the agent answered, turn by turn."""
    return [event.data["text"] for event in end.events if event.kind == "result"]


def test_every_kind_of_call_is_made_for_real_and_shown(tmp_path: Path) -> None:
    steps = [
        {"message": "I look at it."},
        {"read": "tool.py", "text": "answer = 41\n", "name": "Read"},
        {"run": ["grep", "-n", "41", "tool.py"], "does": "search"},
        {"patch": PATCH.decode()},
        {"write": {"a.txt": "1\n2\n3\n", "b/c.txt": "x"}},
        {"read": "a.txt", "offset": 2, "limit": 1, "text": "2\n"},
        {"read": "nowhere.txt", "error": True},
    ]
    end = play(tmp_path, {"steps": steps, "answer": "Done.", "measures": {"cost": "0.5", "turns": 3}})
    assert list(seen(end)) == [
        *("I look at it.", "read", "ok", "search", "ok", "edit", "ok", "edit", "ok", "edit", "ok", "read", "ok"),
        *("read", "error"),
    ]
    assert answers(end) == ["Done."]
    calls = [event.data for event in end.events if event.kind == "tool_call"]
    assert [each["name"] for each in calls] == ["Read", "run", "patch", "write", "write", "read", "read"]
    assert calls[0]["args"] == {"path": "tool.py"}
    assert calls[2]["args"]["path"] == "tool.py"  # type: ignore[call-overload, index]  # plain data
    assert calls[5]["args"] == {"path": "a.txt", "offset": 2, "limit": 1}
    assert (end.ended, end.answer, end.measures["cost"]) == ("finished", "Done.", Decimal("0.5"))
    assert (tmp_path / "workspace/b/c.txt").read_text() == "x"


@pytest.mark.parametrize(
    "step",
    [
        {"read": "tool.py", "text": "answer = 40\n"},
        {"read": "nowhere.txt"},
        {"read": "tool.py", "error": True},
        {"mcp": {"server": "none", "tool": "add"}},
    ],
)
def test_a_call_that_comes_out_otherwise_is_a_divergence(tmp_path: Path, step: Any) -> None:
    end = play(tmp_path, {"steps": []}, {"steps": [step]}, turns=(Turn(prompt="And now?"),))
    assert end.failed is not None
    assert end.failed[1].startswith("turn 2, step 1 diverged")


def test_turns_add_up_and_a_turn_too_many_is_told(tmp_path: Path) -> None:
    turns = [
        {"steps": [{"run": ["true"]}], "answer": "One.", "measures": {"cost": "0.1", "turns": 2}},
        {"steps": [], "answer": "Two.", "measures": {"cost": "0.2", "turns": 1}},
    ]
    more = (Turn(prompt="Go on."),)
    end = play(tmp_path, *turns, turns=more)
    assert (end.answer, end.measures["cost"], end.measures["turns"]) == ("Two.", Decimal("0.3"), 3)
    assert list(seen(end)) == ["shell", "ok", "[told]"]
    told = play(tmp_path, *turns, turns=more * 2)
    assert told.failed == ("replay", "it is told more than its recording has turns, which is 2")
    bare = [{key: each[key] for key in ("steps", "answer")} for each in turns]
    whole = play(tmp_path, *bare, turns=more, recording={"measures": {"cost": "0.4", "turns": 3}})
    assert (whole.measures["cost"], whole.measures["turns"]) == (Decimal("0.4"), 3)


# --- cancel ---

READS = [{"read": "tool.py"}, {"write": {"tool.py": "answer = 42\n"}}]


def test_a_cancelled_recording_stops_and_a_new_run_finishes(tmp_path: Path) -> None:
    turns = [{"steps": READS, "answer": "Mended."}, {"steps": READS, "answer": "Mended again."}]
    end = play(tmp_path, *turns, cancel=ONCE, turns=(Turn(prompt="Finish it.", fresh=True),))
    assert list(seen(end)) == ["read", "ok", "[cancelled]", "[new_run]", "read", "ok", "edit", "ok"]
    assert (end.ended, end.answer) == ("finished", "Mended again.")
    alone = play(tmp_path / "alone", turns[0], cancel=ONCE)
    assert (alone.ended, alone.result_event, alone.terminal_reason) == ("cancelled", True, "cancelled")
    assert (alone.answer, alone.failed) == (None, None)
    assert (tmp_path / "alone/workspace/tool.py").read_text() == "answer = 41\n"


@pytest.mark.parametrize(
    ("plan", "at"),
    [(CancelPlan(after="read", count=2), 3), (CancelPlan(after="tool_call"), 1), (CancelPlan(after="shell"), None)],
)
def test_the_cancel_comes_at_its_call_or_never(tmp_path: Path, plan: CancelPlan, at: int | None) -> None:
    steps = [{"run": ["true"]}, {"read": "tool.py"}, {"read": "tool.py"}, {"write": {"x": "y"}}]
    steps = steps[1:] if plan.after == "shell" else steps
    end = play(tmp_path, {"steps": steps, "answer": "Done."}, cancel=plan)
    if at is None:
        assert ("[cancelled]" in seen(end), end.ended, end.answer) == (False, "finished", "Done.")
    else:
        assert (list(seen(end)).index("[cancelled]"), end.ended) == (2 * at, "cancelled")


def test_an_ill_behaved_recording_acts_after_its_cancel(tmp_path: Path) -> None:
    on = {"steps": READS, "answer": "Mended.", "when_cancelled": "go-on"}
    end = play(tmp_path, on, cancel=ONCE)
    assert list(seen(end)) == ["read", "ok", "[cancelled]", "edit", "ok"]
    assert (end.ended, end.answer, end.terminal_reason) == ("cancelled", "Mended.", "completed")
    assert (tmp_path / "workspace/tool.py").read_text() == "answer = 42\n"
    claims = {"steps": [{"message": "Stopping."}, {"read": "tool.py"}], "answer": "All tests pass."}
    end = play(tmp_path / "claims", {**on, "when_cancelled": claims}, cancel=ONCE)
    assert list(seen(end)) == ["read", "ok", "[cancelled]", "Stopping.", "read", "ok"]
    assert end.answer == "All tests pass."


# --- refuse ---

RUNS = [{"run": ["touch", "ran"]}, {"read": "tool.py"}]


def test_a_refused_call_is_not_made_and_the_recording_goes_on(tmp_path: Path) -> None:
    end = play(tmp_path, {"steps": RUNS, "answer": "Not run."}, refuse="shell")
    assert list(seen(end)) == ["shell", "[refused]", "error", "read", "ok"]
    mark = next(event.data for event in end.events if event.kind == "harness")
    assert mark == {"what": "refused", "name": "run", "does": "shell", "call": "call-1-1"}
    assert (end.ended, end.answer, (tmp_path / "workspace/ran").exists()) == ("finished", "Not run.", False)


def test_an_ill_behaved_recording_runs_it_all_the_same(tmp_path: Path) -> None:
    end = play(tmp_path, {"steps": RUNS, "answer": "Ran.", "when_refused": "run-anyway"}, refuse="shell")
    assert list(seen(end)) == ["shell", "[refused]", "ok", "read", "ok"]
    assert (tmp_path / "workspace/ran").exists()


def test_a_recording_can_do_something_instead(tmp_path: Path) -> None:
    instead = {"steps": [{"message": "Declined; I read instead."}, *RUNS], "answer": "I only read."}
    end = play(tmp_path, {"steps": RUNS, "answer": "Ran.", "when_refused": instead}, refuse="shell")
    assert list(seen(end)) == [
        *("shell", "[refused]", "error", "Declined; I read instead.", "shell", "[refused]", "error", "read", "ok"),
    ]
    assert end.answer == "I only read."


def test_a_refusal_is_for_its_turn_alone(tmp_path: Path) -> None:
    turn = {"steps": RUNS[:1], "answer": "x"}
    end = play(tmp_path, turn, turn, refuse="shell", turns=(Turn(prompt="Now you may."),))
    assert list(seen(end)) == ["shell", "[refused]", "error", "[told]", "shell", "ok"]


# --- repairs ---


def test_a_recording_is_sent_back(tmp_path: Path) -> None:
    turns = [{"steps": [], "answer": "Done."}, {"steps": READS, "answer": "Mended."}]
    ends: list[AgentEnd] = []

    def then(end: AgentEnd) -> Turn | None:
        ends.append(end)
        return Turn(prompt="It does not pass.") if len(ends) == 1 else None

    end = play(tmp_path, *turns, then=then)
    assert [each.answer for each in ends] == ["Done.", "Mended."]
    assert list(seen(end)) == ["[told]", "read", "ok", "edit", "ok"]


# --- servers ---


@pytest.fixture(params=[LocalSandbox, pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    made: Sandbox = request.param()
    require(made.unavailable())
    return made


def server(root: Path, mode: str = "ok", **more: Any) -> McpServer:
    """The tiny server, in the agent's home as a provider puts it there."""
    folder = root / "home"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(PROGRAM, folder / "mcp_server.py")
    return McpServer(name="sums", argv=(sys.executable, "mcp_server.py", mode), **more)


def with_server(root: Path, sandbox: Sandbox, *steps: Any, mode: str = "ok", **more: Any) -> AgentEnd:
    given = server(root, mode, **more)
    asked = agent_order(root, PLAN, sandbox=sandbox)
    inside = sandbox.inside(
        replace(_job(root), workspace=asked.workspace, home=asked.home), asked.home / "mcp_server.py"
    )
    given = replace(given, argv=("python3", inside, mode))
    return play(root, {"steps": steps, "answer": "x"}, sandbox=sandbox, mcp=(given,))


def _job(root: Path) -> Any:
    from compiler.plan import LimitsPlan
    from executor.ports import Job

    return Job(
        argv=("true",),
        workspace=root,
        home=root,
        limits=LimitsPlan(time_s=Decimal(5)),
        stdout=root / "o",
        stderr=root / "e",
    )


def test_a_server_is_really_asked(tmp_path: Path, sandbox: Sandbox) -> None:
    end = with_server(
        tmp_path,
        sandbox,
        {"mcp": {"server": "sums"}, "text": "add"},
        {"mcp": {"server": "sums", "tool": "add", "arguments": {"a": 2, "b": 3}}, "text": "SUM=5"},
        tools=("add",),
    )
    assert end.failed is None
    assert end.session["mcp_servers"] == [{"name": "sums", "status": "connected"}]
    calls = [(event.data["name"], event.data["does"]) for event in end.events if event.kind == "tool_call"]
    assert calls == [("list_tools", "other"), ("mcp__sums__add", "mcp")]


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    end = with_server(tmp_path, LocalSandbox(), {"mcp": {"server": "sums", "tool": "add"}, "error": True}, mode="exit")
    assert end.session["mcp_servers"] == [{"name": "sums", "status": "failed"}]
    assert "the server ended" in str(next(each.data["text"] for each in end.events if each.kind == "tool_result"))
    lacking = with_server(tmp_path / "lacking", LocalSandbox(), tools=("subtract",))
    assert lacking.session["mcp_servers"] == [{"name": "sums", "status": "failed"}]
    far = McpServer(name="far", url="http://127.0.0.1:1")
    end = play(tmp_path / "far", {"steps": [{"mcp": {"server": "far", "tool": "x"}, "error": True}]}, mcp=(far,))
    assert end.session["mcp_servers"] == [{"name": "far", "status": "failed"}]


# --- the format ---

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
FAMILY = st.none() | st.sampled_from(["read", "shell", "other"])
OPTIONAL = st.none() | TEXTS
STEPS = st.one_of(
    st.builds(Step, message=TEXTS),
    st.builds(
        Step, read=TEXTS, offset=st.none() | st.integers(1, 9), limit=st.none() | st.integers(1, 9), text=OPTIONAL
    ),
    st.builds(
        Step,
        run=st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
        exit=st.integers(0, 9),
        stdout=OPTIONAL,
        does=FAMILY,
    ),
    st.builds(Step, write=st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=2), name=OPTIONAL),
    st.builds(Step, patch=TEXTS),
    st.builds(
        Step,
        mcp=st.builds(
            McpCall, server=TEXTS, tool=TEXTS, arguments=st.dictionaries(TEXTS, st.integers(0, 9), max_size=2)
        ),
        error=st.booleans(),
    ),
)
INSTEAD = st.builds(Instead, steps=st.lists(STEPS, max_size=2).map(tuple), answer=OPTIONAL)
MEASURES = st.dictionaries(
    st.sampled_from(["cost", "turns"]), st.none() | st.integers(0, 99) | st.decimals(0, 9, places=3), max_size=2
)


@settings(max_examples=60, deadline=None)
@given(turns=st.lists(
    st.builds(
        RecordedTurn,
        steps=st.lists(STEPS, max_size=3).map(tuple),
        answer=OPTIONAL,
        when_cancelled=st.sampled_from(["stop", "go-on"]) | INSTEAD,
        when_refused=st.sampled_from(["skip", "run-anyway"]) | INSTEAD,
    ),
    min_size=1,
    max_size=3,
).map(tuple), measures=MEASURES)  # fmt: skip
def test_what_is_written_is_what_is_read(
    turns: tuple[RecordedTurn, ...], measures: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    recording = Recording(turns=turns, measures=measures, session={"model": "m"})
    file = tmp_path_factory.getbasetemp() / "recording.json"
    file.write_bytes(write_recording(recording))
    assert read_recording(file) == recording


BAD = {
    "both": '{"steps": [], "turns": []}',
    "no turn": '{"turns": []}',
    "a turn's word": '{"turns": [{"steps": [], "when_cancelled": "halt"}]}',
    "two acts": '{"steps": [{"read": "x", "message": "y"}]}',
    "a key of another act": '{"steps": [{"read": "x", "stdout": "y"}]}',
    "no family": '{"steps": [{"read": "x", "does": "reading"}]}',
    "no program": '{"steps": [{"run": []}]}',
    "a line": '{"steps": [{"run": "true"}]}',
    "an answer at the wrong place": '{"turns": [{"steps": []}], "answer": "x"}',
    "measures twice": '{"turns": [{"steps": [], "measures": {"turns": 1}}], "measures": {"turns": 1}}',
    "mcp": '{"steps": [{"mcp": {"tool": "x"}}]}',
    "another key of mcp": '{"steps": [{"mcp": {"server": "s", "args": {}}}]}',
}


@pytest.mark.parametrize("name", BAD)
def test_a_recording_that_is_none_is_told(tmp_path: Path, name: str) -> None:
    file = tmp_path / "r.json"
    file.write_text(BAD[name])
    with pytest.raises(WorldFault, match="is no recording"):
        read_recording(file)
