"""The frame: plan and ledger become one row a planned trial, in exact numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from analyzer.gather import SHOWN, Gathered, Lost, bounded, gather
from analyzer.measures import Fact, MeasureReader, whole
from compiler.plan import AnalysisPlan, LimitsPlan, TrialPlan, lowered
from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain
from ledger.records import InvalidEnvironment, Line, Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One planned trial as the ledger tells it.

    ``facts`` come from the outcome, or, where there is none, from the last lost attempt, so that a registered rule can
    say what that means; with neither, all is unknown. ``gap`` is the rule that the close names for a missing outcome.
    ``spent`` is the cost of every claimed attempt (USD, None: unknown). ``tries`` are the facts of each attempt that came to
    nothing; of one without an end nothing is known but whose it was.
    """

    trial: TrialPlan
    facts: Mapping[str, Fact]
    reasons: Mapping[str, str]
    outcome: Outcome | None
    lost: tuple[Lost, ...]
    attempts: int
    gap: str | None
    spent: tuple[Fraction | None, ...] = ()
    tries: tuple[Mapping[str, Fact], ...] = ()
    seq: int | None = None
    """The line of its outcome."""

    @property
    def measures(self) -> Mapping[str, Plain]:
        """What ``facts`` was read from, as the ledger writes it."""
        record = self.outcome or (self.lost[-1] if self.lost else None)
        return record.measures if record is not None else {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """All planned trials, by task, arm and seed in the order of the plan; never in the order of the ledger."""

    rows: tuple[Row, ...]
    closed: bool
    simulated: bool
    gathered: Gathered


def frame(plan: AnalysisPlan, lines: Sequence[Line], trials: Sequence[TrialPlan]) -> Frame:
    """Build the frame.

    Raises:
        IntegrityFault: A line does not belong (see ``gather``), or a measure is not of its kind: NaN, an infinity, a
            float, a negative amount, text where a number belongs.
    """
    _refuse_other_trials(plan, trials)
    found = gather(lines, trials)
    known, reader = _Known(plan), MeasureReader(plan)
    order = {task.id: place for place, task in enumerate(plan.tasks)}
    arms = {arm: place for place, arm in enumerate(plan.arms)}
    placed = sorted(trials, key=lambda trial: (order[trial.task], arms[trial.arm], trial.seed))
    rows = tuple(_row(trial, found, known.of(trial), reader) for trial in placed)
    if reader.faults:
        raise IntegrityFault(*bounded(reader.faults))
    simulated = (
        plan.simulated
        or (found.opened is not None and found.opened.simulated)
        or any(outcome.simulated for outcome in found.outcomes.values())
    )
    return Frame(rows=rows, closed=found.closed is not None, simulated=simulated, gathered=found)


def _refuse_other_trials(plan: AnalysisPlan, trials: Sequence[TrialPlan]) -> None:
    """What is run and what is judged are two halves of one plan: every task in every arm with every seed, once."""
    planned = [(task.id, arm, seed) for task in plan.tasks for arm in plan.arms for seed in range(1, plan.seeds + 1)]
    run = [(trial.task, trial.arm, trial.seed) for trial in trials]
    once = set(run)
    if len(planned) == len(run) == len(once) and once.issuperset(planned):
        return
    odd = sorted(set(planned) ^ set(run)) or sorted(each for each, times in Counter(run).items() if times > 1)
    raise IntegrityFault(
        Fault(
            code="plan",
            what="the trials that are run are not those that are judged",
            expected=f"{len(planned)} trials: every task in every arm with every seed, once",
            got=f"{len(run)} trials; odd: " + ", ".join("/".join(map(str, each)) for each in odd[:SHOWN]),
            where="plan.json",
            hint="the plan was altered; compile it again and compare",
        )
    )


def _row(trial: TrialPlan, found: Gathered, known: Mapping[str, Fact], reader: MeasureReader) -> Row:
    own = trial.id
    outcome, lost = found.outcomes.get(own), found.lost.get(own, ())
    judgments, attempts = found.judgments.get(own), found.claims.get(own, ())
    judgment = judgments[-1][1].judgment if judgments else "unjudged"
    before: dict[str, Fact] = {**known, "seed": whole(trial.seed), "judgment": judgment}
    tries: list[dict[str, Fact]] = []
    spent: list[Fraction | None] = []
    for line, each in lost:
        tried = reader.read(each.measures, (line.seq, line.kind, own), before)
        tries.append({**tried, **_stopped(each)})
        spent.append(_cost(tried))
    facts = tries[-1] if tries else before
    if outcome is not None:
        facts = reader.read(outcome.measures, (found.seqs[own], "outcome", own), before)
        facts["verdict"], facts["stop"] = outcome.verdict, outcome.ended
        spent.append(_cost(facts))
    unended = len(attempts) - len(spent)
    return Row(
        trial=trial,
        facts=facts,
        reasons=_reasons(outcome or (lost[-1][1] if lost else None)),
        outcome=outcome,
        lost=tuple([each for _, each in lost]),
        attempts=len(attempts),
        gap=found.closed.gaps.get(own) if found.closed is not None else None,
        spent=(*spent, *[None] * unended),
        tries=(*tries, *[before] * unended),
        seq=found.seqs.get(own),
    )


def _reasons(last: Outcome | Lost | None) -> Mapping[str, str]:
    """Give what the last end of an attempt says of what is unknown."""
    return {} if last is None or isinstance(last, InvalidEnvironment) else last.reasons


def _stopped(lost: Lost) -> dict[str, Fact]:
    """Say how an attempt ended that came to nothing."""
    return {"environment_ok": False} if isinstance(lost, InvalidEnvironment) else {"stop": lost.ended}


def _cost(facts: Mapping[str, Fact]) -> Fraction | None:
    found = facts.get("cost")
    return found if isinstance(found, Fraction) else None


class _Known:
    """What is known of a trial before it runs: whose it is, its limits, and what its arm was measured to use."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self._tasks = {task.id: task.limits for task in plan.tasks}
        self._plan = plan
        self._arms = said_arms(plan)
        self._overhead = overhead_facts(plan)
        self._of: dict[tuple[str, str], dict[str, Fact]] = {}

    def of(self, trial: TrialPlan) -> dict[str, Fact]:
        """Give what all seeds of a task in an arm have in common; limits are the arm's, lowered by the task's own."""
        place = (trial.task, trial.arm)
        if place not in self._of:
            arm = self._plan.limits.get(trial.arm)
            self._of[place] = {
                "arm": self._arms.get(trial.arm, trial.arm),
                "task": trial.task,
                **_limits(None if arm is None else lowered(arm, self._tasks[trial.task])),
                **self._overhead.get(trial.arm, {}),
            }
        return self._of[place]


def said_arms(plan: AnalysisPlan) -> dict[str, str]:
    """Give every arm at a level with its name in the spec, by which conditions know it; nothing without levels."""
    return {crossed: arm for level in plan.levels.values() for arm, crossed in level.items()}


def overhead_facts(plan: AnalysisPlan) -> dict[str, dict[str, Fact]]:
    """Give what arms were measured to use before they do anything, by arm; the plan holds amounts as decimal strings."""
    return {
        arm: {name: None if value is None else Fraction(value) for name, value in facts.items()}
        for arm, facts in plan.overhead.items()
    }


def _limits(limits: LimitsPlan | None) -> dict[str, Fact]:
    if limits is None:
        return {}
    cost: Decimal | None = limits.cost_usd
    return {
        "limits.time": Fraction(limits.time_s),
        "limits.cost": None if cost is None else Fraction(cost),
        "limits.turns": None if limits.turns is None else Fraction(limits.turns),
    }
