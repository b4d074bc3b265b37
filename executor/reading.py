"""What the face injects into a source whose tasks are described by files: a reader that knows their language."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from ledger.plain import Plain

ReadTasks: TypeAlias = Callable[[Sequence[Path]], Sequence[Mapping[str, Plain]]]
"""Task files → their content, in order, well-formed; raises the author's faults of all of them together.

A decimal arrives as its text.
"""


@runtime_checkable
class ReadsTaskFiles(Protocol):
    """A source that has to be given a reader before it is asked for anything."""

    read: ReadTasks | None
    task_files: ClassVar[Literal["task", "defect"]]
    """Which kind of task file it reads: that of a task folder, or that of an injected defect."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """Closed issues and merged pull requests as they were exported. ``place`` says where the merge commit of pull request i stands."""

    issues: Sequence[Mapping[str, Any]]
    pulls: Sequence[Mapping[str, Any]]
    place: Callable[[int], str]


class ExportReader(Protocol):
    """Reads what a source of issues is made from; both raise the author's faults, all together."""

    def export(self, root: Path, issues: str, pulls: str, *, hide: bool) -> Export:
        """Read both files, seen from ``root``. ``hide``: faults say where, and nothing of what is there."""
        ...

    def store(self, root: Path) -> Mapping[str, Plain]:
        """Read what a private store says of itself in ``store.json``."""
        ...


@runtime_checkable
class ReadsExports(Protocol):
    """A source that has to be given a reader of exports before it is asked for anything."""

    exports: ExportReader | None
