"""Watching an agent's stream while it runs, until it shows the call after which the agent is to be cancelled."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

from compiler.steps import CancelPlan
from executor.ports import AgentEvent
from executor.turns import ANY_CALL, CANCELLED, REFUSED
from ledger.plain import Plain

Shows: TypeAlias = Callable[[Mapping[str, Any]], Sequence[AgentEvent]]
"""Reads one line of an agent's stream."""


@dataclass(kw_only=True, slots=True)
class Watch:
    """Reads a growing file of JSON lines; asked (as a job's ``cancel``), it says whether the call has been seen.

    ``events`` counts those of the whole lines that had been written when it was last asked: what comes behind, the agent still did.
    """

    plan: CancelPlan
    output: Path
    shows: Shows
    events: int = 0
    _seen: int = 0
    _read: int = 0
    _rest: bytes = field(default=b"")

    def __call__(self) -> bool:
        """Read on. A torn last line waits for its end."""
        if self.output.is_file():
            with self.output.open("rb") as file:
                file.seek(self._read)
                new = file.read()
            self._read += len(new)
            *lines, self._rest = (self._rest + new).split(b"\n")
            for line in lines:
                self._look(line)
        return self._seen >= self.plan.count

    def _look(self, line: bytes) -> None:
        if not line.lstrip().startswith(b"{"):
            return
        try:
            found = json.loads(line, parse_float=Decimal)
        except (ValueError, RecursionError):
            return
        for event in self.shows(found) if isinstance(found, dict) else ():
            self.events += 1
            self._seen += matches(event, self.plan.after)


def matches(event: AgentEvent, after: str) -> bool:
    """Say whether an event is a call of a family (``tool_call``: of any)."""
    return event.kind == "tool_call" and after in (ANY_CALL, event.data.get("does"))


def cancelled(plan: CancelPlan) -> AgentEvent:
    """The mark of the moment at which the harness cancelled the agent."""
    return AgentEvent(kind="harness", data={"what": CANCELLED, "after": plan.after, "count": plan.count})


def refused(call: AgentEvent) -> AgentEvent:
    """The mark of a call that was declined."""
    data: dict[str, Plain] = {"what": REFUSED, **{key: call.data.get(key) for key in ("name", "does", "call")}}
    return AgentEvent(kind="harness", data=data)


def with_cancel(events: Sequence[AgentEvent], watch: Watch) -> tuple[AgentEvent, ...]:
    """Put the mark of a cancel into the stream, behind all that was written before it. What the agent is, comes first in any case."""
    first = sum(event.kind == "session" for event in events[:1])
    at = first + watch.events
    return (*events[:at], cancelled(watch.plan), *events[at:])


def family(table: Mapping[str, str], name: str, *, server: str = "mcp__") -> str:
    """Give the family of a tool by a table of an agent's own tools; the names of servers' tools begin with ``server``."""
    return "mcp" if name.startswith(server) else table.get(name, "other")
