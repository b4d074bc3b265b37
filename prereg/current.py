"""Which spec counts: what the experiment folder says today, compared with what a run was registered by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from compiler.burned import BURNED
from compiler.checks.inputs import leaves, outside
from compiler.difference import Change, difference
from compiler.identity import meaning, spec_document
from compiler.inputs import EARLIER, POOL, earlier_names, input_names, named_at
from compiler.registry import Entry, Registry
from ledger.canonical import canonical, digest, parse
from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain
from prereg.experiment import SPEC, Experiment
from prereg.reading import load_spec
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.load import Loaded
from spec_lang.span import Source
from spec_lang.yaml_tree import plain, read_tree

CODES = {"P931": "a file that the spec names and that is not there"}

YAML = (".yaml", ".yml")


class Sided(Protocol):
    """A side of a comparison: a registration, or what is written in a folder today."""

    def spec_bytes(self) -> bytes:
        """Give the bytes of spec.json."""
        ...

    def input(self, name: str) -> bytes:
        """Give the bytes of an input."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What an author has in the folder: the spec as loaded, and the bytes of every input it names (the pool's too)."""

    loaded: Loaded
    source_bytes: bytes
    inputs: Mapping[str, bytes]
    absent: tuple[str, ...] = ()
    """Files that the spec names and that are not there."""

    def spec_bytes(self) -> bytes:
        """Give the canonical document that ``spec_digest`` covers. Raises SpecErrors when a YAML input is faulty."""
        return spec_document(self.loaded.spec, self.inputs)

    def input(self, name: str) -> bytes:
        """Give the bytes of an input."""
        return self.inputs[name]


def read(spec: Path, experiment: Experiment) -> Written:
    """Read a spec and its inputs; a file that is not there is left out. Raises SpecErrors when the spec is faulty."""
    loaded = load_spec(spec)
    inputs = {name: _file(experiment.root / name) for name in (*input_names(loaded.spec), POOL)}
    inputs |= {f"{EARLIER}{name}": _earlier_plan(experiment, name) for name in earlier_names(loaded.spec)}
    found = {name: data for name, data in inputs.items() if data is not None}
    leaked = _file(experiment.root / BURNED)
    found |= {} if leaked is None else {BURNED: leaked}
    absent = tuple(
        name for name, data in inputs.items() if data is None and name != POOL and not name.startswith(EARLIER)
    )
    return Written(loaded=loaded, source_bytes=spec.read_bytes(), inputs=found, absent=absent)


def complete(spec: Path, experiment: Experiment) -> Written:
    """Read a spec and its inputs. Raises SpecErrors also for every file that it names and that is not there, or lies elsewhere."""
    written = read(spec, experiment)
    faults = [*_strays(written.loaded, experiment), *(_absent(written.loaded, name) for name in written.absent)]
    if faults:
        raise SpecErrors(faults)
    return written


def _strays(loaded: Loaded, experiment: Experiment) -> Iterator[Diagnostic]:
    """Find the inputs that lie outside of the folder: by their name, which the compiler refuses too, or behind a link."""
    root = experiment.root.resolve()
    for name in input_names(loaded.spec):
        if leaves(name) or not (experiment.root / name).resolve().is_relative_to(root):
            by = "" if leaves(name) else ", a link,"
            yield outside(name, named_at(loaded, name), by=by)


def _absent(loaded: Loaded, name: str) -> Diagnostic:
    summary, hint = f"there is no file {name}", f"write it beside {loaded.source.name}, or correct its name"
    return Diagnostic(code="P931", summary=summary, span=named_at(loaded, name), hint=hint)


