"""The format of recordings: what an agent did, turn by turn, as JSON that the player reads and a recorder writes."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from executor.turns import FAMILIES
from ledger.codec import decimal_text
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

Measure: TypeAlias = int | Decimal | bool | None

FAILED: Final = "failed"
ANY: Final = "any"
"""Stand for an exit status that was not 0, and that nobody told, and for one of which nobody told anything."""
STOP, GO_ON = "stop", "go-on"
SKIP, RUN_ANYWAY = "skip", "run-anyway"
_KEYS = frozenset({"turns", "steps", "answer", "when_cancelled", "when_refused", "measures", "session"})
_TURN = frozenset({"steps", "answer", "when_cancelled", "when_refused", "measures"})
_INSTEAD = frozenset({"steps", "answer"})
_ACTS = ("message", "read", "run", "write", "edit", "patch", "mcp")
_BESIDE: Mapping[str, frozenset[str]] = {
    "message": frozenset(),
    "read": frozenset({"offset", "limit", "text", "error"}),
    "run": frozenset({"exit", "stdout"}),
    "write": frozenset(),
    "edit": frozenset(),
    "patch": frozenset(),
    "mcp": frozenset({"text", "error"}),
}
"""What may stand beside each kind of step, other than ``name`` and ``does``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpCall:
    """A call of a tool of a server that the arm's provider hands over; without ``tool`` its tools are listed."""

    server: str
    tool: str | None = None
    arguments: Mapping[str, Plain] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """A text in a file replaced by another: it must stand there once, or everywhere it stands where ``all`` is said."""

    path: str
    old: str
    new: str
    all: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One recorded step; exactly one of the first seven is set, and all but a message is done for real when it is played.

    ``read`` is a path, from line ``offset`` (1 is the first) on, ``limit`` lines. ``exit`` and ``stdout`` (of ``run``), ``text`` (of
    ``read`` and ``mcp``) and ``error`` are what it came to then: anything else is a divergence; a text that is None is not compared,
    nor is an ``exit`` that is ``any``; ``failed`` is any but 0. ``name`` and ``does`` are how the agent called its tool and what
    family that is, where it differs from the step's own.
    """

    message: str | None = None
    read: str | None = None
    run: tuple[str, ...] | None = None
    write: Mapping[str, str] | None = None
    edit: Edit | None = None
    patch: str | None = None
    mcp: McpCall | None = None
    offset: int | None = None
    limit: int | None = None
    exit: int | Literal["failed", "any"] = 0
    stdout: str | None = None
    text: str | None = None
    error: bool = False
    name: str | None = None
    does: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Instead:
    """What the agent does instead of the rest of its turn, and what it answers then."""

    steps: tuple[Step, ...] = ()
    answer: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedTurn:
    """What the agent did once it was told one thing.

    ``when_cancelled``: it stops without an answer (``stop``), goes on as if nothing had happened (``go-on``), or does something instead.
    ``when_refused``, for each call that is declined: it leaves it (``skip``), makes it all the same (``run-anyway``), or, at the
    first, does something instead of it and of the rest.
    """

    steps: tuple[Step, ...] = ()
    answer: str | None = None
    measures: Mapping[str, Measure] = field(default_factory=dict)
    when_cancelled: Literal["stop", "go-on"] | Instead = "stop"
    when_refused: Literal["skip", "run-anyway"] | Instead = "skip"


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """What an agent did at one task: a turn for each thing that it was told, new runs and repairs among them.

    ``session`` is what its init event said. ``measures`` are of the whole, where its turns have none of their own.
    """

    turns: tuple[RecordedTurn, ...]
    measures: Mapping[str, Measure] = field(default_factory=dict)
    session: Mapping[str, Plain] = field(default_factory=dict)


def read_recording(path: Path) -> Recording:
    """Read a recording. Raises WorldFault (``recording``) when it is none; the fault names the key."""
    try:
        return _recording(json.loads(path.read_bytes(), parse_float=Decimal))
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        what = f"{path.name} is no recording: {problem}"
        raise WorldFault(Fault(code="recording", what=what, where="agent.recordings")) from problem


def write_recording(recording: Recording) -> bytes:
    """Write a recording down so that ``read_recording`` gives it back; keys that say nothing are left out."""
    document = {
        "turns": [_written_turn(each) for each in recording.turns],
        **({"measures": _written_measures(recording.measures)} if recording.measures else {}),
        **({"session": dict(recording.session)} if recording.session else {}),
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


# --- reading ---


def _recording(data: Mapping[str, Any]) -> Recording:
    _known(data, _KEYS, "the recording")
    measures = _measures(data.get("measures", {}))
    if ("turns" in data) == ("steps" in data):
        raise ValueError("it has one of turns, steps")
    if "steps" in data:  # one turn, written without its brackets
        alone = {key: value for key, value in data.items() if key in _TURN and key != "measures"}
        turns: tuple[RecordedTurn, ...] = (_turn(alone),)
    else:
        _known(data, frozenset({"turns", "measures", "session"}), "a recording of turns")
        turns = tuple(map(_turn, data["turns"]))
    if not turns:
        raise ValueError("it has no turn")
    if measures and any(each.measures for each in turns):
        raise ValueError("measures stand at the recording or at its turns, not at both")
    return Recording(turns=turns, measures=measures, session=data.get("session", {}))


def _turn(data: Mapping[str, Any]) -> RecordedTurn:
    _known(data, _TURN, "a turn")
    return RecordedTurn(
        steps=tuple(map(_step, data["steps"])),
        answer=_text(data, "answer"),
        measures=_measures(data.get("measures", {})),
        when_cancelled=_otherwise(data.get("when_cancelled", STOP), (STOP, GO_ON)),
        when_refused=_otherwise(data.get("when_refused", SKIP), (SKIP, RUN_ANYWAY)),
    )


def _otherwise(data: Any, words: Sequence[str]) -> Any:
    if isinstance(data, Mapping):
        _known(data, _INSTEAD, "what happens instead")
        return Instead(steps=tuple(map(_step, data.get("steps", ()))), answer=_text(data, "answer"))
    if data not in words:
        raise ValueError(f"{data!r} is none of {', '.join(words)}, nor steps and an answer")
    return str(data)


def _step(data: Mapping[str, Any]) -> Step:
    said = [each for each in _ACTS if data.get(each) is not None]
    if len(said) != 1:
        raise ValueError(f"a step has one of {', '.join(_ACTS)}")
    act = said[0]
    _known(data, frozenset({act, "name", "does", *_BESIDE[act]}), f"a step that has {act}")
    if data.get("does") is not None and data["does"] not in FAMILIES:
        raise ValueError(f"does is one of {', '.join(sorted(FAMILIES))}")
    given: dict[str, Any] = {key: data[key] for key in data.keys() & {"offset", "limit", "error"}}
    given |= {"exit": _exit(data["exit"])} if "exit" in data else {}
    given |= {key: _text(data, key) for key in ("stdout", "text", "name", "does")}
    return Step(**{**given, act: _ACT[act](data[act])})


def _exit(data: Any) -> Any:
    if data not in (FAILED, ANY) and (not isinstance(data, int) or isinstance(data, bool)):
        raise ValueError(f"exit is a status, {FAILED} or {ANY}")
    return data


def _words(data: Any) -> tuple[str, ...]:
    if not isinstance(data, list) or not data:
        raise ValueError("run is a program and its arguments")
    return tuple(map(str, data))


def _files(data: Any) -> dict[str, str]:
    return {str(name): str(text) for name, text in data.items()}


def _edit(data: Mapping[str, Any]) -> Edit:
    _known(data, frozenset({"path", "old", "new", "all"}), "edit")
    return Edit(path=str(data["path"]), old=str(data["old"]), new=str(data["new"]), all=data.get("all") is True)


def _mcp(data: Mapping[str, Any]) -> McpCall:
    _known(data, frozenset({"server", "tool", "arguments"}), "mcp")
    return McpCall(server=str(data["server"]), tool=_text(data, "tool"), arguments=dict(data.get("arguments", {})))


_ACT: Mapping[str, Callable[[Any], object]] = {
    "message": str,
    "read": str,
    "run": _words,
    "write": _files,
    "edit": _edit,
    "patch": str,
    "mcp": _mcp,
}


def _text(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key} is no text")
    return value


def _measures(data: Mapping[str, Any]) -> dict[str, Measure]:
    return {name: _measure(name, value) for name, value in data.items()}


def _measure(name: str, value: object) -> Measure:
    if isinstance(value, int | Decimal) or value is None:
        return value
    try:
        return Decimal(str(value))
    except InvalidOperation as problem:
        raise ValueError(f"measures.{name} is no number") from problem


def _known(data: Mapping[str, object], keys: frozenset[str], what: str) -> None:
    unknown = sorted(set(data) - keys)
    if unknown:
        raise ValueError(f"{what} has no {unknown[0]}; it has {', '.join(sorted(keys))}")


# --- writing ---


def _written_turn(turn: RecordedTurn) -> dict[str, Any]:
    return {
        "steps": [_written_step(each) for each in turn.steps],
        **({} if turn.answer is None else {"answer": turn.answer}),
        **({} if turn.when_cancelled == STOP else {"when_cancelled": _written_otherwise(turn.when_cancelled)}),
        **({} if turn.when_refused == SKIP else {"when_refused": _written_otherwise(turn.when_refused)}),
        **({"measures": _written_measures(turn.measures)} if turn.measures else {}),
    }


def _written_otherwise(said: str | Instead) -> Any:
    if isinstance(said, str):
        return said
    answer = {} if said.answer is None else {"answer": said.answer}
    return {"steps": [_written_step(each) for each in said.steps], **answer}


def _written_step(step: Step) -> dict[str, Any]:
    act = next(each for each in _ACTS if getattr(step, each) is not None)
    value = getattr(step, act)
    if isinstance(value, McpCall):
        tool = {} if value.tool is None else {"tool": value.tool, "arguments": dict(value.arguments)}
        value = {"server": value.server, **tool}
    elif isinstance(value, Edit):
        value = {"path": value.path, "old": value.old, "new": value.new, **({"all": True} if value.all else {})}
    beside = {key: getattr(step, key) for key in ("name", "does", *sorted(_BESIDE[act]))}
    return {act: value, **{key: said for key, said in beside.items() if said not in (None, False, 0)}}


def _written_measures(measures: Mapping[str, Measure]) -> dict[str, Any]:
    return {name: decimal_text(value) if isinstance(value, Decimal) else value for name, value in measures.items()}
