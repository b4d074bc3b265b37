"""Amendments: a changed spec becomes a child of the registration it changes, and the change log is read from that chain."""

from collections.abc import Iterator, Mapping, Sequence

from compiler.registration import Access, Lockable
from compiler.registry import Entry, Registry, changes_since
from ledger.errors import Fault
from spec_lang.diagnostics import Diagnostic, SpecErrors

CODES = {
    "P905": "an amendment of nothing",
    "P906": "an amendment that changes nothing",
    "P907": "an amendment without a reason",
}

ACCESS: tuple[Access, ...] = ("nothing-run", "runs-not-opened", "outcomes-seen")
"""What had been seen when something was registered, from least to most."""


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


def told_otherwise(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Fault]]:
    """Find the registrations that say other changes than their spec.json shows beside that of the one they amend.

    The change log of a report, and what of it came after outcomes were seen, is read from what they say.
    Raises IntegrityFault when a spec.json is not the one that was registered.
    """
    by_digest = {each.digest: each for each in entries}
    for each in entries:
        changes = changes_since(by_digest.get(each.registration.parent or ""), each.spec_bytes())
        if changes != each.registration.changes:
            yield (
                each,
                Fault(
                    code="registry-changes",
                    what=f"{each.name} says other changes than its spec.json shows",
                    expected="; ".join(map(str, changes)),
                    got="; ".join(map(str, each.registration.changes)),
                    where=f"registry/{each.name}",
                    hint="it was not written by prereg",
                ),
            )


def _refused(code: str, summary: str, hint: str) -> SpecErrors:
    return SpecErrors([Diagnostic(code=code, summary=summary, hint=hint)])
