"""Strict JSON that other programs wrote: read as data, and where something is at fault, found again in its text."""

import json
import re
from decimal import Decimal
from json import JSONDecodeError
from typing import Any, TypeAlias

from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.span import Position, Source, Span
from spec_lang.spans import Path, Spans

Json: TypeAlias = Any
"""What ``json`` reads; a fraction is a Decimal."""

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(strict=False)


class _TwiceError(Exception):
    """A key stands twice in a map."""


class JsonPlaces(Spans):
    """Where each key path of a JSON text stands. The text is walked again for every question: only faults ask."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def at(self, *path: str | int) -> Span:
        """Give the span of the value under a path, or of its nearest ancestor."""
        return self._span(*self._find(path)[1])

    def key(self, *path: str | int) -> Span:
        """Give the span of the key at the end of a path; of an item of a list, and of the document, their first line."""
        key, value = self._find(path)
        return self._span(*(key or value))

    def _find(self, path: Path) -> tuple[tuple[int, int] | None, tuple[int, int]]:
        text = self._source.text
        start = _skip(text, 0)
        key: tuple[int, int] | None = None
        for step in path:
            found = next((each for each in _children(text, start) if each[0] == step), None)
            if found is None:
                break
            _, key, start = found
        return key, (start, _DECODER.raw_decode(text, start)[1])

    def _span(self, start: int, end: int) -> Span:
        return span(self._source, start, end)


def read_json(source: Source) -> Json:
    """Read a JSON text. Raises SpecErrors: it is none (P215), a key stands twice (P115), or it is nested too deeply (P118)."""
    try:
        return json.loads(source.text, object_pairs_hook=_once, parse_constant=_refuse, parse_float=Decimal)
    except _TwiceError:
        key, start, end = _first_twice(source.text, _skip(source.text, 0)) or ("?", 0, 1)
        found = Diagnostic(
            code="P115", summary=f"key `{key}` stands twice in a map", span=span(source, start, end), hint="keep one"
        )
    except JSONDecodeError as fault:
        what = f"not JSON: {fault.msg[0].lower()}{fault.msg[1:]}"
        found = Diagnostic(code="P215", summary=what, span=span(source, fault.pos, fault.pos + 1))
    except ValueError:  # a whole number with more digits than Python reads
        found = Diagnostic(
            code="P215", summary="not JSON that can be read: a number is too long", span=span(source, 0, 1)
        )
    except RecursionError:
        found = Diagnostic(code="P118", summary="nested too deeply", span=span(source, 0, 1))
    raise SpecErrors([found]) from None


def span(source: Source, start: int, end: int) -> Span:
    """Give a stretch of a source by its characters; it ends with its first line."""
    line_end = source.text.find("\n", start)
    if line_end != -1:
        end = min(end, max(line_end, start + 1))
    at = Position(line=source.text.count("\n", 0, start) + 1, column=start - source.text.rfind("\n", 0, start))
    return Span(source=source, start=at, end=Position(line=at.line, column=at.column + max(1, end - start)))


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _refuse(word: str) -> None:
    raise JSONDecodeError(f"{word} is no number of JSON", word, 0)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _children(text: str, start: int) -> list[tuple[str | int, tuple[int, int] | None, int]]:
    """List what a map or list holds: its key or index, where the key stands, and where the value starts."""
    found: list[tuple[str | int, tuple[int, int] | None, int]] = []
    opening = text[start : start + 1]
    if opening not in ("{", "["):
        return found
    at = _skip(text, start + 1)
    while text[at : at + 1] not in ("}", "]", ""):
        step: str | int = len(found)
        key: tuple[int, int] | None = None
        if opening == "{":
            step, end = _DECODER.raw_decode(text, at)
            key = (at, end)
            at = _skip(text, _skip(text, end) + 1)
        found.append((step, key, at))
        at = _skip(text, _DECODER.raw_decode(text, at)[1])
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return found


def _first_twice(text: str, start: int) -> tuple[str, int, int] | None:
    """Find the first key that repeats an earlier one of its map."""
    seen: set[str | int] = set()
    for step, key, value in _children(text, start):
        if step in seen and key is not None:
            return str(step), *key
        seen.add(step)
        inner = _first_twice(text, value)
        if inner is not None:
            return inner
    return None
