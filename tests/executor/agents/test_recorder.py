"""Recording what agents did: their calls as steps, and a word on every call that no recording can hold."""

from typing import Any

import pytest

from executor.agents import stream
from executor.agents.recorder import read_events, record
from executor.agents.recordings import Edit, McpCall, RecordedTurn, Step, read_recording, write_recording
from executor.ports import AgentEvent
from ledger.canonical import canonical


def called(name: str, does: str, args: Any, *, error: bool = False, text: str = "") -> tuple[AgentEvent, AgentEvent]:
    return (
        stream.tool_call(name, does=does, call=f"{name}-{args}", args=args),
        stream.tool_result(call=f"{name}-{args}", error=error, text=text),
    )


def steps(*events: AgentEvent) -> tuple[Step, ...]:
    (turn,) = record(events, answer=None, measures={}).recording.turns
    return turn.steps


LONG = "x" * 10_000


@pytest.mark.parametrize(
    ("name", "does", "args", "step"),
    [
        ("Read", "read", {"file_path": "/workspace/a.py", "offset": 3}, Step(read="a.py", offset=3)),
        ("read_file", "read", {"absolute_path": "/workspace/a.py", "offset": 3}, Step(read="a.py", offset=4)),
        ("Write", "edit", {"file_path": "/workspace/a.py", "content": LONG}, Step(write={"a.py": LONG})),
        ("Edit", "edit", {"file_path": "a.py", "old_string": "b", "new_string": "c"}, Step(edit=Edit(path="a.py", old="b", new="c"))),
        ("replace", "edit", {"file_path": "a.py", "old_string": "", "new_string": "c"}, Step(write={"a.py": "c"})),
        ("Bash", "shell", {"command": "make"}, Step(run=("bash", "-c", "make"))),
        ("command_execution", "shell", {"command": "bash -lc 'make -s'"}, Step(run=("bash", "-lc", "make -s"))),
        ("run_shell_command", "shell", {"command": "make", "directory": "sub"}, Step(run=("bash", "-c", "cd sub && make"))),
        ("mcp__shop__look", "mcp", {"sku": "7"}, Step(mcp=McpCall(server="shop", tool="look", arguments={"sku": "7"}), text="")),
    ],
)  # fmt: skip
def test_a_call_becomes_a_step(name: str, does: str, args: Any, step: Step) -> None:
    (found,) = steps(*called(name, does, args))
    assert found.name == name
    assert {**_said(found), "name": None} == {**_said(step), "name": None}


def _said(step: Step) -> dict[str, Any]:
    return {name: getattr(step, name) for name in Step.__dataclass_fields__}


@pytest.mark.parametrize(
    ("name", "text", "error", "code"),
    [
        ("Bash", "Exit code 3\noops", True, 3),
        ("Bash", "it broke", True, "failed"),
        ("Bash", "Exit code 3 is what it prints", False, 0),
        ("run_shell_command", "Command exited with code: 4", False, 4),
        ("run_shell_command", "it broke", False, "any"),
        ("run_shell_command", "", False, 0),
    ],
)
def test_the_status_of_a_command_is_known_or_only_that_it_failed_or_nothing(
    name: str, text: str, error: bool, code: int | str
) -> None:
    (found,) = steps(*called(name, "shell", {"command": "make"}, error=error, text=text))
    assert found.exit == code


def test_commands_that_move_share_a_shell() -> None:
    moves, stays = steps(*called("Bash", "shell", {"command": "cd src"}), *called("Bash", "shell", {"command": "ls"}))
    assert moves.run is not None
    assert stays.run is not None
    assert moves.run[2] == stays.run[2]
    assert (moves.run[3], stays.run[3]) == ("cd src", "ls")


@pytest.mark.parametrize(
    ("name", "does", "args", "error", "why"),
    [
        ("Grep", "search", {"pattern": "x"}, False, "no step stands"),
        ("Task", "other", {"prompt": "x"}, False, "no step stands"),
        ("file_change", "edit", {"changes": [{"path": "a.py"}]}, False, "does not tell what it wrote"),
        ("Edit", "edit", {"file_path": "a.py", "old_string": "b", "new_string": "c"}, True, "it failed"),
        ("Read", "read", {"file_path": "/home/agent/x"}, False, "outside of the workspace"),
        ("Bash", "shell", {"command": "serve", "run_in_background": True}, False, "in the background"),
        ("mcp_shop_look", "mcp", {}, False, "does not tell its server"),
        ("Read", "read", {}, False, "names no file"),
    ],
)
def test_what_no_recording_can_hold_is_named_and_a_message_stands_in_its_place(
    name: str, does: str, args: Any, error: bool, why: str
) -> None:
    made = record(called(name, does, args, error=error), answer=None, measures={})
    (left,) = made.left_out
    assert (left.turn, left.name, left.does) == (1, name, does)
    assert why in left.why
    (step,) = made.recording.turns[0].steps
    assert step.message == f"[{name} was called here; not recorded: {left.why}]"


def test_a_call_without_an_end_is_left_out() -> None:
    made = record(called("Read", "read", {"file_path": "a"})[:1], answer=None, measures={})
    assert [each.why for each in made.left_out] == ["its stream does not tell what came of it"]


def test_turns_answers_measures_and_session(tmp_path: Any) -> None:
    events = (
        stream.session({"model": "m", "mcp_servers": [{"name": "my_shop", "status": "connected"}]}),
        stream.message("I look."),
        stream.result("completed", "first"),
        AgentEvent(kind="harness", data={"what": "told", "turn": 2}),
        *called("mcp_my_shop_look", "mcp", {"sku": "7"}, text="12.50"),
        stream.result("completed", "second"),
    )
    kept = b"".join(canonical({"kind": each.kind, "data": dict(each.data)}) + b"\n" for each in events)
    made = record(
        read_events(kept),
        answer="second, whole",
        measures={"cost": "0.5", "turns": 3, "tokens": None, "left_running": 1, "time": "7"},
    )
    assert made.left_out == ()
    recording = made.recording
    assert recording.session["model"] == "m"
    assert {name: str(value) for name, value in recording.measures.items()} == {"cost": "0.5", "turns": "3"}
    assert recording.turns[0] == RecordedTurn(steps=(Step(message="I look."),), answer="first")
    assert recording.turns[1].answer == "second, whole"
    assert recording.turns[1].steps[0].mcp == McpCall(server="my_shop", tool="look", arguments={"sku": "7"})
    file = tmp_path / "t.json"
    file.write_bytes(write_recording(recording))
    assert read_recording(file) == recording
