"""The layout of an experiment folder and of a run folder: names of files, and nothing else."""

from dataclasses import dataclass
from pathlib import Path

from compiler.inputs import POOL
from ledger.errors import Fault, IntegrityFault

SPEC = "spec.yaml"


@dataclass(frozen=True, kw_only=True, slots=True)
class Experiment:
    """An experiment folder. ``root`` is kept as the user typed it, so that messages show it that way."""

    root: Path

    @property
    def spec(self) -> Path:
        """What the author writes."""
        return self.root / SPEC

    @property
    def candidates(self) -> Path:
        """The pool's candidates."""
        return self.root / POOL

    @property
    def pool_blobs(self) -> Path:
        """The pool's trees, by digest."""
        return self.root / "pool" / "blobs"

    @property
    def registry(self) -> Path:
        """The registrations, never overwritten."""
        return self.root / "registry"

    @property
    def runs(self) -> Path:
        """The runs, one folder each."""
        return self.root / "runs"

    def run(self, name: str) -> "RunFolder":
        """Give the folder of a run by its name."""
        return RunFolder(root=self.runs / name)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFolder:
    """A run folder ``runs/NAME``; the ledger's own files are the business of ``ledger.store``."""

    root: Path

    @property
    def name(self) -> str:
        """The run's name."""
        return self.root.resolve().name

    @property
    def experiment(self) -> Experiment:
        """The experiment folder it stands in."""
        return Experiment(root=self.root.resolve().parent.parent)

    @property
    def record(self) -> Path:
        """Which registration this run carries out."""
        return self.root / "run.json"

    @property
    def ledger(self) -> Path:
        """The ledger's lines."""
        return self.root / "ledger.jsonl"

    @property
    def blobs(self) -> Path:
        """Artefacts, by digest."""
        return self.root / "blobs"

    @property
    def verdict(self) -> Path:
        """The verdict that the reports are rendered from."""
        return self.root / "verdict.json"

    @property
    def simulation(self) -> Path:
        """Operating characteristics, where they were simulated."""
        return self.root / "simulation.json"


def run_at(path: Path) -> RunFolder:
    """Give the run folder at a path. Raises IntegrityFault when its ``run.json`` is not there."""
    found = RunFolder(root=path)
    if not found.record.is_file():
        hint = "give the folder of a run (runs/NAME); prereg execute makes one"
        raise IntegrityFault(Fault(code="no-run", what=f"{path} holds no run.json", where=str(found.record), hint=hint))
    return found


def experiment_of(spec: Path) -> Experiment:
    """Give the experiment folder in which a spec file stands; a folder is taken to be one itself."""
    return Experiment(root=spec if spec.is_dir() else spec.parent)


def spec_at(path: Path) -> Path:
    """Give the spec file at a path: the file itself, or ``spec.yaml`` in a folder."""
    return path / SPEC if path.is_dir() else path
