"""What the face injects into a source whose tasks are described by an author's files: a reader that knows their language."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

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
