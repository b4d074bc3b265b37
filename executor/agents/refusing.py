"""Declining calls of a family of tools: the hook that answers in a person's place, and where the stream shows that it did."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from executor.agents.stream import objects
from executor.agents.watching import matches, refused
from executor.ports import AgentEvent

REFUSAL = "The user declined this call. It did not run."
"""What the model is told of a call that is refused."""


def with_hook(settings: Mapping[str, Any], event: str, pattern: str, answer: Mapping[str, object]) -> Mapping[str, Any]:
    """Add a hook to an agent's settings, behind those of its arm: on an event, for the tools of a pattern, it prints an answer."""
    says = shlex.join(["printf", "%s", json.dumps(answer)])
    hook = {"matcher": pattern, "hooks": [{"type": "command", "command": says}]}
    hooks = settings.get("hooks")
    brought = hooks if isinstance(hooks, Mapping) else {}
    return {**settings, "hooks": {**brought, event: [*objects(brought.get(event)), hook]}}


def pattern(table: Mapping[str, str], does: str, *, server: str = "mcp__") -> str:
    """Write a pattern over the names of the tools of a family; those of servers begin with ``server``."""
    if does == "other":
        return f"^(?!{server})(?!(?:{'|'.join(table)})$)"
    names = [name for name, found in table.items() if found == does]
    return f"^(?:{'|'.join([*names, f'{server}.*'] if does == 'mcp' else names)})$"


def with_refusals(events: Sequence[AgentEvent], does: str) -> tuple[AgentEvent, ...]:
    """Put a mark before the result of each call that was declined: of a call of the family, an error that says so."""
    calls = {event.data.get("call"): event for event in events if matches(event, does)}
    marked: list[AgentEvent] = []
    for event in events:
        call = calls.get(event.data.get("call")) if event.kind == "tool_result" else None
        if call is not None and event.data.get("error") is True and REFUSAL in str(event.data.get("text")):
            marked.append(refused(call))
        marked.append(event)
    return tuple(marked)
