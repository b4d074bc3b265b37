"""Which files of its author a harvest reads that no commit pins, by their digests: so that a pool can be told to be of other files."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from compiler.plan import Chosen, HarvestSet
from executor.trees import Leaf, gather, pack
from ledger.canonical import digest
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_OF_ENVIRONMENTS = ("requirements", "lock")
"""Options of environments that name a file of the author."""


@runtime_checkable
class ReadsOwnFiles(Protocol):
    """A source that reads files which can be edited after the harvest."""

    def own_files(self, options: Mapping[str, Plain], base: Path) -> Mapping[str, str]:
        """Give the digest of what it reads now, by the name of the file, or of the folder for one task.

        What is not there is left out: without the author's folder nothing is. Raises WorldFault when it cannot be read.
        """
        ...


def own_files(plan: HarvestSet, source: object, base: Path) -> dict[str, str]:
    """Give the digests of the author's files that the harvest of a set reads; of a source that pins all it reads, none.

    Raises:
        WorldFault: One of them is there and cannot be read.
    """
    found = dict(source.own_files(plan.source.options, base)) if isinstance(source, ReadsOwnFiles) else {}
    return {**found, **environment_files(plan.environment, base)}


def environment_files(environment: Chosen | None, base: Path) -> dict[str, str]:
    """Give the digests of the author's files that an environment is made of; harvest and run both make it. Raises WorldFault."""
    options = {} if environment is None else environment.options
    return files_digests(base, [str(options[key]) for key in _OF_ENVIRONMENTS if options.get(key) is not None])


def files_digests(base: Path, names: Iterable[str]) -> dict[str, str]:
    """Give the digest of each file that is there, under its name as the author wrote it. Raises WorldFault (``unreadable``)."""
    return {name: digest(_read(base / name)) for name in names if (base / name).is_file()}


def folder_digest(folder: Path, parts: Iterable[str]) -> str:
    """Give one digest of some files and folders in a folder, of those that are there. Raises WorldFault (``unreadable``)."""
    return digest(pack(leaf for part in parts for leaf in _leaves(folder, part)))


def _leaves(folder: Path, part: str) -> Iterator[Leaf]:
    place = folder / part
    if place.is_file():
        yield Leaf(path=part, data=_read(place))
    elif place.is_dir():
        try:
            yield from (Leaf(path=f"{part}/{leaf.path}", data=leaf.data, kind=leaf.kind) for leaf in gather(place))
        except (ValueError, OSError) as problem:
            raise _unreadable(f"{folder.name}/{part}", problem) from problem


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        raise _unreadable(file.name, problem) from problem


def _unreadable(name: str, problem: Exception) -> WorldFault:
    return WorldFault(Fault(code="unreadable", what=f"{name} cannot be read: {problem}", where=name))
