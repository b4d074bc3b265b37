"""One task of a task folder: where its parts lie, and what its file says in the harness's own words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from compiler.plan import Chosen, TaskLimits
from compiler.task import Reason
from executor.own_files import folder_digest
from executor.trees import Leaf, gather
from ledger.codec import to_plain
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

FILES = ("task.json", "task.yaml")
PARTS = ("repo", "hidden", "solution.patch", "solution.answer.md")
"""What of a task's folder is read besides its file."""
_OPTIONS = {"expectExit": "expect_exit", "ignoreCase": "ignore_case"}
"""Options of checks that a spec spells otherwise than a task file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskFolder:
    """A task on disk: ``said`` is the content of its file, as the reader gave it."""

    place: Path
    said: Mapping[str, Plain]

    @property
    def id(self) -> str:
        """The name of the task and of its folder."""
        return self.place.name

    @property
    def patch(self) -> bytes | None:
        """The reference change."""
        return _content(self.place / "solution.patch")

    @property
    def answer(self) -> str | None:
        """The reference answer."""
        read = _content(self.place / "solution.answer.md")
        return None if read is None else read.decode("utf-8")

    @property
    def requires(self) -> tuple[str, ...]:
        """Programs that must be on PATH."""
        return _texts(self.said.get("requires", ()))

    @property
    def setup(self) -> tuple[str, ...]:
        """Lines that prepare the starting tree."""
        return _texts(self.said.get("setup", ()))

    @property
    def checks(self) -> Mapping[str, Chosen]:
        """The checks by name: their own, or one made of their kind and place: ``command_1``, ``file_contains_2``."""
        said = self.said["checks"]
        assert isinstance(said, Sequence)
        return dict(_check(place, each) for place, each in enumerate(said, 1))

    @property
    def steps(self) -> tuple[Plain, ...]:
        """What follows the prompt, each written out."""
        said = self.said.get("steps", ())
        assert isinstance(said, Sequence)
        return tuple(_step(each) for each in said)

    def facts(self) -> dict[str, Plain]:
        """Give the facts that conditions read, and the task's own terms: prompt, checks and limits."""
        read = ("title", "difficulty", "language", "prompt", "pass", "partial")
        limits = _limits(self.said)
        return {
            **{name: self.said[name] for name in read if name in self.said},
            "requires": list(self.requires),
            **({"steps": list(self.steps)} if self.steps else {}),
            "checks": {name: to_plain(check) for name, check in self.checks.items()},
            **({} if limits is None else {"limits": to_plain(limits)}),
        }

    def repo(self) -> tuple[Leaf, ...]:
        """Read the starting tree."""
        return tree(self.place / "repo")

    def hidden(self) -> tuple[Leaf, ...]:
        """Read the files that are laid over a result; there may be none."""
        place = self.place / "hidden"
        return tree(place) if place.is_dir() else ()

    def broken(self) -> Reason | None:
        """Say why it cannot be a task, as far as its files tell."""
        if not self.repo():
            return Reason(code="no-repo", what="it has no repo/, or an empty one: there is nothing to start from")
        listed, there = _texts(self.said.get("hidden", ())), [leaf.path for leaf in self.hidden()]
        if listed and sorted(listed) != sorted(there):
            odd = min(set(listed) ^ set(there))
            what = "the list `hidden` is not what stands in hidden/"
            return Reason(code="hidden", what=what, detail=odd)
        if not self.patch and self.answer is None:
            what = "it has neither solution.patch nor solution.answer.md: nothing proves that it can be solved"
            return Reason(code="no-reference", what=what)
        return None


def task_folders(root: Path) -> Iterator[Path]:
    """Give the folders of tasks, by name; a folder without a task file is none, and what starts with a dot neither.

    Raises:
        WorldFault: There is no such folder (``no-folder``).
    """
    if not root.is_dir():
        hint = "`path` is relative to the spec's folder"
        raise WorldFault(Fault(code="no-folder", what=f"the task folder {root.name} is not there", hint=hint))
    for place in sorted(root.iterdir()):
        if place.is_dir() and not place.name.startswith(".") and any((place / name).is_file() for name in FILES):
            yield place


def task_digests(root: Path, parts: Sequence[str]) -> dict[str, str]:
    """Give the digest of each task of a folder: its file, and its ``parts``; of a folder that is not there, none."""
    places = task_folders(root) if root.is_dir() else ()
    return {f"{root.name}/{each.name}": folder_digest(each, (task_file(each).name, *parts)) for each in places}


def task_file(place: Path) -> Path:
    """Give a task's file; task.json where there are both.

    Raises:
        WorldFault: It was there, and is not any more (``no-task``).
    """
    found = next((place / name for name in FILES if (place / name).is_file()), None)
    if found is None:
        what = f"the file of the task {place.name} is gone"
        raise WorldFault(
            Fault(code="no-task", what=what, hint="let nothing change the tasks while they are read; run again")
        )
    return found


def _step(said: Plain) -> Plain:
    assert isinstance(said, Mapping)
    cancel = said.get("cancel")
    return {"cancel": {"count": 1, **cancel}} if isinstance(cancel, Mapping) else dict(said)


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def tree(place: Path) -> tuple[Leaf, ...]:
    """Read a folder of a task. Raises WorldFault when it holds what is neither file nor link (``tree``)."""
    try:
        return tuple(gather(place))
    except ValueError as fault:
        raise WorldFault(
            Fault(code="tree", what=f"a task's {place.name}/ cannot be read: {fault}", where=place.parent.name)
        ) from fault


def _texts(value: Plain) -> tuple[str, ...]:
    assert isinstance(value, Sequence)
    return tuple(str(each) for each in value)


def _check(place: int, said: Plain) -> tuple[str, Chosen]:
    assert isinstance(said, Mapping)
    kind = str(said["kind"])
    options = {_OPTIONS.get(key, key): value for key, value in said.items() if key not in ("kind", "name", "timeoutMs")}
    if isinstance(milliseconds := said.get("timeoutMs"), int):
        options["timeout"] = max(1, milliseconds // 1000)
    return str(said.get("name", f"{kind.replace('-', '_')}_{place}")), Chosen(kind=kind, options=options)


def _limits(said: Mapping[str, Plain]) -> TaskLimits | None:
    milliseconds, money = said.get("timeoutMs"), said.get("maxCostUsd")
    if milliseconds is None and money is None:
        return None
    time_s = None if milliseconds is None else Decimal(str(milliseconds)).scaleb(-3)
    return TaskLimits(time_s=time_s, cost_usd=None if money is None else Decimal(str(money)))
