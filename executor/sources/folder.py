"""Finds tasks in a folder of tasks, one folder each: its file, the tree to start from, hidden files, and a reference."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Literal

from compiler.task import Reason, TestPlan
from executor.patches import touched
from executor.ports import Built, Found
from executor.reading import ReadTasks
from executor.sources.task_folder import PARTS, TaskFolder, task_digests, task_file, task_folders, tree
from executor.trees import pack
from ledger.canonical import canonical, digest
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_NO_TESTS = TestPlan(run=(), report="", files=(), fail_to_pass=(), pass_to_pass=())


class Folder:
    """Tasks of a folder, by name. ``read`` is given by the face: what an author may write is not known down here."""

    kind: ClassVar[str] = "folder"
    task_files: ClassVar[Literal["task", "defect"]] = "task"

    def __init__(self, read: ReadTasks | None = None) -> None:
        self.read = read

    def origin(self, options: Mapping[str, Plain], base: Path) -> str:
        """Give ``name@digest`` of everything in the folder's tasks. Raises WorldFault when there is no such folder."""
        root = _root(options, base)
        trees = {place.name: digest(pack(tree(place))) for place in task_folders(root)}
        return f"{root.name}@{digest(canonical(trees))}"

    def own_files(self, options: Mapping[str, Plain], base: Path) -> Mapping[str, str]:
        """Give the digest of each task, as ``executor.own_files`` asks for it."""
        return task_digests(_root(options, base), PARTS)

    def find(self, options: Mapping[str, Plain], base: Path) -> Iterator[Found]:
        """List every task by name. All task files are read before the first is given.

        Raises:
            WorldFault: There is no such folder, or it holds no task (``no-folder``).
            SpecErrors: What the reader says of the files; it passes through unseen.
        """
        root = _root(options, base)
        tasks = self._tasks(tuple(task_folders(root)))
        if not tasks:
            what = f"the task folder {root.name} holds no folder with a task.json or task.yaml"
            raise WorldFault(Fault(code="no-folder", what=what, hint="a task is NAME/task.yaml with NAME/repo/"))
        for task in tasks:
            yield Found(
                id=task.id,
                facts=task.facts(),
                gold_files=touched(task.patch or b""),
                category=str(task.said["category"]),
                requires=task.requires,
                dropped=task.broken(),
            )

    def build(self, options: Mapping[str, Plain], base: Path, found: Found) -> Built | Reason:
        """Give a task's starting tree, its hidden files, its references and its checks."""
        task = self._tasks((_root(options, base) / found.id,))[0]
        return task.broken() or Built(
            given=pack(task.repo()),
            held_out=pack(task.hidden()),
            reference=task.patch or b"",
            tests=_NO_TESTS,
            checks=task.checks,
            answer=task.answer,
            setup=task.setup,
        )

    def _tasks(self, places: tuple[Path, ...]) -> tuple[TaskFolder, ...]:
        if self.read is None:
            raise WorldFault(Fault(code="no-reader", what="nobody gave the source `folder` a reader of task files"))
        said = self.read([task_file(place) for place in places])
        return tuple(TaskFolder(place=place, said=each) for place, each in zip(places, said, strict=True))


def _root(options: Mapping[str, Plain], base: Path) -> Path:
    return (base / str(options["path"])).resolve()
