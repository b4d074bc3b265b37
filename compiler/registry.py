"""The registry: every spec that was locked, with all it was compiled from, in folders that nothing overwrites."""

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from compiler.difference import Change, difference
from compiler.plan import Plan
from compiler.registration import CANON, REGISTRATION_TYPE, Access, Lockable, Registration
from ledger.blobs import Blobs
from ledger.canonical import canonical, digest, parse
from ledger.codec import from_plain, to_plain
from ledger.disk import disk_faults, locked, sync_folder, write_whole
from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain

_FOLDER = re.compile(r"([0-9]{4})-([0-9a-f]{12})", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One registration on the disk. What it holds is read when asked for, and refused when its digest is another."""

    folder: Path
    name: str
    registration: Registration
    digest: str

    def plan(self) -> Plan:
        """Read the plan. Raises IntegrityFault."""
        return from_plain(
            Plan, parse(self.plan_bytes(), where=f"{self.name}/plan.json"), where=f"{self.name}/plan.json"
        )

    def plan_bytes(self) -> bytes:
        """Read ``plan.json``. Raises IntegrityFault."""
        return self._verified("plan.json", str(self.registration.plan["digest"]))

    def spec_bytes(self) -> bytes:
        """Read ``spec.json``. Raises IntegrityFault."""
        return self._verified("spec.json", self.registration.spec["digest"])

    def source_bytes(self) -> bytes:
        """Read ``spec.yaml`` as the author wrote it. Raises IntegrityFault."""
        return self._verified("spec.yaml", self.registration.spec["source_digest"])

    def input(self, name: str) -> bytes:
        """Read an input by its name in the spec. Raises IntegrityFault, also for a name that was not registered."""
        known = self.registration.inputs
        if name not in known:
            raise _refused(
                "input-unknown", f"{self.name} has no input {name}", self.name, ", ".join(sorted(known)) or "none", name
            )
        return Blobs(self.folder / "inputs").get(known[name])

    def inputs(self) -> dict[str, bytes]:
        """Read all inputs. Raises IntegrityFault."""
        return {name: self.input(name) for name in sorted(self.registration.inputs)}

    def _verified(self, name: str, expected: str) -> bytes:
        where = f"{self.name}/{name}"
        data = _read(self.folder / name, where)
        if digest(data) != expected:
            raise _refused(
                "registry-altered", f"{where} is not the file that was registered", where, expected, digest(data)
            )
        return data


class Registry:
    """The folder of registrations, ``0001-…`` first; ``0002`` amends one before it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entries(self) -> tuple[Entry, ...]:
        """Read all registrations, oldest first, and check that they form one tree without forks.

        Raises:
            IntegrityFault: A registration was altered, renamed, removed or put in; two amend the same one.
        """
        if not self.folder.is_dir():
            return ()
        names = sorted(each.name for each in self.folder.iterdir() if not each.name.startswith("."))
        found: list[Entry] = []
        for number, name in enumerate(names, start=1):
            found.append(_entry(self.folder / name, number))
            _refuse_stranger(found[-1], found[:-1])
        return tuple(found)

    def newest(self) -> Entry | None:
        """Give the latest registration, or None when there is none. Raises IntegrityFault as ``entries``."""
        return next(reversed(self.entries()), None)

    def find(self, name: str) -> Entry | None:
        """Find a registration by its folder name, its number (``2``, ``0002``), or the start of its digest's hex."""
        start = name.removeprefix("sha256:")
        for entry in self.entries():
            number, short = entry.name.split("-")
            by_number = start.isdecimal() and len(start) <= len(number) and int(start) == int(number)
            by_digest = len(start) >= len(short) and entry.digest.removeprefix("sha256:").startswith(start)
            if name == entry.name or by_number or by_digest:
                return entry
        return None

    def register(
        self,
        compiled: Lockable,
        *,
        source_bytes: bytes,
        inputs: Mapping[str, bytes],
        tool: Mapping[str, str],
        now: str,
        new_id: str,
        parent: Entry | None = None,
        reason: str | None = None,
        access: Access = "nothing-run",
        effective_from: int | None = None,
    ) -> Entry:
        """Write a registration down; it is there whole, or not at all.

        ``now`` is the claimed time (RFC 3339, UTC), ``new_id`` 128 random bits for the first of a lineage.

        Raises:
            IntegrityFault: ``registry-fork``: the parent was amended before, or there is a first registration already.
            WorldFault: The disk is full, read-only or failing, or another process registers here right now.
        """
        with disk_faults(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder):
            earlier = self.entries()
            _refuse_fork(earlier, parent)
            registration = Registration(
                registration_id=parent.registration.registration_id if parent else new_id,
                spec={"digest": compiled.spec_digest, "source_digest": digest(source_bytes)},
                plan={"digest": compiled.plan_digest, "trials": len(compiled.plan.run.trials)},
                inputs={name: digest(inputs[name]) for name in sorted(inputs)},
                tool=dict(tool),
                foreknowledge=_foreknowledge(compiled.spec_bytes),
                access=access,
                created_at_untrusted=now,
                parent=parent.digest if parent else None,
                reason=reason,
                changes=changes_since(parent, compiled.spec_bytes),
                effective_from=effective_from,
                prior=tuple(each.digest for each in earlier),
            )
            return self._write(registration, len(earlier) + 1, compiled, source_bytes, inputs)

    def _write(
        self, registration: Registration, number: int, compiled: Lockable, source: bytes, inputs: Mapping[str, bytes]
    ) -> Entry:
        data = canonical(to_plain(registration))
        own = digest(data)
        name = f"{number:04d}-{own.removeprefix('sha256:')[:12]}"
        with disk_faults(self.folder):
            fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
        try:
            files = {"spec.yaml": source, "spec.json": compiled.spec_bytes, "plan.json": compiled.plan_bytes}
            for file, content in {**files, "registration.json": data}.items():
                write_whole(fresh / file, content, mode=0o444)
            for content in (*inputs.values(), *compiled.prompts.values()):
                Blobs(fresh / "inputs").put(content)
            with disk_faults(self.folder):
                fresh.chmod(0o755)
                fresh.rename(self.folder / name)
                sync_folder(self.folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)  # gone already when it was renamed
        return Entry(folder=self.folder / name, name=name, registration=registration, digest=own)


def changes_since(parent: Entry | None, spec_bytes: bytes) -> tuple[Change, ...]:
    """Say what differs between a parent's spec.json and another one; nothing without a parent. Raises IntegrityFault."""
    if parent is None:
        return ()
    before = parse(parent.spec_bytes(), where=f"{parent.name}/spec.json")
    return difference(before, parse(spec_bytes, where="spec.json"))


def _entry(folder: Path, number: int) -> Entry:
    name = folder.name
    match = _FOLDER.fullmatch(name)
    if match is None:
        raise _refused("registry-name", f"registry/{name} is no registration", name, f"{number:04d}-<12 hex>", name)
    if int(match[1]) != number:
        what = f"registration {number:04d} is missing or was renumbered"
        raise _refused("registry-gap", what, name, f"{number:04d}", match[1])
    where = f"{name}/registration.json"
    data = _read(folder / "registration.json", where)
    own = digest(data)
    if own.removeprefix("sha256:")[:12] != match[2]:
        raise _refused("registry-altered", f"{where} is not the file that names its folder", where, match[2], own)
    value = parse(data, where=where)
    said = (value.get("type"), value.get("canon")) if isinstance(value, Mapping) else None
    if said != (REGISTRATION_TYPE, CANON):
        expected = f"{REGISTRATION_TYPE}, canon {CANON}"
        raise _refused("type", f"{where} is of a kind that this version does not read", where, expected, str(said))
    return Entry(folder=folder, name=name, registration=from_plain(Registration, value, where=where), digest=own)


def _refuse_stranger(entry: Entry, earlier: list[Entry]) -> None:
    """Check that a registration follows from those before it."""
    registered = entry.registration
    known = tuple(each.digest for each in earlier)
    if registered.prior != known:
        what = f"{entry.name} was made beside other registrations: one was removed, put in or renumbered"
        raise _refused("registry-prior", what, entry.name, _listed(known), _listed(registered.prior))
    _refuse_fork(earlier, None if registered.parent is None else _parent(entry, earlier))


def _parent(entry: Entry, earlier: list[Entry]) -> Entry:
    found = next((each for each in earlier if each.digest == entry.registration.parent), None)
    if found is None:
        what = f"{entry.name} amends a registration that is not before it"
        raise _refused(
            "registry-parent",
            what,
            entry.name,
            _listed(each.digest for each in earlier),
            str(entry.registration.parent),
        )
    if found.registration.registration_id != entry.registration.registration_id:
        expected, got = found.registration.registration_id, entry.registration.registration_id
        raise _refused(
            "registry-parent", f"{entry.name} is of another lineage than its parent", entry.name, expected, got
        )
    return found


def _refuse_fork(earlier: Iterable[Entry], parent: Entry | None) -> None:
    """Refuse a second child of one parent, and a second first registration: only one version can be the current one."""
    twin = next((each for each in earlier if each.registration.parent == (parent.digest if parent else None)), None)
    if twin is not None:
        whom = f"{parent.name} was amended before" if parent else "there is a first registration already"
        expected = f"an amendment of {twin.name} or of a later one"
        raise _refused("registry-fork", f"{whom}, by {twin.name}", twin.name, expected, "a second child of one parent")


def _foreknowledge(spec_bytes: bytes) -> Plain:
    document = parse(spec_bytes, where="spec.json")
    spec = document.get("spec") if isinstance(document, Mapping) else None
    return spec.get("foreknowledge") if isinstance(spec, Mapping) else None


def _read(path: Path, where: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise _refused(
            "registry-missing", f"{where} is missing", where, "the file that was registered", "no file"
        ) from None


def _listed(digests: Iterable[str]) -> str:
    return ", ".join(each.removeprefix("sha256:")[:12] for each in digests) or "none"


def _refused(code: str, what: str, where: str, expected: str, got: str) -> IntegrityFault:
    hint = "restore the registry folder from a copy; a registration is never edited, a change is an amendment"
    return IntegrityFault(Fault(code=code, what=what, expected=expected, got=got, where=f"registry/{where}", hint=hint))
