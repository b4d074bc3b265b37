"""Turns what an agent did into a recording that can be played: its calls as steps, and a word on every call that no recording can hold."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

from executor.agents.recordings import ANY, FAILED, Edit, McpCall, Measure, RecordedTurn, Recording, Step
from executor.agents.stream import LONGEST
from executor.measures import REPORTED
from executor.ports import AgentEvent
from executor.turns import NEW_RUN, TOLD
from ledger.plain import Plain

WORKSPACE = "/workspace"
"""Where a stream that is kept says that the workspace is, whatever sandbox it ran in."""
_EXIT = re.compile(r"\A(?:Exit code|Command exited with code:) (\d{1,3})\b")
_MOVES = re.compile(r"(^|[;&|(\s])(cd|pushd|popd)(\s|$)")
_SAME_SHELL = 'w="$HOME/.cwd"; [ ! -f "$w" ] || cd "$(cat "$w")" || exit; eval "$0"; s=$?; pwd > "$w"; exit $s'
"""Goes on in the folder where the command before it ended, as one shell that stays open would."""
_TELLS_SOMETIMES = frozenset({"run_shell_command"})
_STAYS = frozenset({"Bash"})
"""Tools whose commands share a shell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A call that no recording can hold, and why; in its place stands a message that says so."""

    turn: int
    call: str
    name: str
    does: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """A recording, and the calls that it lacks."""

    recording: Recording
    left_out: tuple[LeftOut, ...]


class CannotError(Exception):
    """A call cannot be recorded."""


def record(events: Sequence[AgentEvent], *, answer: str | None, measures: Mapping[str, Plain]) -> Recorded:
    """Record a stream as it was kept; ``answer`` is the last one, ``measures`` those of the outcome.

    A shell's status is known where the agent tells it, else only that it failed. What a command printed is not compared: agents trim and
    join it. Searches leave nothing behind, so they are left out like whatever else no step stands for.
    """
    turns, left = list[RecordedTurn](), list[LeftOut]()
    session = next((each.data for each in events if each.kind == "session"), {})
    parts = list(_turns(events))
    for number, part in enumerate(parts, 1):
        taken = _Turn(number=number, events=part, servers=_servers(session))
        last = answer if number == len(parts) else _answer(part)
        turns.append(RecordedTurn(steps=tuple(taken.steps()), answer=last))
        left += taken.left_out
    told = {name: value for name in REPORTED if name != "left_running" and (value := _measure(measures.get(name)))}
    recording = Recording(turns=tuple(turns), measures=told, session=dict(session))
    return Recorded(recording=recording, left_out=tuple(left))


def read_events(data: bytes) -> tuple[AgentEvent, ...]:
    """Read a stream as it was kept: one event a line."""
    lines = (json.loads(line, parse_float=Decimal) for line in data.splitlines() if line)
    return tuple(AgentEvent(kind=each["kind"], data=each["data"]) for each in lines)


@dataclass(kw_only=True, slots=True)
class _Turn:
    number: int
    events: Sequence[AgentEvent]
    servers: Sequence[str]
    left_out: list[LeftOut] = field(default_factory=list)

    def steps(self) -> Iterator[Step]:
        results = {str(each.data.get("call")): each.data for each in self.events if each.kind == "tool_result"}
        moves = any(_MOVES.search(_command(each.data)) for each in self.events if each.data.get("name") in _STAYS)
        for event in self.events:
            if event.kind == "message":
                yield Step(message=str(event.data.get("text", "")))
            elif event.kind == "tool_call":
                call = str(event.data.get("call"))
                name, does = str(event.data.get("name")), str(event.data.get("does"))
                try:
                    yield from _recorded(event.data, results.get(call), self.servers, moves=moves)
                except CannotError as why:
                    self.left_out.append(LeftOut(turn=self.number, call=call, name=name, does=does, why=str(why)))
                    yield Step(message=f"[{name} was called here; not recorded: {why}]")


def _turns(events: Sequence[AgentEvent]) -> Iterator[list[AgentEvent]]:
    """Part a stream where the harness told the agent something more."""
    part: list[AgentEvent] = []
    for event in events:
        if event.kind == "harness" and event.data.get("what") in (TOLD, NEW_RUN):
            yield part
            part = []
        part.append(event)
    yield part


def _answer(part: Sequence[AgentEvent]) -> str | None:
    said = [str(each.data.get("text", "")) for each in part if each.kind == "result"]
    return said[-1] if said else None


def _servers(session: Mapping[str, Plain]) -> tuple[str, ...]:
    listed = session.get("mcp_servers")
    names = [str(each["name"]) for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    return tuple(sorted(names, key=len, reverse=True))


def _measure(value: Plain) -> Measure:
    if value is None or isinstance(value, bool | int):
        return value
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


# --- calls ---


def _recorded(
    call: Mapping[str, Plain], result: Mapping[str, Plain] | None, servers: Sequence[str], *, moves: bool
) -> Iterator[Step]:
    """Give the steps of one call. Raises CannotError."""
    args = call.get("args")
    said: Mapping[str, Plain] = args if isinstance(args, Mapping) else {}
    name, does = str(call.get("name")), str(call.get("does"))
    if result is None:
        raise CannotError("its stream does not tell what came of it")
    error, text = result.get("error") is True, str(result.get("text", ""))
    match does:
        case "read":
            yield Step(
                read=_path(said), offset=_offset(name, said), limit=_count(said, "limit"), error=error, name=name
            )
        case "edit" if error:
            raise CannotError("it failed")
        case "edit":
            yield from _edits(name, said)
        case "shell":
            yield Step(run=_argv(name, call, moves=moves), exit=_status(name, text, error=error), name=name)
        case "mcp":
            server, tool = _tool(name, servers)
            whole = text if len(text) < LONGEST else None
            yield Step(mcp=McpCall(server=server, tool=tool, arguments=dict(said)), text=whole, error=error, name=name)
        case _:
            raise CannotError("no step stands for such a call")


def _path(said: Mapping[str, Plain]) -> str:
    found = next((said[key] for key in ("file_path", "absolute_path", "path", "notebook_path") if key in said), None)
    if not isinstance(found, str):
        raise CannotError("it names no file")
    path = found.removeprefix(f"{WORKSPACE}/")
    if path.startswith("/"):
        raise CannotError("its file lies outside of the workspace")
    return path


def _offset(name: str, said: Mapping[str, Plain]) -> int | None:
    offset = _count(said, "offset")
    return offset + 1 if offset is not None and name == "read_file" else offset  # Gemini's counts from 0


def _count(said: Mapping[str, Plain], key: str) -> int | None:
    value = said.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _edits(name: str, said: Mapping[str, Plain]) -> Iterator[Step]:
    if "changes" in said or "patch" in said:
        raise CannotError("its stream does not tell what it wrote")
    path = _path(said)
    listed = said.get("edits")
    edits = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else [said]
    if isinstance(content := said.get("content"), str):
        yield Step(write={path: content}, name=name)
        return
    for each in edits:
        old, new = each.get("old_string"), each.get("new_string")
        if not isinstance(old, str) or not isinstance(new, str):
            raise CannotError("its stream does not tell what it wrote")
        several = each.get("replace_all") is True or each.get("expected_replacements") not in (None, 1)
        if old:
            yield Step(edit=Edit(path=path, old=old, new=new, all=several), name=name)
        else:
            yield Step(write={path: new}, name=name)


def _command(call: Mapping[str, Plain]) -> str:
    args = call.get("args")
    return str(args.get("command", "")) if isinstance(args, Mapping) else ""


def _argv(name: str, call: Mapping[str, Plain], *, moves: bool) -> tuple[str, ...]:
    args = call.get("args")
    said: Mapping[str, Plain] = args if isinstance(args, Mapping) else {}
    if said.get("run_in_background") is True or said.get("is_background") is True:
        raise CannotError("it went on in the background")
    command = said.get("command", said.get("cmd"))
    if isinstance(command, list):
        return tuple(map(str, command))
    if not isinstance(command, str):
        raise CannotError("it names no command")
    if name == "command_execution":  # Codex tells the whole line, its shell included
        try:
            return tuple(shlex.split(command))
        except ValueError as problem:
            raise CannotError("its line cannot be read") from problem
    folder = said.get("directory", said.get("dir_path"))
    line = f"cd {shlex.quote(folder)} && {command}" if isinstance(folder, str) and folder else command
    return ("bash", "-c", _SAME_SHELL, line) if moves and name in _STAYS else ("bash", "-c", line)


def _status(name: str, text: str, *, error: bool) -> int | Literal["failed", "any"]:
    """Read the status out of what came of a command. Gemini's shell tells it only of one that printed nothing."""
    found = _EXIT.search(text)
    if found is not None and (error or name in _TELLS_SOMETIMES):
        return int(found[1])
    if name in _TELLS_SOMETIMES:
        return ANY if text else 0
    return FAILED if error else 0


def _tool(name: str, servers: Sequence[str]) -> tuple[str, str]:
    parts = name.split("__", 2)
    if parts[0] == "mcp" and len(parts) == 3:
        return parts[1], parts[2]
    known = next((each for each in servers if name.startswith(f"mcp_{each}_")), None)
    if known is None:
        raise CannotError("it does not tell its server")
    return known, name.removeprefix(f"mcp_{known}_")
