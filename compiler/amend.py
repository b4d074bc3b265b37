"""Amendments: a changed spec becomes a child of the registration it changes, and the change log is read from that chain."""

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.difference import Change
from compiler.registration import Access, Lockable
from compiler.registry import Entry, Registry, changes_since
from ledger.errors import Fault, IntegrityFault
from spec_lang.diagnostics import Diagnostic, SpecErrors

CODES = {
    "P905": "an amendment of nothing",
    "P906": "an amendment that changes nothing",
    "P907": "an amendment without a reason",
}

ACCESS: tuple[Access, ...] = ("nothing-run", "runs-not-opened", "outcomes-seen")
"""What had been seen when something was registered, from least to most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LogEntry:
    """One line of the change log. ``date`` is a claim; ``changes`` is empty for the first registration."""

    name: str
    digest: str
    date: str
    reason: str | None
    access: Access
    changes: tuple[Change, ...]

    @property
    def runs_existed(self) -> bool:
        """Whether any run existed when this was registered, as far as the ledgers told."""
        return self.access != "nothing-run"


def amend(
    registry: Registry,
    compiled: Lockable,
    *,
    reason: str,
    access_floor: Access,
    stated_access: Access = "nothing-run",
    source_bytes: bytes,
    inputs: Mapping[str, bytes],
    tool: Mapping[str, str],
    now: str,
    new_id: str,
    effective_from: int | None = None,
) -> Entry:
    """Register a changed spec as a child of the newest registration.

    ``access_floor`` is what the ledgers say had been seen; the author's own ``stated_access`` can only raise it. Nor can
    an amendment claim that less had been seen than its parent does. ``effective_from``: the ledger line from which it
    holds; None: for new runs only.

    Raises:
        SpecErrors: P905 nothing is registered yet, P906 nothing changed, P907 the reason is empty.
        IntegrityFault, WorldFault: As ``Registry.register``.
    """
    newest = registry.newest()
    if newest is None:
        raise _refused("P905", "there is no registration to amend", "prereg compile makes the first registration")
    if newest.registration.spec["digest"] == compiled.spec_digest:
        what = f"nothing to amend: the spec means what {newest.name} registered"
        raise _refused("P906", what, "formatting and comments need no amendment")
    if not reason.strip():
        raise _refused("P907", "an amendment needs a reason", "--reason 'why it changes'")
    return registry.register(
        compiled,
        source_bytes=source_bytes,
        inputs=inputs,
        tool=tool,
        now=now,
        new_id=new_id,
        parent=newest,
        reason=reason.strip(),
        access=most_seen(access_floor, stated_access, newest.registration.access),
        effective_from=effective_from,
    )


def most_seen(*levels: Access) -> Access:
    """Give the highest of several levels of access."""
    return max(levels, key=ACCESS.index)


def change_log(registry: Registry) -> tuple[LogEntry, ...]:
    """Read the change log from the chain of registrations, oldest first; no file holds it, so nobody can rewrite it.

    Raises:
        IntegrityFault: As ``Registry.entries``; ``registry-changes`` when a registration says other changes than its
            spec.json shows.
    """
    entries = registry.entries()
    by_digest = {each.digest: each for each in entries}
    return tuple(_log_entry(each, by_digest.get(each.registration.parent or "")) for each in entries)


def _log_entry(entry: Entry, parent: Entry | None) -> LogEntry:
    registered = entry.registration
    changes = changes_since(parent, entry.spec_bytes())
    if changes != registered.changes:
        raise IntegrityFault(
            Fault(
                code="registry-changes",
                what=f"{entry.name} says other changes than its spec.json shows",
                expected="; ".join(map(str, changes)),
                got="; ".join(map(str, registered.changes)),
                where=f"registry/{entry.name}",
                hint="it was not written by prereg",
            )
        )
    return LogEntry(
        name=entry.name,
        digest=entry.digest,
        date=registered.created_at_untrusted,
        reason=registered.reason,
        access=registered.access,
        changes=changes,
    )


def _refused(code: str, summary: str, hint: str) -> SpecErrors:
    return SpecErrors([Diagnostic(code=code, summary=summary, hint=hint)])
