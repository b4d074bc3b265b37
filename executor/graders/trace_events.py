"""Reads an agent's stream of events into moments: what was called, with what outcome, what was said, what the harness did."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from executor.ports import AgentEvent
from ledger.plain import Plain

What = Literal["call", "says", "told", "new_run", "cancelled", "refused"]
HARNESS: tuple[What, ...] = ("told", "new_run", "cancelled", "refused")

_PATHS = ("path", "file_path", "absolute_path", "filename", "file", "notebook_path")
_RANGES = (
    "offset",
    "limit",
    "start_line",
    "end_line",
    "line_start",
    "line_end",
    "view_range",
    "range",
    "lines",
    "from",
)
"""Names under which tools of different agents take a path, and a part of a file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """One thing that happened; ``number`` is its event's place in the stream, from 1.

    ``refused``: the harness declined the call and it did not run. ``failed``: its result was an error; None: no result was seen.
    ``done`` is the place of its result. ``text`` is what was said, or all that a call was given.
    """

    number: int
    what: What
    does: str = ""
    tool: str = ""
    call: str | None = None
    args: Mapping[str, Plain] = field(default_factory=dict)
    refused: bool = False
    failed: bool | None = None
    done: int | None = None
    text: str = ""

    @property
    def path(self) -> str | None:
        """Which file a call names."""
        return next((each for name in _PATHS if isinstance(each := self.args.get(name), str)), None)

    @property
    def part(self) -> Mapping[str, Plain]:
        """Which part of a file a call asks for, as its agent says that: in numbers of lines, or in a text (given as None)."""
        asked = {name: self.args[name] for name in _RANGES if self.args.get(name) is not None}
        return {name: value if _is_numbers(value) else None for name, value in asked.items()}

    @property
    def ranged(self) -> bool:
        """Whether a call asks for a part of a file only."""
        return bool(self.part)


def _is_numbers(value: Plain) -> bool:
    return isinstance(value, int) or (isinstance(value, list) and all(isinstance(each, int) for each in value))


def is_seen(events: Sequence[AgentEvent]) -> bool:
    """Say whether there is anything that the agent did or said: how it was set up, and what the harness did, are no trace of its work."""
    return any(event.kind in ("message", "tool_call", "tool_result", "result") for event in events)


def read_moments(events: Sequence[AgentEvent], answer: str | None) -> tuple[Moment, ...]:
    """Give all moments in order. The final answer comes last, unless the stream holds it already."""
    moments = list(_moments(events))
    for place, event in enumerate(events, 1):
        if event.kind == "tool_result":
            _finish(moments, place, event.data)
    for place, event in enumerate(events, 1):
        if event.kind == "harness" and event.data.get("what") == "refused":
            _refuse(moments, place, event.data)
    if answer and all(each.text != answer for each in moments if each.what == "says"):
        moments.append(Moment(number=len(events) + 1, what="says", text=answer))
    return tuple(moments)


def _moments(events: Sequence[AgentEvent]) -> Iterator[Moment]:
    said = None
    for place, event in enumerate(events, 1):
        data = event.data
        if event.kind == "tool_call":
            given = data.get("args")
            args = given if isinstance(given, Mapping) else {} if given is None else {"input": given}
            yield Moment(
                number=place,
                what="call",
                does=str(data.get("does", "other")),
                tool=str(data.get("name", "")),
                call=None if data.get("call") is None else str(data["call"]),
                args=args,
                text="\n".join(_texts(args)),
            )
        elif event.kind in ("message", "result"):
            text = str(data.get("text") or "")
            if text and text != said:  # a result event repeats the last message
                yield Moment(number=place, what="says", text=text)
            said = text
        elif event.kind == "harness":
            for what in HARNESS:
                if what == data.get("what"):
                    yield Moment(number=place, what=what, does=str(data.get("does") or data.get("after") or ""))


def _texts(value: Plain) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield " ".join(map(str, value))  # the words of a command line
    elif value is not None:
        yield str(value)


def _finish(moments: list[Moment], place: int, result: Mapping[str, Plain]) -> None:
    """Lay a result on its call: the one of this id, else the last before it that has none."""
    call = None if result.get("call") is None else str(result["call"])
    open_ = [n for n, each in enumerate(moments) if each.what == "call" and each.done is None and each.number < place]
    named = [n for n in open_ if call is not None and moments[n].call == call]
    for n in (named or open_)[-1:]:
        moments[n] = replace(moments[n], failed=result.get("error") is True, done=place)


def _refuse(moments: list[Moment], place: int, refusal: Mapping[str, Plain]) -> None:
    """Mark the call that was declined: the one of this id, else the nearest before it, else the next. One that came to a good end ran."""

    def declined(each: Moment) -> bool:
        same = each.tool == refusal.get("name") or each.does == refusal.get("does")
        return each.what == "call" and not each.refused and same

    calls = [n for n, each in enumerate(moments) if declined(each)]
    named = [n for n in calls if moments[n].call is not None and moments[n].call == refusal.get("call")]
    before = [n for n in calls if moments[n].number < place]
    for n in named or before[-1:] or calls[:1]:
        moments[n] = replace(moments[n], refused=moments[n].failed is not False)
