"""Bytes to text: what may stand in a source before anybody asks whether it is YAML."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.span import Position, Source, Span

CODES: Mapping[str, str] = {
    "P101": "a file cannot be read",
    "P102": "a file is not UTF-8",
    "P103": "a file starts with a byte order mark",
    "P104": "a file has carriage returns",
    "P105": "a file has a tab",
    "P106": "a file has a control character or a line break other than a line feed",
    "P107": "a file has a character that changes the direction of text or has no width",
    "P108": "text is not in Unicode normal form NFC",
    "P109": "a file is larger than 1 MiB",
}

LARGEST = 1024 * 1024

_SHOWN_AT_MOST = 20
_INVISIBLE = "\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_HIDDEN = re.compile(f"[{_INVISIBLE}]")
_CONTROL = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def read_source(path: Path, name: str | None = None) -> Source:
    """Read a file that an author wrote, as a text that hides nothing.

    Refused, each with its place: what is not UTF-8, byte order marks, carriage returns, tabs, control characters,
    invisible and direction-changing characters, text that is not NFC, more than 1 MiB. Raises SpecErrors.
    """
    shown = name or str(path)
    try:
        data = path.read_bytes()
    except OSError as fault:
        what = f"cannot read {shown}: {fault.strerror}"
        raise SpecErrors([Diagnostic(code="P101", summary=what)]) from None
    return source_of(data, shown)


def source_of(data: bytes, name: str) -> Source:
    """Take bytes as a source named ``name``. Raises SpecErrors like ``read_source``."""
    if len(data) > LARGEST:
        raise SpecErrors([Diagnostic(code="P109", summary=f"{name} is larger than 1 MiB: {len(data)} bytes")])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        before = Source(name=name, text=data[: fault.start].decode("utf-8", "replace"))
        at = _position(before.text, len(before.text))
        found = Diagnostic(code="P102", summary="not UTF-8", span=_span(before, at), hint="save the file as UTF-8")
        raise SpecErrors([found]) from None
    source = Source(name=name, text=text)
    faults = list(_faults(source))
    if faults:
        raise SpecErrors(faults[:_SHOWN_AT_MOST])
    return source


def strange(text: str) -> tuple[str, int] | None:
    """Find a character that no value may hold even when it is escaped: its code and place. Tabs and line feeds may be."""
    for code, pattern in (("P106", _CONTROL), ("P107", _HIDDEN)):
        found = pattern.search(text)
        if found is not None:
            return code, found.start()
    if "\r" in text:
        return "P104", text.index("\r")
    if not unicodedata.is_normalized("NFC", text):
        return "P108", _first_not_normal(text)
    return None


SAYINGS: Mapping[str, tuple[str, str]] = {
    "P103": ("a byte order mark", "save the file as UTF-8 without BOM"),
    "P104": ("a carriage return", "save the file with line feeds only"),
    "P105": ("a tab", "indent with spaces; inside double quotes write `\\t`"),
    "P106": ("a control character: {name}", "take it out"),
    "P107": ("an invisible character: {name}", "take it out: what is read must be what is seen"),
    "P108": ("text that is not in normal form NFC", "write it composed: `{nfc}`"),
}


def saying(code: str, text: str, at: int) -> tuple[str, str]:
    """Say what is wrong with the character at a place, and what to do."""
    name = f"U+{ord(text[at]):04X} {unicodedata.name(text[at], '')}".strip()
    word = text[at : at + 2] if code == "P108" else text[at]
    what, advice = SAYINGS[code]
    return what.format(name=name), advice.format(nfc=unicodedata.normalize("NFC", word))


def _faults(source: Source) -> Iterator[Diagnostic]:
    text = source.text
    places: list[tuple[int, str]] = []
    body = text
    if text.startswith("\ufeff"):
        places.append((0, "P103"))
        body = " " + text[1:]
    for code, pattern in (("P104", "\r"), ("P105", "\t"), ("P106", _CONTROL), ("P107", _HIDDEN)):
        found = re.finditer(pattern, body)
        # One carriage return stands for all: they come in every line or not at all.
        places += [(each.start(), code) for each, _ in zip(found, range(1 if code == "P104" else 5), strict=False)]
    if not unicodedata.is_normalized("NFC", text):
        places.append((_first_not_normal(text), "P108"))
    for at, code in sorted(places):
        what, advice = saying(code, text, at)
        yield Diagnostic(code=code, summary=what, span=_span(source, _position(text, at)), hint=advice)


def _first_not_normal(text: str) -> int:
    """Find the first character that NFC would change, or that would join the one before it."""
    start = 0
    for line in text.split("\n"):
        if not unicodedata.is_normalized("NFC", line):
            changed = unicodedata.normalize("NFC", line)
            same = next((i for i, (one, other) in enumerate(zip(line, changed, strict=False)) if one != other), 0)
            return start + min(same, len(line) - 1)
        start += len(line) + 1
    return 0


def _position(text: str, at: int) -> Position:
    line = text.count("\n", 0, at) + 1
    return Position(line=line, column=at - (text.rfind("\n", 0, at) + 1) + 1)


def _span(source: Source, at: Position) -> Span:
    return Span(source=source, start=at, end=Position(line=at.line, column=at.column + 1))
