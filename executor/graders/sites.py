"""What a search for call sites gives: the sites of an API in a tree, names that still stand for it, and what such a search cannot see."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ledger.plain import Plain

Form = Literal["call", "decorator", "partial", "reference", "pattern", "re-export", "dynamic"]
"""How a site uses an API: a ``reference`` hands it on uncalled (``map(old, rows)``), a ``pattern`` was found by the author's pattern."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Site:
    """One place of a tree; line and column count from 1. ``dead``: no run can reach it (``if False:``, behind a ``return``)."""

    path: str
    line: int
    column: int
    form: Form
    text: str
    dead: bool = False

    @property
    def place(self) -> str:
        """Where it is, as a consolidations file names it."""
        return f"{self.path}:{self.line}"

    def plain(self) -> Plain:
        """Give the site for an artefact."""
        return {"at": f"{self.place}:{self.column}", "form": self.form, "text": self.text, "dead": self.dead}


@dataclass(frozen=True, kw_only=True, slots=True)
class Api:
    """A function (or class, or value) by the module that defines it and its name there."""

    module: str
    name: str

    @classmethod
    def read(cls, text: str) -> "Api":
        """Read ``package.module:name`` (Python) or ``src/module:name`` (TypeScript)."""
        module, _, name = text.rpartition(":")
        return cls(module=module, name=name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is looked for: APIs whose names are followed, and patterns. Sites inside definitions of ``within`` are left out.

    An old function kept as a shim calls the new one; that is no call site that anybody migrated.
    """

    apis: tuple[Api, ...]
    patterns: tuple[str, ...] = ()
    within: tuple[Api, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Survey:
    """What was found. ``unread``: files that could not be parsed, where anything may hide."""

    sites: tuple[Site, ...]
    reexports: tuple[Site, ...] = ()
    dynamic: tuple[Site, ...] = ()
    unread: tuple[str, ...] = ()


Files = Mapping[str, str]
"""Path → text of the files that are searched; names are followed through these files alone."""


def survey_of(found: Iterable[Site], unread: Iterable[str]) -> Survey:
    """Sort what was found by form; of two sites at one place the one whose name was followed stays."""
    kept: dict[tuple[str, int, int], Site] = {}
    for site in sorted(found, key=lambda each: each.form == "pattern"):
        kept.setdefault((site.path, site.line, site.column), site)
    ordered = sorted(kept.values())
    return Survey(
        sites=tuple(each for each in ordered if each.form not in ("re-export", "dynamic")),
        reexports=tuple(each for each in ordered if each.form == "re-export"),
        dynamic=tuple(each for each in ordered if each.form == "dynamic"),
        unread=tuple(sorted(unread)),
    )
