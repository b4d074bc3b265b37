"""Checks where the files lie that a spec names: in its own folder, so that whoever is handed the folder has them all."""

import posixpath
from collections.abc import Iterator

from compiler.checks.subject import Subject, fault
from compiler.inputs import places_of_inputs
from spec_lang.diagnostics import Diagnostic
from spec_lang.span import Span

CODES = {"P402": "an input that lies outside of the experiment's folder"}


def check_inputs(subject: Subject) -> Iterator[Diagnostic]:
    """No input leaves the experiment's folder by its name; where a link leads is seen only where the folder is."""
    for path, name in places_of_inputs(subject.spec):
        if leaves(name):
            yield outside(name, subject.at(*path))


def leaves(name: str) -> bool:
    """Tell whether a name leads out of the folder that it is seen from."""
    return name.startswith("/") or posixpath.normpath(name).partition("/")[0] == ".."


def outside(name: str, span: Span | None, *, by: str = "") -> Diagnostic:
    """Refuse an input that lies elsewhere; ``by`` says how its name leads there, where that is not seen in it."""
    return fault(
        "P402",
        f"`{name}`{by} lies outside of the experiment's folder",
        span,
        detail="a registration holds a copy, and whoever judges or audits compares it with the folder they were handed",
        hint="copy the file into the folder, and name it as seen from there",
    )
