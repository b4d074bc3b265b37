"""The one stream of events that every agent's own record is read into: JSON lines in, normalised events out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from executor.ports import AgentEvent
from ledger.plain import Plain

LONGEST = 4000
"""Characters of one text that an event keeps; the whole transcript is an artefact."""


def documents(output: bytes) -> Iterator[Mapping[str, Any]]:
    """Give the JSON objects among the lines of some output, in order; talk and a torn last line are passed over."""
    for line in output.splitlines():
        if line.lstrip().startswith(b"{"):
            try:
                found = json.loads(line, parse_float=Decimal)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found


def session(said: Mapping[str, Plain]) -> AgentEvent:
    """What the agent is: model, version, servers, tools."""
    return AgentEvent(kind="session", data=said)


def message(text: str) -> AgentEvent:
    """What the agent said."""
    return AgentEvent(kind="message", data={"text": text[:LONGEST]})


def tool_call(name: str, *, does: str, call: str, args: object, edits: bool | None = None) -> AgentEvent:
    """A call of a tool of a family (``does``), its arguments whole. ``edits`` says whether it edits files, where the family does not."""
    said = {} if edits is None else {"edits": edits}
    whole = plain(args, longest=None)
    return AgentEvent(kind="tool_call", data={"name": name, "does": does, "call": call, "args": whole, **said})


def tool_result(*, call: str, error: bool, text: str) -> AgentEvent:
    """What came of a call."""
    return AgentEvent(kind="tool_result", data={"call": call, "error": error, "text": text[:LONGEST]})


def usage(
    measures: Mapping[str, object], models: Mapping[str, object] | None = None, *, cumulative: bool = False
) -> AgentEvent:
    """What was used; an amount of money as text. ``models`` tells tokens apart by model; ``cumulative``: of the whole conversation."""
    apart = {} if models is None else {"models": plain(models), "cumulative": cumulative}
    return AgentEvent(kind="usage", data={**{name: plain(value) for name, value in measures.items()}, **apart})


def result(reason: str | None, text: object) -> AgentEvent:
    """How the agent says that it ended."""
    return AgentEvent(kind="result", data={"reason": reason, "text": text[:LONGEST] if isinstance(text, str) else ""})


def plain(value: object, *, longest: int | None = LONGEST) -> Plain:
    """Give any JSON value as plain data: no floats, texts cut at ``longest``, numbers beyond what all readers share as text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner, longest=longest) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(each, longest=longest) for each in value]
    return str(value)[:longest]


def text_of(content: object) -> str:
    """Give the text in a content that is a text, or a list of blocks of which some have one."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(str(each.get("text", "")) for each in content if isinstance(each, Mapping))
    return ""


def objects(value: object) -> list[Mapping[str, Any]]:
    """Give the objects in a list; none when it is none."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def count(value: object) -> int | None:
    """Give a number of things, or None when it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def amount(value: object) -> Decimal | None:
    """Give an amount of money, or None when it is none; programs add dollars up in doubles, so that a billionth is noise."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    found = Decimal(value)
    if not found.is_finite() or not 0 <= found < 1_000_000_000:
        return None
    return found.quantize(Decimal("1e-9")).normalize()


def part(value: object, *path: str) -> object:
    """Give what stands under a path of keys, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
