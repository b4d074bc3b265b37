"""What would give a task away: the files, symbols and lines of its fix, in every spelling a prompt could use."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from compiler.task import Candidate

Refused = Literal["gold-file", "gold-symbol", "gold-line"]

NAMELESS = frozenset({"__init__", "__main__", "index", "mod"})
"""Stems that so many files share that they point at none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Giveaway:
    """One spelling that must not stand in a prompt, and what it would give away."""

    pattern: re.Pattern[str]
    what: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """Where a text gives something away: characters ``start`` up to ``end``."""

    start: int
    end: int
    what: str


def giveaways(candidate: Candidate, refuse: Sequence[Refused]) -> tuple[Giveaway, ...]:
    """List what a text that an agent reads must not say of this candidate.

    ``gold-file``: every file that the fix touches, its tests included, as path, path without suffix, file name, dotted
    module name, and as bare stem where the stem is no ordinary word. ``gold-symbol``: every symbol that the fix
    introduces and every test that proves it. ``gold-line``: every substantial line that it adds or removes, however it is
    spaced.
    A plain word (``graph``, ``close``) is refused only where it is written as code: in backticks, called, or after a dot.
    """
    found: list[Giveaway] = []
    if "gold-file" in refuse:
        for path in _files(candidate):
            found += _of_file(path)
    if "gold-symbol" in refuse:
        for symbol in candidate.gold_symbols:
            found += _of_symbol(symbol, f"`{symbol}`, a symbol of the fix")
        for test in _tests(candidate):
            found += _of_symbol(test, f"`{test}`, a test of the fix")
    if "gold-line" in refuse:
        for line in candidate.gold_lines:
            found.append(_of_line(line))
    return tuple(found)


def first_given(text: str, refused: Iterable[Giveaway]) -> Given | None:
    """Find the first giveaway in a text, the longest where several start together."""
    hits = [(hit.start(), -hit.end(), each.what) for each in refused if (hit := each.pattern.search(text))]
    if not hits:
        return None
    start, end, what = min(hits)
    return Given(start=start, end=-end, what=what)


def _files(candidate: Candidate) -> tuple[str, ...]:
    changed = candidate.facts.get("changed")
    paths = set(candidate.gold_files)
    if isinstance(changed, Sequence) and not isinstance(changed, str):
        paths |= {str(each["path"]) for each in changed if isinstance(each, Mapping) and "path" in each}
    paths |= {test.split("::", 1)[0] for test in _texts(candidate.facts.get("fail_to_pass")) if "::" in test}
    return tuple(sorted(paths))


def _tests(candidate: Candidate) -> tuple[str, ...]:
    """Give the bare names of the tests that the fix makes pass (``a/b.py::C::test_x[1]`` and ``a.b.C.test_x`` are ``test_x``)."""
    ids = _texts(candidate.facts.get("fail_to_pass"))
    bare = (re.split(r"::|\.", each.split("[", 1)[0].strip())[-1] for each in ids)
    return tuple(sorted({name for name in bare if name.isidentifier() and _is_name(name)}))


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(each for each in value if isinstance(each, str))
    return ()


def _of_file(path: str) -> Iterator[Giveaway]:
    pure = PurePosixPath(path)
    what = f"`{path}`, a file that the fix touches"
    yield _spelled(path, what)
    if len(pure.parts) > 1 and pure.suffix:
        yield _spelled(str(pure.with_suffix("")), what)
    stem = pure.name.split(".", 1)[0]
    if stem not in NAMELESS and pure.name:
        yield _spelled(pure.name, what)
        if stem != pure.name or "." not in pure.name:
            yield from _of_symbol(stem, what, plain=False)
    if pure.suffix in {".py", ".pyi"}:
        parts = pure.with_suffix("").parts
        parts = parts[:-1] if parts and parts[-1] == "__init__" else parts
        # Every tail with a dot in it: ``src/pkg/core.py`` is imported as ``pkg.core``.
        for first in range(len(parts) - 1):
            yield _spelled(".".join(parts[first:]), what)


def _of_symbol(symbol: str, what: str, *, plain: bool = True) -> Iterator[Giveaway]:
    """Refuse a symbol as written and by its last part; ``plain`` words also count, but only as code."""
    for name in sorted({symbol, symbol.rsplit(".", 1)[-1]}):
        if not name:
            continue
        if _is_name(name) or "." in name:
            yield _spelled(name, what, exact=True)
        elif plain:
            code = re.escape(name)
            as_code = rf"`[^`\n]*(?<![A-Za-z0-9_]){code}(?![A-Za-z0-9_])[^`\n]*`|(?<![A-Za-z0-9_]){code}\(|\.{code}(?![A-Za-z0-9_])"
            yield Giveaway(pattern=re.compile(as_code), what=what)
        else:
            yield Giveaway(pattern=re.compile(rf"`{re.escape(name)}`"), what=what)


def _of_line(line: str) -> Giveaway:
    """Refuse a line with any white space, or none, between its words and signs."""
    pieces = re.findall(r"\w+|[^\w\s]", line)
    return Giveaway(pattern=re.compile(r"\s*".join(map(re.escape, pieces))), what="a line of the fix, word for word")


def _is_name(word: str) -> bool:
    """Tell a name that only code has (``parse_range``, ``toRoman``, ``utf8``) from an ordinary word (``parse``, ``Graph``, ``README``)."""
    return "_" in word.strip("_") or any(each.isdigit() for each in word) or re.search(r"[a-z][A-Z]", word) is not None


def _spelled(text: str, what: str, *, exact: bool = False) -> Giveaway:
    """Refuse a text between word boundaries; files in any case and with either slash, symbols exactly."""
    body = re.escape(text).replace("/", r"[/\\]")
    # A dot or slash may stand before (``./a/b.py``); a name character may not, nor may one follow.
    pattern = rf"(?<![A-Za-z0-9_]){body}(?![A-Za-z0-9_])"
    return Giveaway(pattern=re.compile(pattern, 0 if exact else re.IGNORECASE), what=what)