def _file(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _earlier_plan(experiment: Experiment, name: str) -> bytes | None:
    """Read the plan of an earlier registration of this folder."""
    entry = Registry(experiment.registry).find(name)
    return None if entry is None else entry.plan_bytes()


def check_spec(experiment: Experiment, entries: Sequence[Entry], entry: Entry) -> tuple[str, ...]:
    """Refuse when the folder's spec or an input means something else than a run's registration or its amendments.

    Gives warnings: the spec is a registered amendment, or its bytes differ and its meaning does not.
    Raises IntegrityFault with one reason for every field that differs.
    """
    allowed = (entry, *descendants(entries, entry))
    if not experiment.spec.is_file():
        raise IntegrityFault(_no_spec(experiment, entry))
    try:
        now = read(experiment.spec, experiment)
        if allowed == (entry,) and _same_bytes(entry, now):
            return ()
        today = digest(now.spec_bytes())
    except SpecErrors as fault:
        raise IntegrityFault(*_unreadable(experiment, fault)) from fault
    same = [each for each in allowed if means_the_same(each, today)]
    if not same:
        raise IntegrityFault(*_changed(allowed[-1], now, entry))
    meant = same[-1]
    return tuple(_warnings(meant, now, entry))


def _same_bytes(entry: Entry, now: Written) -> bool:
    """Say whether a folder holds, byte for byte, what was registered; then it means the same, and need not be worked out."""
    known = entry.registration
    return digest(now.source_bytes) == known.spec["source_digest"] and known.inputs == {
        name: digest(data) for name, data in now.inputs.items()
    }


def registered(entry: Entry) -> Sided:
    """Give a registration as this tool reads its spec and inputs.

    A later version of the tool may know keys that the registered spec.json does not mention; what was written has not
    changed by that. Where this tool cannot read it at all, the registered document stands for itself.
    """
    source, inputs = entry.source_bytes(), entry.inputs()
    try:
        written = Written(loaded=load_spec(entry.folder / SPEC), source_bytes=source, inputs=inputs)
        written.spec_bytes()
    except SpecErrors:
        return entry
    return written


def _digest_today(entry: Entry) -> str:
    return digest(registered(entry).spec_bytes())


def means_the_same(entry: Entry, spec_digest: str) -> bool:
    """Say whether a spec's digest, worked out by this tool, is that of a registration."""
    return spec_digest in (entry.registration.spec["digest"], _digest_today(entry))


def descendants(entries: Sequence[Entry], entry: Entry) -> tuple[Entry, ...]:
    """Give the amendments that descend from a registration, oldest first."""
    lineage = {entry.digest}
    found = []
    for each in entries:
        if each.registration.parent in lineage:
            lineage.add(each.digest)
            found.append(each)
    return tuple(found)


def changes(before: Sided, after: Sided) -> tuple[Change, ...]:
    """Say field by field what two sides say differently; inputs written in YAML are compared by their fields too."""
    old, new = (_document(each) for each in (before, after))
    found = list(difference(old["spec"], new["spec"]))
    was, now = (_inputs(each) for each in (old, new))
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            found += _input_changes(name, before, after, was.get(name), now.get(name))
    return tuple(found)


def _document(side: Sided) -> Mapping[str, Plain]:
    found = parse(side.spec_bytes(), where="spec.json")
    assert isinstance(found, Mapping)
    return found


def _inputs(document: Mapping[str, Plain]) -> Mapping[str, Plain]:
    found = document["inputs"]
    assert isinstance(found, Mapping)
    return found


def _input_changes(name: str, before: Sided, after: Sided, was: Plain, now: Plain) -> Iterator[Change]:
    if was is not None and now is not None and name.endswith(YAML):
        for each in difference(_tree(name, before.input(name)), _tree(name, after.input(name))):
            yield Change(path=f"{name}: {each.path}", kind=each.kind, before=each.before, after=each.after)
    else:
        kind: Literal["added", "removed", "changed"] = (
            "added" if was is None else "removed" if now is None else "changed"
        )
        yield Change(path=name, kind=kind, before=was, after=now)


def _tree(name: str, data: bytes) -> Plain:
    return meaning(plain(read_tree(Source(name=name, text=data.decode("utf-8")))))


def _warnings(meant: Entry, now: Written, entry: Entry) -> Iterator[str]:
    if meant.digest != entry.digest:
        reason = f" ({meant.registration.reason})" if meant.registration.reason else ""
        yield f"spec.yaml is the amendment {meant.name}{reason}; this run is judged by its own registration {entry.name}"
    got = digest(now.source_bytes)
    if got != meant.registration.spec["source_digest"]:
        yield f"spec.yaml differs from the registered one in formatting or comments only ({got})"
    changed = [
        name
        for name, data in now.inputs.items()
        if name in meant.registration.inputs and digest(data) != meant.registration.inputs[name]
    ]
    for name in changed:
        yield f"{name} differs from the registered one in formatting or comments only"


def _changed(latest: Entry, now: Written, entry: Entry) -> Iterator[Fault]:
    hint = "undo the change, or register it: prereg amend spec.yaml --reason '…' (the run keeps its own registration)"
    yield Fault(
        code="spec-changed",
        what=f"spec.yaml or an input means something else than the registration of this run, {entry.name}",
        expected=str(latest.registration.spec["digest"]),
        got=digest(now.spec_bytes()),
        where="spec.yaml",
        hint=hint,
    )
    for each in changes(registered(latest), now):
        expected = "absent" if each.kind == "added" else canonical(each.before).decode()
        got = "absent" if each.kind == "removed" else canonical(each.after).decode()
        yield Fault(code="spec-field", what=str(each), expected=expected, got=got, where=each.path)


def _unreadable(experiment: Experiment, fault: SpecErrors) -> Iterator[Fault]:
    for each in fault.diagnostics:
        yield Fault(
            code="spec-unreadable",
            what=f"what is in the folder cannot be the registered spec: {each.summary}",
            where=str(each.span) if each.span else str(experiment.spec),
            hint="restore it from the registration's folder, or from version control",
        )


def _no_spec(experiment: Experiment, entry: Entry) -> Fault:
    return Fault(
        code="spec-missing",
        what="there is no spec.yaml in the experiment folder to compare with the registration",
        where=str(experiment.spec),
        hint=f"restore it: the registered one is registry/{entry.name}/spec.yaml",
    )
