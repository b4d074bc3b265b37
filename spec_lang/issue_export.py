"""Exports of closed issues and merged pull requests in exactly the shape that ``gh … --json`` writes, and a private store's file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.json_places import Json, JsonPlaces, read_json
from spec_lang.kinds import KINDS
from spec_lang.schema_faults import say
from spec_lang.span import Source

CODES: Mapping[str, str] = {
    "P120": "an export names an issue or a pull request twice",
    "P121": "an export holds text that cannot be stored",
}

_MOST = 20
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TIME = {
    "type": "string",
    "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
    "description": 'a time as `gh` writes it: "2026-07-01T09:30:00Z"',
}
_NUMBER = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
_TEXT = {"type": "string"}


def _exactly(description: str, /, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


_LABEL = _exactly("a label", id=_TEXT, name=_TEXT, description=_TEXT, color=_TEXT)
_OWNER = _exactly("an owner", id=_TEXT, login=_TEXT)
_REPOSITORY = _exactly("a repository", id=_TEXT, name=_TEXT, owner=_OWNER)
_CLOSING = _exactly("an issue that a pull request closes", id=_TEXT, number=_NUMBER, url=_TEXT, repository=_REPOSITORY)
_COMMIT = _exactly("a commit", oid={"type": "string", "pattern": "^[0-9a-f]{40}$"})

ISSUES: Mapping[str, Any] = {
    "type": "array",
    "items": _exactly(
        "a closed issue",
        number=_NUMBER,
        title={"type": "string", "minLength": 1},
        body=_TEXT,
        url={"type": "string", "minLength": 1},
        createdAt=_TIME,
        closedAt=_TIME,
        stateReason=_TEXT,
        labels={"type": "array", "items": _LABEL},
    ),
}
"""What ``gh issue list --state closed --json number,title,body,url,createdAt,closedAt,stateReason,labels`` writes."""

PULLS: Mapping[str, Any] = {
    "type": "array",
    "items": _exactly(
        "a merged pull request",
        number=_NUMBER,
        mergedAt=_TIME,
        mergeCommit={**_COMMIT, "type": ["object", "null"]},
        changedFiles={**_NUMBER, "minimum": 0},
        closingIssuesReferences={"type": "array", "items": _CLOSING},
    ),
}
"""What ``gh pr list --state merged --json number,mergedAt,mergeCommit,changedFiles,closingIssuesReferences`` writes."""


def store_schema() -> dict[str, Any]:
    """Give the JSON Schema of ``store.json``, which says what a private set is read from; paths are seen from the store."""
    options = KINDS["source"]["issues"].options
    needed = {name: options[name] for name in ("repository", "at", "issues", "pulls")}
    schema = _exactly("where the instances of a private set come from", **needed)
    schema["properties"] |= {name: options[name] for name in ("tests", "test_files")}
    return schema


def read_document(path: Path, schema: Mapping[str, Any], *, name: str, hide: bool = False) -> Json:
    """Read a JSON file and hold it against a schema; ``name`` is what faults call it.

    ``hide``: what it holds is private, so that faults show places and kinds of faults, and no line and no value.

    Raises:
        SpecErrors: Everything that is wrong with it, each at its line and column.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as fault:
        raise SpecErrors([Diagnostic(code="P101", summary=f"cannot read {name}: {fault.strerror}")]) from None
    except UnicodeDecodeError as fault:
        raise SpecErrors([Diagnostic(code="P102", summary=f"{name} is not UTF-8: byte {fault.start}")]) from None
    source = Source(name=name, text=text)
    try:
        read = read_json(source)
        faults = _faults(read, schema, JsonPlaces(source))
        if faults:
            raise SpecErrors(faults)
    except SpecErrors as found:
        raise SpecErrors(_hidden(each, name) for each in found.diagnostics) if hide else found from None
    return read


def _faults(read: Json, schema: Mapping[str, Any], places: JsonPlaces) -> tuple[Diagnostic, ...]:
    bag = Bag()
    for error in Draft202012Validator(schema).iter_errors(read):
        bag.extend(say(error, tuple(error.absolute_path), places))
        if len(bag.diagnostics) >= _MOST:
            break
    if not bag.diagnostics and isinstance(read, list):
        bag.extend(_twice(read, places))
        bag.extend(_unstorable(read, places))
        bag.extend(_never(read, places))
    return bag.diagnostics[:_MOST]


def _twice(read: Sequence[Mapping[str, Json]], places: JsonPlaces) -> Iterator[Diagnostic]:
    """Give numbers and addresses that stand twice: by its number an issue is sorted, by its address it is known."""
    first: dict[tuple[str, Json], int] = {}
    for place, each in enumerate(read):
        for key in ("number", "url"):
            if key in each and first.setdefault((key, each[key]), place) != place:
                line = places.at(first[key, each[key]], key).start.line
                summary = f"{'number' if key == 'number' else 'the address'} {each[key]} stands twice; it is in line {line} too"
                yield Diagnostic(code="P120", summary=summary, span=places.at(place, key), hint="export it anew")


def _unstorable(read: Sequence[Mapping[str, Json]], places: JsonPlaces) -> Iterator[Diagnostic]:
    for place, each in enumerate(read):
        for key, value in each.items():
            if isinstance(value, str) and _UNSTORABLE.search(value):
                summary = f"`{key}` holds half a character or a NUL, which no text can hold"
                yield Diagnostic(code="P121", summary=summary, span=places.at(place, key), hint="export it anew")


def _never(read: Sequence[Mapping[str, Json]], places: JsonPlaces) -> Iterator[Diagnostic]:
    for place, each in enumerate(read):
        for key in ("createdAt", "closedAt", "mergedAt"):
            if key in each and not _is_time(each[key]):
                summary = f"`{each[key]}` is a moment that never was"
                yield Diagnostic(code="P205", summary=summary, span=places.at(place, key), hint="export it anew")


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _hidden(found: Diagnostic, name: str) -> Diagnostic:
    """Say where a private document is at fault and how, and nothing of what it holds."""
    kind = "the document is not in its exact shape here"
    where = "" if found.span is None else f", line {found.span.start.line}, column {found.span.start.column}"
    return Diagnostic(
        code=found.code,
        summary=f"{name}{where}: {kind}",
        hint="what it holds is private and not shown; look at that place in the store",
    )


def place_of(path: Path, inside: tuple[str | int, ...], *, name: str) -> str:
    """Give the place of a value of a JSON file that was read before, as ``name:line:column``."""
    return str(JsonPlaces(Source(name=name, text=path.read_text(encoding="utf-8"))).at(*inside))
