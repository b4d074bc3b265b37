"""A run and all that it stands on, each part read and verified when it is first asked for."""

from functools import cached_property
from pathlib import Path

from analyzer.evidence import Evidence
from analyzer.gather import Gathered, gather
from analyzer.judge import evidence_of, head, judge_evidence
from analyzer.verdict import Verdict
from compiler.plan import Plan, TaskPlan
from compiler.registry import Entry, Registry
from ledger.errors import Fault, IntegrityFault, UndecidedFault
from ledger.records import Analysis, Closed, Judgment, Line, Opened
from ledger.store import Remembered, read
from prereg import run_record
from prereg.current import check_spec
from prereg.experiment import Experiment, RunFolder
from prereg.posthoc import post_hoc
from prereg.run_record import RunRecord
from prereg.sealed import sealed_material


def material(task: TaskPlan) -> dict[str, str]:
    """Give the digests of a task's blobs in the pool, by what they are."""
    named = {
        "the starting tree": task.given,
        "the held-out files": task.held_out,
        "the tests": task.tests,
        "the reference": task.reference,
        "the reference answer": task.answer,
    }
    return {name: value for name, value in named.items() if value is not None}


class Case:
    """What ``analyze``, ``report`` and ``audit`` look at. Every part raises IntegrityFault when it does not fit."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.experiment: Experiment = folder.experiment

    @cached_property
    def record(self) -> RunRecord:
        """``run.json``."""
        return run_record.read(self.folder)

    @cached_property
    def registry(self) -> Registry:
        """The registry beside the runs."""
        return Registry(self.experiment.registry)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All registrations of the experiment, oldest first."""
        return self.registry.entries()

    @cached_property
    def entry(self) -> Entry:
        """The registration that this run carries out."""
        found = next((each for each in self.entries if each.digest == self.record.registration_digest), None)
        if found is None:
            raise IntegrityFault(
                Fault(
                    code="foreign-run",
                    what="the registration of this run is not in the experiment's registry",
                    expected=self.record.registration_digest,
                    got=", ".join(each.name for each in self.entries) or "an empty registry",
                    where=str(self.folder.record),
                    hint="put the run back into the experiment that it was made from",
                )
            )
        registered = found.registration
        self._fits("plan_digest", str(registered.plan["digest"]), self.record.plan_digest)
        self._fits("spec_digest", str(registered.spec["digest"]), self.record.spec_digest)
        self._fits("registration_id", registered.registration_id, self.record.registration_id)
        return found

    @cached_property
    def registered_files(self) -> int:
        """How many files the registration names; each was read and is what was registered."""
        entry = self.entry
        return len((entry.source_bytes(), entry.spec_bytes(), entry.plan_bytes(), *entry.inputs().values()))

    @cached_property
    def plan(self) -> Plan:
        """The plan as registered, verified by its digest."""
        return self.entry.plan()

    @cached_property
    def remembered(self) -> Remembered:
        """The ledger as it stands, its chain and head verified; nothing is written."""
        return read(self.folder.root, self.entry.digest)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the ledger."""
        return self.remembered.lines

    @cached_property
    def opened(self) -> Opened:
        """The first line; it must name this run and its registration."""
        first = self.lines[0].record if self.lines else None
        if first is None:
            hint = f"prereg execute {self.experiment.root} --run {self.record.run}"
            raise UndecidedFault(Fault(code="not-begun", what="the run has not begun: its ledger is empty", hint=hint))
        if not isinstance(first, Opened):
            raise IntegrityFault(
                Fault(code="no-opening", what="the ledger does not begin with its opening", got=self.lines[0].kind)
            )
        for name in ("run", "registration", "registration_id", "plan_digest", "spec_digest"):
            self._fits(name, getattr(first, name), getattr(self.record, name))
        if any(isinstance(each.record, Opened) for each in self.lines[1:]):
            raise IntegrityFault(Fault(code="opened-twice", what="the ledger was opened more than once"))
        return first

    @property
    def blobs(self) -> dict[Path, tuple[str, ...]]:
        """Every blob that the ledger or the plan names, by the folder that it must be in: artefacts, trees, prompts."""
        plan = self.plan.run
        sealed = {value for named in self.sealed.values() for value in named}
        artefacts = {value for each in self.lines for value in getattr(each.record, "blobs", {}).values()} - sealed
        artefacts |= {
            each.record.evidence for each in self.lines if isinstance(each.record, Judgment) and each.record.evidence
        }
        public = [task for task in plan.tasks if task.private is None]
        trees = {value for task in public for value in material(task).values()}
        told = {
            each for task in public for each in (task.prompt, task.fixture, *(step.told for step in task.steps)) if each
        }
        inputs = told | set(plan.files.values()) | ({plan.repairs.say} if plan.repairs is not None else set())
        folders = {
            self.folder.blobs: artefacts,
            self.experiment.pool_blobs: trees,
            self.entry.folder / "inputs": inputs,
        }
        return {folder: tuple(sorted(named)) for folder, named in folders.items()}

    def is_private(self, trial: str) -> bool:
        """Say whether a trial is of a private task."""
        name = trial.split("/", 1)[0]
        return any(task.id == name and task.private is not None for task in self.plan.run.tasks)

    @cached_property
    def sealed(self) -> dict[str, tuple[str, ...]]:
        """Every blob of a private task, its attempts' artefacts too, by the variable that leads to the store it is in."""
        stores = {task.id: task.private.store_env for task in self.plan.run.tasks if task.private is not None}
        named: dict[str, set[str]] = {env: set() for env in stores.values()}
        for task in self.plan.run.tasks:
            if task.id in stores:
                named[stores[task.id]] |= set(sealed_material(task, material(task)).values())
        for line in self.lines:
            task_id = str(getattr(line.record, "trial", "")).split("/", 1)[0]
            if task_id in stores:
                named[stores[task_id]] |= set(getattr(line.record, "blobs", {}).values())
        return {env: tuple(sorted(digests)) for env, digests in sorted(named.items())}

    @property
    def closed(self) -> Closed | None:
        """The closing record, or None while the run is open."""
        return next((each.record for each in self.lines if isinstance(each.record, Closed)), None)

    @cached_property
    def gathered(self) -> Gathered:
        """What the lines say, by trial. Raises IntegrityFault when one does not belong."""
        return gather(self.lines, self.plan.run.trials)

    @cached_property
    def analyses(self) -> tuple[Analysis, ...]:
        """The verdicts reached over this ledger, oldest first. Raises IntegrityFault when one was reached over another ledger."""
        found = [(line, line.record) for line in self.lines if isinstance(line.record, Analysis)]
        places = {line.prev: line.seq for line in self.lines} if found else {}
        for line, record in found:
            if places.get(record.ledger_head, line.seq + 1) > line.seq:
                raise _reached_elsewhere(line.seq, record, line.prev)
        return tuple(record for _, record in found)

    @cached_property
    def evidence(self) -> Evidence:
        """What the ledger says of the plan, read once. Raises UndecidedFault while the run is open."""
        return evidence_of(self.plan.analysis, self.lines, trials=self.plan.run.trials, **self._digests)

    @cached_property
    def judged(self) -> Verdict:
        """The verdict, computed from the ledger now. Raises UndecidedFault while the run is open."""
        found = post_hoc(self.entries, self.entry, self.plan.analysis)
        return judge_evidence(
            self.plan.analysis, self.evidence, ledger_head=head(self.lines), post_hoc=found, **self._digests
        )

    @property
    def _digests(self) -> dict[str, str]:
        registered = self.entry.registration
        return {"spec_digest": str(registered.spec["digest"]), "plan_digest": str(registered.plan["digest"])}

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Refuse when the spec of the folder is another; else say what differs without changing its meaning."""
        return check_spec(self.experiment, self.entries, self.entry)

    def _fits(self, name: str, expected: str, got: str) -> None:
        if expected != got:
            raise IntegrityFault(
                Fault(
                    code="run-record",
                    what=f"run.json does not fit: {name} is another",
                    expected=expected,
                    got=got,
                    where=str(self.folder.record),
                    hint="run.json was edited or comes from another run; restore it",
                )
            )


def _reached_elsewhere(seq: int, record: Analysis, prev: str) -> IntegrityFault:
    return IntegrityFault(
        Fault(
            code="foreign-analysis",
            what="a verdict is remembered that was reached over other lines than these: the ledger was written anew",
            expected=record.ledger_head,
            got=prev,
            where=f"ledger.jsonl, line {seq}",
            hint="restore the run folder from a copy; a line is never edited, a correction is a new line",
        )
    )
