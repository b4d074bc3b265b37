"""Turn what went wrong into an exit code, a text for people and one JSON shape for programs."""

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from ledger.errors import Fault, Faults, IntegrityFault, UndecidedFault, WorldFault
from spec_lang.diagnostics import Diagnostic, SpecErrors, render

DONE, AUTHOR, USAGE, WORLD, REFUSED, UNDECIDED, BUG = 0, 1, 2, 3, 4, 5, 70
"""Exit codes. AUTHOR: what the user wrote; WORLD: run again to resume; REFUSED: integrity broken."""

_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (SpecErrors, AUTHOR),
    (click.exceptions.ClickException, USAGE),
    (WorldFault, WORLD),
    (KeyboardInterrupt, WORLD),
    (click.exceptions.Abort, WORLD),
    (OSError, WORLD),
    (IntegrityFault, REFUSED),
    (UndecidedFault, UNDECIDED),
)

_OS_HINTS = {
    errno.ENOSPC: "free some space and run the same command again; nothing recorded is lost",
    errno.EDQUOT: "free some space and run the same command again; nothing recorded is lost",
    errno.EROFS: "the file system is read-only; work on a writable copy",
    errno.EACCES: "the folder is not yours to write; work on a copy, or change its permissions",
    errno.EMFILE: "too many open files; raise the limit with ulimit -n",
}


def exit_code(fault: BaseException) -> int:
    """Give the exit code that the contract assigns to a fault; anything unforeseen is our bug."""
    return next((code for kind, code in _CODES if isinstance(fault, kind)), BUG)


def reasons(fault: BaseException) -> tuple[Fault, ...]:
    """Give the reasons of a fault in the one shape that ``--json`` prints."""
    match fault:
        case SpecErrors():
            return tuple(_of_diagnostic(each) for each in fault.diagnostics if each.severity == "error")
        case Faults():
            return fault.reasons
        case click.exceptions.ClickException():
            return (Fault(code="usage", what=fault.format_message(), hint=_help_of(fault)),)
        case KeyboardInterrupt() | click.exceptions.Abort():
            return (Fault(code="interrupted", what="stopped by the user", hint="run the same command again to resume"),)
        case OSError():
            what = fault.strerror or str(fault) or type(fault).__name__
            where = str(fault.filename) if fault.filename else None
            hint = _OS_HINTS.get(fault.errno or 0, "put it right and run the same command again")
            return (Fault(code="os", what=what, where=where, hint=hint),)
        case _:
            return (bug(fault),)


def document(found: Sequence[Fault], *, refused: bool) -> dict[str, object]:
    """Give the JSON document of a fault: ``{"status", "reasons": [{code, what, expected, got, where, hint}]}``."""
    return {"status": "refused" if refused else "fault", "reasons": [as_json(each) for each in found]}


def as_json(fault: Fault) -> dict[str, str | None]:
    """Give one reason under the keys of the contract."""
    keys = ("code", "what", "expected", "got", "where", "hint")
    return {key: getattr(fault, key) for key in keys}


def diagnostic_json(found: Diagnostic) -> dict[str, str | None]:
    """Give a diagnostic, a warning above all, under the keys of the contract."""
    return as_json(_of_diagnostic(found))


def text(fault: BaseException, found: Sequence[Fault]) -> str:
    """Show a fault and its reasons to a person: what is wrong, expected against got, where, and what to do."""
    if isinstance(fault, SpecErrors):
        return "\n\n".join(render(each) for each in fault.diagnostics)
    if isinstance(fault, click.exceptions.NoArgsIsHelpError):
        return fault.format_message()
    word = {REFUSED: "refused", UNDECIDED: "undecided"}.get(exit_code(fault), "error")
    return "\n".join(describe(each, word) for each in found)


def describe(fault: Fault, word: str) -> str:
    """Show one reason as text."""
    lines = [f"{word}[{fault.code}]: {fault.what}"]
    named = (("where", fault.where), ("expected", fault.expected), ("got", fault.got), ("hint", fault.hint))
    return "\n".join(lines + [f"  {name}: {value}" for name, value in named if value is not None])


def _help_of(fault: click.exceptions.ClickException) -> str:
    """Say where the usage of the verb stands that was called wrongly."""
    context = fault.ctx if isinstance(fault, click.exceptions.UsageError) else None
    if context is None or context.parent is None:
        return "prereg --help lists the verbs"
    return f"{context.command_path} --help says how it is used"


def bug(fault: BaseException) -> Fault:
    """Keep the traceback of our own mistake in a file, or print it where PREREG_TRACEBACK=1; say where it is."""
    trace = "".join(traceback.format_exception(fault))
    what = f"this is a bug in prereg, not in your work: {type(fault).__name__}: {fault}"
    hint = "please report it with its traceback; nothing recorded was changed by it"
    if os.environ.get("PREREG_TRACEBACK") == "1":
        sys.stderr.write(trace)
        return Fault(code="bug", what=what, where="the traceback is on stderr", hint=hint)
    handle, name = tempfile.mkstemp(prefix="prereg-bug-", suffix=".txt")
    os.close(handle)
    Path(name).write_text(trace, encoding="utf-8")
    return Fault(code="bug", what=what, where=f"the traceback is in {name}", hint=hint)


def _of_diagnostic(found: Diagnostic) -> Fault:
    what = found.summary if found.detail is None else f"{found.summary} (because {found.detail})"
    where = None if found.span is None else str(found.span)
    return Fault(code=found.code, what=what, where=where, hint=found.hint)
