"""What a run has come to so far, read from its ledger record by record: outcomes, attempts, lost claims, gaps, money, versions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Self

from compiler.plan import RunPlan, TrialPlan, one_tool
from executor.versions import OF_ENVIRONMENT, of_tool
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain
from ledger.records import Claimed, Closed, Infrastructure, InvalidEnvironment, Line, Outcome, Record

INVALID = "invalid_environment"
"""Name of a gap that an environment which is not the registered one left, where no registered rule speaks of it."""
LOST, WORLD = "lost", "world"
"""Rules that no spec registers: the executor ended before an outcome; the world failed. Neither uses a trial up."""


@dataclass(kw_only=True, slots=True)
class History:
    """A run so far. ``open`` are claims without an end: trial and attempt → arm. ``matched`` counts lost attempts by (trial, rule)."""

    retries: Mapping[str, int | None]
    outcomes: set[str] = field(default_factory=set)
    gaps: dict[str, str] = field(default_factory=dict)
    attempts: Counter[str] = field(default_factory=Counter)
    open: dict[tuple[str, int], str] = field(default_factory=dict)
    matched: Counter[tuple[str, str]] = field(default_factory=Counter)
    arms: dict[str, str] = field(default_factory=dict)
    spent: Decimal = Decimal(0)
    unknown: Counter[str] = field(default_factory=Counter)
    """Arm → ended attempts whose cost nobody knows; a lost claim is one of them."""
    versions: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Arm → the programs of its first outcome, its tasks' environment not among them."""
    twins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Arm → the arms that are driven by the same program."""
    environments: dict[str, bytes] = field(default_factory=dict)
    """Trial → the environment that its task asks for; task sets may ask for several."""
    prepared: dict[bytes, Mapping[str, str]] = field(default_factory=dict)
    """Environment → what the first outcome in it said of it."""
    blobs: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Trial → the artefacts of its outcome."""
    closed: bool = False

    @classmethod
    def read(cls, plan: RunPlan, lines: Iterable[Line]) -> Self:
        """Read a ledger. Raises IntegrityFault when it holds a trial that the plan does not."""
        asked = {task.id: canonical(to_plain(task.environment)) for task in plan.tasks}
        history = cls(
            retries={rule.rule: rule.retry for rule in plan.rules},
            arms={trial.id: trial.arm for trial in plan.trials},
            twins={
                arm.name: tuple(each.name for each in plan.arms if one_tool(each.agent, arm.agent)) for arm in plan.arms
            },
            environments={trial.id: asked.get(trial.task, b"") for trial in plan.trials},
        )
        for line in lines:
            history.add(line.record)
        return history

    def add(self, record: Record) -> None:
        """Take one more record in."""
        if isinstance(record, Claimed | Outcome | Infrastructure | InvalidEnvironment):
            self._add_attempt(record)
        elif isinstance(record, Closed):
            self.closed = True

    def _add_attempt(self, record: Claimed | Outcome | Infrastructure | InvalidEnvironment) -> None:
        arm = self.arms.get(record.trial)
        if arm is None:
            what = f"the ledger holds a trial that the plan does not: {record.trial}"
            raise IntegrityFault(Fault(code="foreign", what=what, got=record.trial, where="ledger.jsonl"))
        key = (record.trial, record.attempt)
        if isinstance(record, Claimed):
            self.attempts[record.trial] = max(self.attempts[record.trial], record.attempt)
            self.open[key] = arm
            return
        self.open.pop(key, None)
        self._pay(record.measures, arm)
        if isinstance(record, Outcome):
            if record.trial in self.outcomes:
                what = f"the ledger holds two outcomes of {record.trial}"
                raise IntegrityFault(Fault(code="doubled", what=what, got=record.trial, where="ledger.jsonl"))
            self.outcomes.add(record.trial)
            self.blobs[record.trial] = record.blobs
            if record.versions:  # a skipped trial asked no program
                said, place = record.versions, self.environments.get(record.trial, b"")
                self.versions.setdefault(arm, {name: said[name] for name in said if name not in OF_ENVIRONMENT})
                self.prepared.setdefault(place, {name: said[name] for name in OF_ENVIRONMENT if name in said})
        elif isinstance(record, Infrastructure):
            self._lose(record.trial, record.rule)
        else:
            self._lose(record.trial, record.rule or INVALID)

    def retried(self, trial: str) -> int:
        """Count a trial's attempts that a registered rule sent back; what the world lost is none of the trial's doing."""
        return sum(self.matched[trial, rule] for rule in {*self.retries, INVALID})

    def earlier(self, trial: str) -> Mapping[str, str]:
        """Give the versions that an attempt of a trial must have: its arm's programs, and its own environment."""
        return {
            **self.programs(self.arms.get(trial, "")),
            **self.prepared.get(self.environments.get(trial, b""), {}),
        }

    def programs(self, arm: str) -> dict[str, str]:
        """Give the programs that an arm must have: its own of before, and the tool that it shares with other arms."""
        shared = [self.versions.get(each, {}) for each in self.twins.get(arm, ())]
        tool = {name: said[name] for said in shared for name in said if of_tool(name)}
        return {**tool, **self.versions.get(arm, {})}

    def _pay(self, measures: Mapping[str, Plain], arm: str) -> None:
        cost = measures.get("cost")
        if isinstance(cost, str | int):
            self.spent += Decimal(cost)
        else:
            self.unknown[arm] += 1

    def _lose(self, trial: str, rule: str) -> None:
        self.matched[trial, rule] += 1
        if rule in (LOST, WORLD):
            return
        most = 0 if rule == INVALID else self.retries.get(rule) or 0
        if self.matched[trial, rule] > most:
            self.gaps[trial] = rule

    def settled(self, trial: str) -> bool:
        """Say whether nothing more is to be done for a trial: it has its outcome, or is a gap."""
        return trial in self.outcomes or trial in self.gaps

    def waiting(self, plan: RunPlan) -> Iterator[TrialPlan]:
        """Give the trials that are not settled, in the plan's order."""
        return (trial for trial in plan.trials if not self.settled(trial.id))
