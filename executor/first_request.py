"""The first request of an agent to its model, as evidence: what it offers, and in what those of two arms differ."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

Body: TypeAlias = Mapping[str, object]

_IDENTITIES = (
    (re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"), "<id>"),
    (re.compile(r"\b[0-9a-f]{32,128}\b"), "<id>"),
    (re.compile(r"\b1[6-9]\d{8}(?:\d{3})?\b"), "<time>"),
    (
        re.compile(r"\b20\d\d-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"),
        "<time>",
    ),
)
"""What tells one request from another and no arm from another: random identities, and the moment (the ledger keeps that)."""
STATUS, CLEAN = "Status:", "(clean)"
"""How Claude Code writes git's status where nothing was written; the names of files that were written stand in the second's place."""
_CLEAN_STATUS = re.compile(rf'(?:\A|[\n"]){re.escape(STATUS)}\n{re.escape(CLEAN)}(?=[\n"]|\Z)')
_SHOWN = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One place in which two requests differ: its path, and what stands there (None: nothing).

    Text is compared in runs of lines; ``before`` is then the line above the run.
    """

    path: str
    first: str | None
    second: str | None
    before: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Registered:
    """What may differ: places that name one of ``words`` (servers, files), or hold nothing but ``lines`` (of the files themselves).

    ``written``: files were written into the workspace, so that git's status may say that it is clean on one side alone.
    ``anything``: the registered difference may change the request in any way, so that differences are told and never refused.
    """

    words: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    written: bool = False
    anything: bool = False


