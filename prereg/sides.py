"""The two sides of a difference: registrations, and what a folder says today."""

from pathlib import Path

from compiler.difference import Change
from compiler.registry import Entry, Registry
from ledger.errors import Fault, WorldFault
from prereg.current import Sided, changes, read, registered
from prereg.experiment import Experiment, experiment_of, spec_at


def diff(before: Path, after: Path | None) -> tuple[Change, ...]:
    """Compare two sides; one path alone is compared with the registration before it.

    Raises SpecErrors when a spec is faulty, WorldFault when there is nothing to compare with.
    """
    if after is not None:
        return changes(_side(before), _side(after))
    entry = _entry(before)
    if entry is not None:
        return changes(registered(_parent(entry)), registered(entry))
    newest = Registry(experiment_of(spec_at(before)).registry).newest()
    if newest is None:
        hint = "name both sides, or register this one first: prereg compile"
        raise WorldFault(Fault(code="nothing-before", what=f"nothing is registered beside {before}", hint=hint))
    return changes(registered(newest), _side(before))


def _side(path: Path) -> Sided:
    entry = _entry(path)
    if entry is not None:
        return registered(entry)
    spec = spec_at(path)
    if not spec.is_file():
        raise WorldFault(Fault(code="no-spec", what=f"{path} holds neither a registration nor a spec.yaml"))
    return read(spec, Experiment(root=spec.parent))


def _entry(path: Path) -> Entry | None:
    """Give the registration whose folder this is, or None."""
    return Registry(path.resolve().parent).find(path.resolve().name) if (path / "registration.json").is_file() else None


def _parent(entry: Entry) -> Entry:
    wanted = entry.registration.parent
    found = next((each for each in Registry(entry.folder.parent).entries() if each.digest == wanted), None)
    if found is None:
        raise WorldFault(Fault(code="nothing-before", what=f"{entry.name} amends nothing", hint="name both sides"))
    return found
