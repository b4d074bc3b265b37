"""Faults of the world of records: one shape for what is wrong, and the exceptions that carry it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One reason, as ``--json`` prints it: what is wrong, expected against got, where, and what to do."""

    code: str
    what: str
    expected: str | None = None
    got: str | None = None
    where: str | None = None
    hint: str | None = None


class Faults(Exception):  # noqa: N818  # it carries many faults, and the plural says so
    """Carries one or more faults; the subclass decides the exit code."""

    def __init__(self, *reasons: Fault, more: Iterable[Fault] = ()) -> None:
        self.reasons = (*reasons, *more)
        super().__init__("; ".join(each.what for each in self.reasons))


class IntegrityFault(Faults):
    """Something was altered, doubled, dropped, or belongs elsewhere. Nothing swallows it. Exit code 4."""


class WorldFault(Faults):
    """The world failed or a guard stopped the work; running again resumes. Exit code 3."""


class UndecidedFault(Faults):
    """It cannot be decided or verified: incomplete, unanchored. Exit code 5."""
