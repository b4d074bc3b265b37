"""One injected defect on disk: its task file, the patch that breaks the repository, and the context that may be handed out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compiler.task import Reason
from executor.patches import touched
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

PARTS = ("defect.patch", "fixture.md")
"""What of a task's folder is read besides its file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DefectFolder:
    """A task on disk: ``said`` is the content of its file, as the reader gave it."""

    place: Path
    said: Mapping[str, Plain]

    @property
    def id(self) -> str:
        """The name of the task and of its folder."""
        return self.place.name

    @property
    def repository(self) -> str:
        """The name under which the spec knows the repository."""
        return str(self.said["repository"])

    @property
    def commit(self) -> str | None:
        """The commit that the task pins itself."""
        return str(self.said["commit"]) if "commit" in self.said else None

    @property
    def category(self) -> str:
        """How far the defect reaches."""
        return str(self.said["category"])

    @property
    def declared(self) -> tuple[str, ...]:
        """The tests that fail with the defect."""
        return _texts(self.said["fails"])

    @property
    def requires(self) -> tuple[str, ...]:
        """Programs that must be on PATH."""
        return _texts(self.said.get("requires", ()))

    @property
    def patch(self) -> bytes:
        """The defect; empty where there is none."""
        file = self.place / "defect.patch"
        return file.read_bytes() if file.is_file() else b""

    @property
    def touched(self) -> tuple[str, ...]:
        """The paths that the defect changes."""
        return touched(self.patch)

    @property
    def turns(self) -> tuple[str, ...]:
        """All that the agent is told, in order."""
        steps = self.said.get("steps")
        if steps is None:
            return (str(self.said["prompt"]),)
        assert isinstance(steps, Sequence)
        return tuple(str(step["say"]) for step in steps if isinstance(step, Mapping))

    @property
    def fixture(self) -> Mapping[str, str] | None:
        """The task's own context, and the name of its file as seen from the folder of tasks. Raises WorldFault when it is no text."""
        file = self.place / "fixture.md"
        if not file.is_file():
            return None
        name = f"{self.place.parent.name}/{self.id}/{file.name}"
        try:
            return {"file": name, "text": file.read_text("utf-8")}
        except UnicodeDecodeError as problem:
            raise WorldFault(
                Fault(code="no-fixture", what=f"{name} is not UTF-8 text", hint="save it anew")
            ) from problem

    def facts(self) -> dict[str, Plain]:
        """Give the facts that conditions read, and the prompt with the turns that follow it."""
        first, *then = self.turns
        return {
            "title": str(self.said["title"]),
            "repository": self.repository,
            "declared": sorted(self.declared),
            "turns": len(self.turns),
            "prompt": first,
            **({"steps": [{"say": each} for each in then]} if then else {}),
        }

    def broken(self) -> Reason | None:
        """Say why it cannot be a task, as far as its files tell: a category is a promise about the defect's reach."""
        if not self.touched:
            return Reason(code="no-defect", what="it has no defect.patch, or one that changes no file")
        reach, turns = len(self.touched), len(self.turns)
        unfit = {
            "single-file": None if reach == 1 else f"its defect changes {reach} files",
            "multi-file": None if reach > 1 else "its defect changes one file alone",
            "multi-turn": None if turns > 1 else "it has one turn alone",
        }.get(self.category)
        if unfit is not None:
            return Reason(code="category", what=f"it is no {self.category} task: {unfit}")
        return None


def _texts(value: Plain) -> tuple[str, ...]:
    assert isinstance(value, Sequence)
    return tuple(str(each) for each in value)
