"""Text cases of diagnostics: chunks of wrong text whose faulty lines say which code and words must come.

A case file holds chunks between lines ``---8<---``. The first line of a chunk is its header, ``#: KIND: what it shows``:

- ``yaml``: the rest is a file for the YAML reader; ``bytes`` the same with Python's escapes decoded (``\\x00``, ``\\r``).
- ``spec``: the rest replaces sections of ``tests/fixtures/minimal.yaml`` and is loaded; ``spec+`` is added to it.
- ``task``, ``taskjson``: the rest is the task file of the folder ``add-a-flag``.
- ``assumptions``, ``judgments``: the rest is a file of assumptions, or of judgments.
- ``expression SCOPE``: each line is an expression, parsed and checked in a scope of ``SCOPES``.

A line that ends in ``#! P204 "regexp"`` must give exactly that code there, and its message must match; several may follow
one another. Every line without must give nothing.
"""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "cases"
_MARK = re.compile(r' *#! (?=P\d{3} ")')
_EXPECTED = re.compile(r'(P\d{3}) "((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One chunk: its kind, its text without marks, and for each line (from 1) the (code, regexp) that must come."""

    name: str
    kind: str
    text: str
    expected: dict[int, list[tuple[str, str]]]


def read_cases(file: Path) -> list[Case]:
    """Read a case file."""
    chunks = re.split(r"^---8<---\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [_case(file, chunk) for chunk in chunks if chunk.strip()]


def _case(file: Path, chunk: str) -> Case:
    header, _, body = chunk.partition("\n")
    found = re.fullmatch(r"#: ([a-z+ _]+): (.+)", header)
    assert found, f"{file.name}: not a header: {header}"
    lines, expected = [], {}
    for number, line in enumerate(body.split("\n"), 1):
        text, *marks = _MARK.split(line)
        lines.append(text)
        if marks:
            expected[number] = [
                (code, pattern.replace('\\"', '"')) for mark in marks for code, pattern in _EXPECTED.findall(mark)
            ]
    return Case(name=f"{file.stem}: {found[2]}", kind=found[1], text="\n".join(lines).rstrip("\n"), expected=expected)