def body_of(data: bytes) -> Body | None:
    """Read a request that asks a model; None for any other."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and {"messages", "input", "contents"} & found.keys() else None


def tools_of(body: Body) -> tuple[str, ...]:
    """Name the tools that a request offers."""
    return tuple(_tools(body.get("tools")))


def _tools(said: object) -> Iterator[str]:
    for each in said if isinstance(said, list) else []:
        if not isinstance(each, dict):
            continue
        inner = each.get("function")
        name = inner.get("name") if isinstance(inner, dict) else each.get("name")
        nested = each.get("functionDeclarations") or each.get("function_declarations") or each.get("tools")
        if isinstance(nested, list):
            prefix = f"{name}__" if isinstance(name, str) else ""
            yield from (f"{prefix}{one}" for one in _tools(nested))
        elif isinstance(name, str):
            yield name


def names_server(data: bytes, server: str, tools: Sequence[str] = ()) -> bool:
    """Say whether a request knows an MCP server: offers its tools, or lists them to be loaded later; every one of ``tools``, if named.

    Agents write a tool ``T`` of a server ``S`` as ``mcp__S__T``, ``mcp_S_T``, ``S__T`` or ``S_T``; what is no letter, digit, ``_`` or
    ``-`` becomes ``_``. One lists ``mcp__S`` alone, as a name space to be loaded later, and names no tool before that.
    """
    text = data.decode("utf-8", "replace").replace("\\n", "\n")  # as JSON writes the ends of lines
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", server)
    if re.search(rf"(?<![A-Za-z0-9_-])mcp__{re.escape(plain)}(?![A-Za-z0-9_-])", text):
        return True
    wanted = [rf"{re.escape(tool)}(?![A-Za-z0-9_-])" for tool in tools] or [r"[A-Za-z0-9_-]"]
    return all(re.search(rf"(?<![A-Za-z0-9-]){re.escape(plain)}(?:__|_|\.){one}", text) for one in wanted)


def foreign_servers(data: bytes, servers: Sequence[str]) -> list[str]:
    """Give the MCP servers whose tools a request offers as ``mcp__S__T`` and that are none of ``servers``."""
    plain = {re.sub(r"[^A-Za-z0-9_-]", "_", each) for each in servers}
    body = body_of(data)
    offered = {
        name.split("__")[1] for name in tools_of(body or {}) if name.startswith("mcp__") and name.count("__") > 1
    }
    return sorted(each for each in offered if not any(each == own or own.startswith(f"{each}__") for own in plain))


def first_request_difference(one: bytes, other: bytes) -> tuple[Difference, ...]:
    """Give every place in which two first requests differ, identities and moments aside. Empty: they are the same request."""
    try:
        first, second = json.loads(one), json.loads(other)
    except (ValueError, RecursionError):
        first, second = one.decode("utf-8", "replace"), other.decode("utf-8", "replace")
    return tuple(_differ("", _plain(first), _plain(second)))


def unregistered(differences: Sequence[Difference], registered: Registered) -> tuple[Difference, ...]:
    """Give the differences that the registered one does not explain."""
    if registered.anything:
        return ()
    return tuple(each for each in differences if not _explained(each, registered))


def _explained(difference: Difference, registered: Registered) -> bool:
    sides = [side for side in (difference.first, difference.second) if side is not None]
    return all(_belongs(side, registered) or _is_clean(side, difference.before, registered) for side in sides)


def _is_clean(text: str, before: str | None, registered: Registered) -> bool:
    """Say whether a run of lines is git's word that nothing was written, where git's status stands; the same word elsewhere is none."""
    if not registered.written:
        return False
    if before is not None:
        return before.strip() == STATUS and text.strip() == CLEAN
    return _CLEAN_STATUS.search(text.replace("\\n", "\n")) is not None  # a whole piece of a request, as JSON writes it


def _belongs(text: str, registered: Registered) -> bool:
    read = text.replace("\\n", "\n")  # as JSON writes the ends of lines: no letter before a word
    if any(re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", read) for word in registered.words):
        return True
    return all(not line.strip() or line.strip() in registered.lines for line in text.splitlines())


def _plain(value: object) -> object:
    """Give a value without what tells one request from another."""
    match value:
        case str():
            for shape, stands in _IDENTITIES:
                value = shape.sub(stands, value)
            return value
        case list():
            return [_plain(each) for each in value]
        case dict():
            return {key: _plain(each) for key, each in value.items()}
        case _:
            return value


def _differ(path: str, one: object, other: object) -> Iterator[Difference]:
    if one == other and type(one) is type(other):
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from _member(f"{path}/{key}", key, one, other)
    elif isinstance(one, list) and isinstance(other, list):
        yield from _lists(path, one, other)
    elif isinstance(one, str) and isinstance(other, str):
        yield from _texts(path, one, other)
    else:
        yield Difference(path=path, first=_show(one), second=_show(other))


def _member(path: str, key: str, one: Body, other: Body) -> Iterator[Difference]:
    if key in one and key in other:
        yield from _differ(path, one[key], other[key])
    else:
        first, second = (_show(each[key]) if key in each else None for each in (one, other))
        yield Difference(path=path, first=first, second=second)


def _lists(path: str, one: list[object], other: list[object]) -> Iterator[Difference]:
    """Compare lists as sequences; where as many items stand against one another, item by item, else each as its own difference."""
    first, second = [_key(each) for each in one], [_key(each) for each in other]
    for what, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        if b - a == d - c:
            for place in range(b - a):
                yield from _differ(f"{path}/{a + place}", one[a + place], other[c + place])
            continue
        yield from (Difference(path=f"{path}/{place}", first=_show(one[place]), second=None) for place in range(a, b))
        yield from (Difference(path=f"{path}/{place}", first=None, second=_show(other[place])) for place in range(c, d))


def _texts(path: str, one: str, other: str) -> Iterator[Difference]:
    first, second = one.splitlines(), other.splitlines()
    for what, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if what != "equal":
            sides = ("\n".join(first[a:b]) if b > a else None, "\n".join(second[c:d]) if d > c else None)
            yield Difference(path=path, first=sides[0], second=sides[1], before=first[a - 1] if a else "")
    if first == second:  # only the ends of lines differ
        yield Difference(path=path, first=one[-_SHOWN:], second=other[-_SHOWN:])


def _key(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _show(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
