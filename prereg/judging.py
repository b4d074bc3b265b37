"""Judge a closed run and write its verdict and reports; the same judgment again changes nothing."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from analyzer.report import FIGURES
from analyzer.verdict import Verdict
from analyzer.verdict_file import decode, encode, plain, reread
from ledger.canonical import digest
from ledger.disk import write_whole
from ledger.errors import Fault, IntegrityFault, UndecidedFault
from ledger.records import Analysis
from ledger.store import Ledger
from prereg import clock
from prereg.case import Case
from prereg.closeness import apart
from prereg.experiment import RunFolder
from prereg.rendering import rendered


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A verdict, and the case that it was reached in."""

    case: Case
    verdict: Verdict

    @property
    def folder(self) -> RunFolder:
        """Where the files of the run lie."""
        return self.case.folder

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the folder (another formatting); the verdict has its own."""
        return self.case.warnings

    @property
    def document(self) -> Mapping[str, Any]:
        """The verdict with the keys of ``verdict.json``, warnings of the folder among its own."""
        found = plain(self.verdict)
        return {**found, "warnings": [*self.verdict.warnings, *self.warnings]}


def analyze(folder: RunFolder) -> Judged:
    """Apply the registered decision rule; write verdict.json and the reports, and remember it in the ledger.

    Raises IntegrityFault when spec, registration, plan, ledger or blobs do not fit together or the stored verdict was
    altered; UndecidedFault while the run is open, before anything is computed.
    """
    with _no_collector():
        return _analyzed(folder)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Keep Python from looking for circles among the million nouns of a long ledger, of which there are none.

    What was made meanwhile is not looked through at the end either: frozen and let go again, it counts as old.
    """
    used = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()
        if used:
            gc.enable()


def _analyzed(folder: RunFolder) -> Judged:
    case = _fitting(folder)
    verdict = case.judged
    made = encode(verdict)
    _refuse_altered(case, made)
    remembered = [each for each in case.analyses if each.ledger_head == verdict.ledger_head]
    if remembered and folder.verdict.is_file() and not any(each.verdict == digest(made) for each in remembered):
        # Another machine may differ in the last bits; the verdict that the ledger remembers stands.
        made = folder.verdict.read_bytes()
        verdict = decode(made)
    reports = rendered(case, reread(made), digest(made))
    write_whole(folder.verdict, made)
    if digest(made) not in [each.verdict for each in remembered]:
        with Ledger.open(folder.root, case.entry.digest, clock.now, known=case.remembered) as ledger:
            ledger.append(Analysis(verdict=digest(made), status=verdict.status, ledger_head=verdict.ledger_head))
    _write_reports(folder, reports)
    return Judged(case=case, verdict=verdict)


def report(folder: RunFolder) -> Judged:
    """Render the reports again from the stored verdict, after the checks that ``analyze`` makes."""
    with _no_collector():
        return _reported(folder)


def _reported(folder: RunFolder) -> Judged:
    case = _fitting(folder)
    if not folder.verdict.is_file():
        hint = f"prereg analyze {folder.root}"
        raise UndecidedFault(Fault(code="no-verdict-file", what="the run was not analyzed yet", hint=hint))
    stored = folder.verdict.read_bytes()
    if digest(stored) not in [each.verdict for each in case.analyses]:
        raise IntegrityFault(_altered(case, stored))
    far = apart(stored, encode(case.judged))
    if far:
        raise IntegrityFault(*far)
    verdict = decode(stored)
    _write_reports(folder, rendered(case, verdict, digest(stored)))
    return Judged(case=case, verdict=verdict)


def _fitting(folder: RunFolder) -> Case:
    """Check that registration, ledger and folder fit together and that the spec is the registered one."""
    case = Case(folder)
    _ = (case.registered_files, case.plan, case.opened, case.warnings)
    return case


def _refuse_altered(case: Case, made: bytes) -> None:
    """A stored verdict must be one that the ledger remembers, or the very one computed now (a crash came between)."""
    if not case.folder.verdict.is_file():
        return
    stored = case.folder.verdict.read_bytes()
    if stored == made:
        return
    known = {each.verdict: each for each in case.analyses}
    if digest(stored) not in known:
        raise IntegrityFault(_altered(case, stored))
    if known[digest(stored)].ledger_head == case.judged.ledger_head:
        far = apart(stored, made)
        if far:
            raise IntegrityFault(*far)


def _altered(case: Case, stored: bytes) -> Fault:
    return Fault(
        code="verdict-altered",
        what="verdict.json is not a verdict that the ledger remembers",
        expected=", ".join(each.verdict for each in case.analyses) or "no verdict yet",
        got=digest(stored),
        where=str(case.folder.verdict),
        hint="it was edited or comes from another run; remove it and run prereg analyze: it is computed from the ledger",
    )


def _write_reports(folder: RunFolder, reports: Mapping[str, str]) -> None:
    """Write the reports and the figures beside them; a figure that this report has not is taken away."""
    figures = folder.root / FIGURES
    figures.mkdir(exist_ok=True)
    for each in figures.glob("*.svg"):
        if f"{FIGURES}/{each.name}" not in reports:
            each.unlink()
    for name, text in reports.items():
        write_whole(folder.root / name, text.encode("utf-8"))
