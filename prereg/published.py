"""Compare what was published elsewhere, a claims file or a page, with the verdict it speaks of."""

import json
import os
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path, PurePosixPath
from typing import Any

from ledger.disk import write_whole
from ledger.errors import Fault, IntegrityFault, UndecidedFault, WorldFault
from prereg.closeness import near

MARKER = re.compile(r"^[ \t]*<!--\s*prereg:(begin|end)\b([^>]*)-->(?=[ \t]*\r?$)", re.MULTILINE)
"""A marker has a line of its own, so that a page can speak of markers; behind ``begin`` stands whose block it is."""
OWED, LAST = "## Where it does not help", "## What this does not show"
"""Headings of the section that a page owes to whoever reads a result on it, and of the last section of a summary."""

NO_BLOCK = "it has no <!-- prereg:begin … --> … <!-- prereg:end --> block, each marker on a line of its own"


def compare_published(path: Path, verdict: Path, report: Path, *, run: str | None = None) -> str:
    """Compare a published file with the verdict (JSON) or the report (any other); gives what was compared.

    A JSON file holds a part of ``verdict.json`` under the same keys; a number may be rounded to the digits it is
    written with. Elsewhere, what stands between ``<!-- prereg:begin … -->`` and ``<!-- prereg:end -->`` must be whole
    lines of ``report.md``, in order and without a gap, and some block must hold the section on where it does not help.
    Blocks that name another run than ``run`` are that run's, and are only counted.
    Raises IntegrityFault when something differs, UndecidedFault when there is nothing to compare.
    """
    text = _text(path)
    if path.suffix == ".json":
        return _claims(path, text, json.loads(verdict.read_bytes()))
    return _page(path, text, _text(report), run)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as fault:
        raise _nothing(path, "it is not UTF-8") from fault


def summary(report: str) -> str:
    """Give the head of a report, word for word: from its verdict down to what it does not show.

    So a page that publishes a result publishes with it where it does not help.
    """
    last = report.find(f"\n{LAST}")
    end = report.find("\n## ", last + 1) if last >= 0 else -1
    return report if end < 0 else report[: end + 1]


def inject(path: Path, report: str, *, run: str | None = None) -> int:
    """Put a report's summary between every pair of markers of a page; gives how many pairs there are.

    A pair that names another run than ``run`` is left alone, and so is every line outside, its ending included. A link is
    followed, and the file keeps its mode.

    Raises:
        UndecidedFault: There is no such pair, or the markers do not fit together; the page is left as it was.
        WorldFault: The page may not be written.
    """
    text = _text(path)
    ending = "\r\n" if "\r\n" in text else "\n"
    put = ending.join(["", *summary(report).strip("\n").split("\n"), ""])
    pieces, at = [], 0
    ours, _ = _blocks(path, text, run)
    for begin, end in ours:
        pieces += [text[at:begin], put]
        at = end
    mode = path.stat().st_mode & 0o7777
    if not mode & 0o222 or not os.access(path, os.W_OK):
        hint = "make it writable, or inject into a copy"
        raise WorldFault(Fault(code="read-only", what=f"{path.name} is write-protected", where=str(path), hint=hint))
    write_whole(path.resolve(), "".join([*pieces, text[at:]]).encode("utf-8"), mode=mode)
    return len(ours)


def _claims(path: Path, text: str, verdict: Any) -> str:
    try:
        claims = json.loads(text, parse_float=Decimal, object_pairs_hook=_once)
    except (ValueError, RecursionError) as fault:
        raise _nothing(path, f"it is not JSON: {fault}") from fault
    compared = list(_leaves(claims, verdict, ""))
    wrong = [each for each in compared if isinstance(each, Fault)]
    if wrong:
        raise IntegrityFault(*wrong)
    if not compared:
        raise _nothing(path, "it claims nothing")
    return f"{path}: {len(compared)} published value(s) are those of the verdict"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice: a reader sees one value, a program the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, _ in pairs if [each for each, _ in pairs].count(name) > 1)
        raise ValueError(f"{twice!r} stands twice in one object")
    return found


def _leaves(claim: Any, verdict: Any, where: str) -> Iterator[Fault | None]:
    if isinstance(claim, dict) and isinstance(verdict, dict):
        for key, value in claim.items():
            place = f"{where}.{key}" if where else key
            if key in verdict:
                yield from _leaves(value, verdict[key], place)
            else:
                yield _wrong(place, f"no {place} in the verdict", json.dumps(value, default=str))
    elif isinstance(claim, list) and isinstance(verdict, list) and len(claim) == len(verdict):
        for place, (one, other) in enumerate(zip(claim, verdict, strict=True)):
            yield from _leaves(one, other, f"{where}[{place}]")
    elif _same(claim, verdict):
        yield None
    else:
        yield _wrong(where, json.dumps(verdict), json.dumps(claim, default=str))


