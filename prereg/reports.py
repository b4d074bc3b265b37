"""Compare the reports of a run folder with what the verdict renders to; what another tool drew is not called altered."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from analyzer.report import FIGURES, FILES, NUMBERS
from ledger.canonical import digest
from ledger.errors import Fault, IntegrityFault, UndecidedFault

STAMP = re.compile(r'<meta name="generator" content="([^"]*)">')
"""Where a page says which build of prereg wrote it and which library drew its figures."""

_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)


def compare_reports(root: Path, renderings: Iterable[Mapping[str, str]]) -> str:
    """Compare what is stored with each rendering in turn; gives what was compared.

    Raises:
        IntegrityFault: The reports are none of the renderings, or a figure beside them is not theirs.
        UndecidedFault: A report is not there; or another build of prereg or of the drawing library made it, and this one
            makes other bytes.
    """
    lost = [name for name in (*FILES, NUMBERS) if not (root / name).is_file()]
    if lost:
        raise UndecidedFault(
            Fault(code="no-report", what=f"{' and '.join(lost)} not there", hint=f"prereg report {root}")
        )
    stored = _stored(root)
    odd: list[str] = []
    again: Mapping[str, str] = {}
    for again in renderings:
        odd = sorted(name for name, data in stored.items() if _bytes(again.get(name)) != data)
        if not odd:
            return "report.md, report.html, its figures and its numbers are what the verdict renders to"
        if _same_but_for_the_stamp(stored, again):
            return "the reports are what the verdict renders to, though another build made them"
    raise _fault(stored, again, odd)


def _fault(stored: Mapping[str, bytes], again: Mapping[str, str], odd: list[str]) -> IntegrityFault | UndecidedFault:
    theirs, ours = _stamp(stored["report.html"].decode("utf-8", "replace")), _stamp(again["report.html"])
    by, drawn = theirs.split("; ")[0] != ours.split("; ")[0], theirs != ours
    texts_same = stored["report.md"] == _bytes(again["report.md"]) and _words(stored["report.html"]) == _words(
        _bytes(again["report.html"]) or b""
    )
    if by or (drawn and texts_same):
        what = "another build made the reports, and this one renders the verdict into other bytes"
        if not by:
            what = (
                "another version of the drawing library made the figures; every word and number beside them is the same"
            )
        hint = "audit with the build named, or render them again with prereg report and compare"
        return UndecidedFault(
            Fault(code="other-tool", what=what, expected=theirs, got=ours, where="report.html", hint=hint)
        )
    name = odd[0]
    expected = digest(_bytes(again[name]) or b"") if name in again else "no such figure"
    what = f"{name} is not what the verdict renders to"
    return IntegrityFault(
        Fault(code="report-altered", what=what, expected=expected, got=digest(stored[name]), where=name)
    )


def _stored(root: Path) -> dict[str, bytes]:
    figures = sorted((root / FIGURES).glob("*.svg"))
    paths = [*(root / name for name in (*FILES, NUMBERS)), *figures]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def _same_but_for_the_stamp(stored: Mapping[str, bytes], again: Mapping[str, str]) -> bool:
    return all(
        name in again and _unstamped(data) == _unstamped(_bytes(again[name]) or b"") for name, data in stored.items()
    )


def _stamp(page: str) -> str:
    found = STAMP.search(page)
    return found.group(1) if found else ""


def _unstamped(data: bytes) -> str:
    return STAMP.sub("", data.decode("utf-8", "replace"), count=1)


def _words(data: bytes) -> str:
    """Give a page without its drawings and its stamp."""
    return _DRAWING.sub("", _unstamped(data))


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")
