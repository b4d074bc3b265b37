"""Reads what any program prints of its own work, one JSON object a line, into the events that every agent's stream is read into.

``{"event": "call", "does": FAMILY, "tool": NAME, "id": ID, "args": {…}}`` says that a tool is called, ``{"event": "result", "id": ID,
"failed": BOOL}`` what came of it, ``{"event": "says", "text": TEXT}`` what the agent says. A family that is none of ours is ``other``.
"""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from executor.agents import stream
from executor.ports import AgentEvent
from executor.turns import FAMILIES


def read_events(output: bytes) -> tuple[tuple[AgentEvent, ...], bytes]:
    """Give the events among the lines of some output, in order, and the output without them."""
    events: list[AgentEvent] = []
    rest: list[bytes] = []
    for line in output.splitlines(keepends=True):
        found = _object(line)
        read = None if found is None else _READERS.get(str(found.get("event")))
        if found is None or read is None:
            rest.append(line)
        else:
            events.append(read(found))
    return tuple(events), b"".join(rest)


def show_line(said: Mapping[str, Any]) -> tuple[AgentEvent, ...]:
    """Give the event of one line, while the program still prints."""
    read = _READERS.get(str(said.get("event")))
    return () if read is None else (read(said),)


def _object(line: bytes) -> Mapping[str, Any] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        found = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _call(said: Mapping[str, Any]) -> AgentEvent:
    does, tool = str(said.get("does")), str(said.get("tool", ""))
    does = does if does in FAMILIES else "other"
    return stream.tool_call(tool or does, does=does, call=str(said.get("id", "")), args=said.get("args", {}))


def _result(said: Mapping[str, Any]) -> AgentEvent:
    return stream.tool_result(
        call=str(said.get("id", "")), error=said.get("failed") is True, text=str(said.get("text", ""))
    )


def _says(said: Mapping[str, Any]) -> AgentEvent:
    return stream.message(str(said.get("text", "")))


_READERS: Mapping[str, Callable[[Mapping[str, Any]], AgentEvent]] = {"call": _call, "result": _result, "says": _says}