def _same(claim: Any, verdict: Any) -> bool:
    if isinstance(claim, bool) or isinstance(verdict, bool) or not isinstance(verdict, int | float):
        return bool(claim == verdict and type(claim) is type(verdict))
    if not isinstance(claim, int | float | Decimal):
        return False
    if near(float(claim), verdict):
        return True
    exponent = Decimal(claim).as_tuple().exponent
    if not isinstance(exponent, int) or exponent > 0:
        return False
    try:
        return abs(Decimal(verdict) - Decimal(claim)) <= Decimal(5).scaleb(exponent - 1)
    except InvalidOperation:
        return False


def _page(path: Path, text: str, report: str, run: str | None) -> str:
    ours, others = _blocks(path, text, run)
    blocks = [text[begin:end] for begin, end in ours]
    lines = _trimmed(report)
    owed = _section(lines, OWED)
    if owed and not any(_within(owed, _trimmed(block)) for block in blocks):
        what = f"{path.name} publishes a result without its section on where it does not help"
        hint = "put the whole summary there: prereg report RUN --inject PAGE"
        got = f"{len(blocks)} block(s) without it"
        raise IntegrityFault(Fault(code="published", what=what, expected=owed[0], got=got, where=str(path), hint=hint))
    for number, block in enumerate(blocks, start=1):
        wanted = _trimmed(block)
        if not wanted or not _within(wanted, lines):
            odd = next((each for each in wanted if each not in lines), wanted[0] if wanted else "nothing")
            what = f"block {number} of {path.name} is not a part of report.md"
            hint = "copy it again from report.md"
            raise IntegrityFault(
                Fault(code="published", what=what, expected="lines of report.md", got=odd, where=str(path), hint=hint)
            )
    said = f"{path}: {len(blocks)} block(s) are parts of report.md, word for word"
    return f"{said}; not compared: {len(others)} of other runs ({', '.join(others)})" if others else said


def _section(lines: list[str], heading: str) -> list[str]:
    """Give the lines of a report's section, its heading first; nothing where the report has none."""
    begin = next((at for at, line in enumerate(lines) if line.startswith(heading)), None)
    if begin is None:
        return []
    end = next((at for at in range(begin + 1, len(lines)) if lines[at].startswith("## ")), len(lines))
    return _trimmed("\n".join(lines[begin:end]).rstrip("\n"))


def _within(wanted: list[str], lines: list[str]) -> bool:
    """Say whether these lines stand in those, whole, in order and without a gap."""
    return any(lines[at : at + len(wanted)] == wanted for at in range(len(lines) - len(wanted) + 1))


def _blocks(path: Path, text: str, run: str | None) -> tuple[list[tuple[int, int]], list[str]]:
    """Give where each block of a run begins and ends, and which runs the other blocks name; a block without a name is anybody's.

    Raises UndecidedFault where no block is the run's, or a marker has no partner.
    """
    ours: list[tuple[int, int]] = []
    others: list[str] = []
    begin: re.Match[str] | None = None
    for marker in MARKER.finditer(text):
        if (marker[1] == "begin") is (begin is not None):
            odd = f"the prereg:{marker[1]} marker of line {text.count(chr(10), 0, marker.start()) + 1}"
            raise _nothing(path, f"{odd} stands {'inside another block' if begin else 'behind no prereg:begin'}")
        if begin is None:
            begin = marker
            continue
        named = begin[2].strip(" \t:")
        if run is None or not named or PurePosixPath(named).name == run:
            ours.append((begin.end(), marker.start()))
        else:
            others.append(named)
        begin = None
    if begin is not None:
        raise _nothing(path, "a prereg:begin marker has no prereg:end")
    if not ours:
        raise _nothing(path, f"its blocks are of other runs: {', '.join(others)}" if others else NO_BLOCK)
    return ours, others


def _trimmed(text: str) -> list[str]:
    return text.strip("\r\n").splitlines() if text.strip() else []


def _wrong(where: str, expected: str, got: str) -> Fault:
    what = f"the published {where} is not that of the verdict"
    hint = "correct what was published; the verdict follows from the ledger and is never edited"
    return Fault(code="published", what=what, expected=expected, got=got, where=where, hint=hint)


def _nothing(path: Path, why: str) -> UndecidedFault:
    return UndecidedFault(
        Fault(code="published", what=f"{path} cannot be taken for a published page: {why}", where=str(path))
    )
