"""The frame: plan and ledger become one row a planned trial, in exact numbers."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from analyzer.gather import SHOWN, Gathered, Lost, bounded, gather
from compiler.plan import AnalysisPlan, LimitsPlan, TrialPlan, lowered
from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain
from ledger.records import Infrastructure, InvalidEnvironment, Line, Outcome
from spec_lang.catalog import TRIAL_FACTS
from spec_lang.expr.types import BOOL, NUMBER, TEXT, BoolType, NumberType, describe, named
from spec_lang.expr.types import Type as Kind

Fact: TypeAlias = bool | str | Fraction | None
"""What is known of a trial under one name; None is unknown."""

_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
_LONGEST = 400
"""Digits of a number; longer ones are no measurement, and their exact value would only cost time."""

_COLLECTED: Mapping[str, Kind] = {"count": NUMBER, "bool": BOOL, "text": TEXT}
_KINDS: Mapping[str, Kind] = {name: named(written) for name, (written, _) in TRIAL_FACTS.items()}


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
    reader = _Reader(plan)
    order = {task.id: place for place, task in enumerate(plan.tasks)}
    arms = {arm: place for place, arm in enumerate(plan.arms)}
    placed = sorted(trials, key=lambda trial: (order[trial.task], arms[trial.arm], trial.seed))
    rows = tuple(_row(trial, found, reader) for trial in placed)
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
    if sorted(planned) == sorted(run):
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


def _row(trial: TrialPlan, found: Gathered, reader: "_Reader") -> Row:
    outcome = found.outcomes.get(trial.id)
    lost = found.lost.get(trial.id, [])
    judgments = found.judgments.get(trial.id)
    known: dict[str, Fact] = {
        "arm": reader.arms.get(trial.arm, trial.arm),
        "task": trial.task,
        "seed": Fraction(trial.seed),
        "judgment": judgments[-1][1].judgment if judgments else "unjudged",
        **reader.limits(trial),
        **reader.overhead.get(trial.arm, {}),
    }
    facts, reasons = known, dict[str, str]()
    attempts = found.claims.get(trial.id, ())
    measured = [reader.read(each.measures, f"ledger line {line.seq}, {line.kind} of {trial.id}") for line, each in lost]
    tries = [known | read | _stopped(each) for read, (_, each) in zip(measured, lost, strict=True)]
    if outcome is not None:
        measured.append(reader.read(outcome.measures, f"ledger line {found.seqs[trial.id]}, outcome of {trial.id}"))
        facts = known | measured[-1] | {"verdict": outcome.verdict, "stop": outcome.ended}
        reasons = dict(outcome.reasons)
    elif lost:
        last = lost[-1][1]
        facts = tries[-1]
        reasons = dict(last.reasons) if isinstance(last, Infrastructure) else {}
    return Row(
        trial=trial,
        facts=facts,
        reasons=reasons,
        outcome=outcome,
        lost=tuple(each for _, each in lost),
        attempts=len(attempts),
        gap=found.closed.gaps.get(trial.id) if found.closed is not None else None,
        spent=tuple(_cost(each) for each in measured) + (None,) * (len(attempts) - len(measured)),
        tries=(*tries, *[known] * (len(attempts) - len(measured))),
    )


def _stopped(lost: Lost) -> dict[str, Fact]:
    """Say how an attempt ended that came to nothing."""
    return {"environment_ok": False} if isinstance(lost, InvalidEnvironment) else {"stop": lost.ended}


def _cost(facts: Mapping[str, Fact]) -> Fraction | None:
    found = facts.get("cost")
    return found if isinstance(found, Fraction) else None


class _Reader:
    """Reads measures as the kinds they must have, and keeps every fault."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.faults: list[Fault] = []
        self._tasks = {task.id: task.limits for task in plan.tasks}
        self._arms = plan.limits
        self.arms = said_arms(plan)
        self.overhead = overhead_facts(plan)
        self._limits: dict[tuple[str, str], dict[str, Fact]] = {}
        self._kinds = {**_KINDS, **{name: _COLLECTED[each.type] for name, each in plan.collect.items()}}

    def limits(self, trial: TrialPlan) -> dict[str, Fact]:
        """Give the limits of a trial: its arm's, lowered by its task's own."""
        place = (trial.arm, trial.task)
        if place not in self._limits:
            arm = self._arms.get(trial.arm)
            self._limits[place] = _limits(None if arm is None else lowered(arm, self._tasks[trial.task]))
        return self._limits[place]

    def read(self, measures: Mapping[str, Plain], where: str) -> dict[str, Fact]:
        """Give each measure as a bool, a text or an exact number; what the language cannot name is left out."""
        facts: dict[str, Fact] = {}
        for name, value in measures.items():
            kind = self._kinds.get(name)
            if isinstance(value, float):
                self._refuse(name, value, "an integer or a decimal string", where)
            elif value is None or kind is None:
                facts[name] = None
            elif isinstance(kind, NumberType):
                facts[name] = self._number(name, value, where)
            elif isinstance(value, bool if isinstance(kind, BoolType) else str):
                facts[name] = value
            else:
                self._refuse(name, value, describe(kind), where)
        return facts

    def _number(self, name: str, value: Plain, where: str) -> Fraction | None:
        number: Fraction | None = None
        if type(value) is int:
            number = _whole(value)
        elif isinstance(value, str) and len(value) <= _LONGEST:
            number = _decimal(value)
        if number is None:
            self._refuse(name, value, "an integer or a decimal string such as 0.0421", where)
            return None
        if number.numerator < 0:
            self._refuse(name, value, "zero or more: an unknown amount is null, never negative", where)
        return number

    def _refuse(self, name: str, value: object, expected: str, where: str) -> None:
        self.faults.append(
            Fault(
                code="measure",
                what=f"{name} is nothing that can be judged",
                expected=expected,
                got=repr(value)[:80],
                where=f"{where}: {name}",
                hint="the ledger was altered, or its agent adapter is at fault; an unknown value is null with a reason",
            )
        )


@lru_cache(maxsize=1 << 16)
def _whole(number: int) -> Fraction:
    return Fraction(number)


@lru_cache(maxsize=1 << 16)
def _decimal(text: str) -> Fraction | None:
    """Read a decimal exactly; None when it is none."""
    if _DECIMAL.fullmatch(text) is None:
        return None
    whole, _, part = text.partition(".")
    return Fraction(int(whole + part), 10 ** len(part))  # what Fraction(text) gives, in half the time


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
