"""Missing data by registered rules, in their order, first match wins; what no rule explains is a gap, and named."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from analyzer.frame import Frame, Row
from analyzer.gather import SHOWN
from analyzer.measures import Fact
from analyzer.reading import Expression, in_order
from compiler.plan import AnalysisPlan, MissingPlan
from ledger.errors import Fault, UndecidedFault
from ledger.records import InvalidEnvironment

Fate = Literal["scored", "excluded", "gap"]

INVALID = "invalid_environment"
"""What a close calls a gap that an environment left which is not the registered one, where no registered rule speaks of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settled:
    """One planned trial after the missing-data rules.

    ``values``: facts and measures by name, as the endpoints read them (None: unknown). ``rule`` is the registered rule
    that matched; ``why`` says in a sentence why a trial is excluded or a gap. ``tries`` are the values of each attempt that
    came to nothing.
    """

    row: Row
    values: Mapping[str, Fact]
    fate: Fate
    rule: str | None = None
    why: str = ""
    explained: bool = True
    exclude: Literal["pair", "trial"] | None = None
    tries: tuple[Mapping[str, Fact], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """The plan's measures and missing-data rules, parsed once."""

    measures: tuple[tuple[str, Expression], ...]
    rules: tuple[tuple[MissingPlan, Expression, Mapping[str, Expression]], ...] = field(default=())

    @classmethod
    def of(cls, plan: AnalysisPlan) -> "Rules":
        """Parse what a plan says about one trial."""
        return cls(
            measures=in_order(plan.measures),
            rules=tuple(
                (rule, Expression(rule.when), {name: Expression(text) for name, text in (rule.value or {}).items()})
                for rule in plan.missing
            ),
        )

    def measured(self, facts: Mapping[str, Fact], fixed: Mapping[str, Fact] | None = None) -> dict[str, Fact]:
        """Give facts and measures; a ``fixed`` measure is not computed but taken as the rule gives it."""
        values = {**facts, **fixed} if fixed else dict(facts)
        for name, node in self.measures:
            if fixed is None or name not in fixed:
                values[name] = node.value(values)
        return values


def settle(plan: AnalysisPlan, frame: Frame, *, rules: Rules | None = None) -> tuple[Settled, ...]:
    """Apply the registered missing-data rules to every trial, in the order of the frame.

    ``rules`` are those of the plan where they were parsed before, for many frames of one plan.

    A rule whose condition is unknown does not match. A trial without an outcome is judged by what its last lost attempt
    left; when the matching rule asks for a retry, no retry was left, and the trial is a gap.

    Raises:
        UndecidedFault: The run is still open, or a trial has no outcome and no registered rule explains it.
    """
    if not frame.closed:
        raise UndecidedFault(*_open(frame))
    parsed = rules or Rules.of(plan)
    settled = [_settle(row, parsed, plan) for row in frame.rows]
    unexplained = [each for each in settled if not each.explained]
    if unexplained:
        raise UndecidedFault(*_unexplained(unexplained))
    paired = _pairs(settled, {arm: level for level in plan.levels for arm in plan.levels[level].values()})
    return tuple(
        replace(each, tries=tuple(map(parsed.measured, each.row.tries))) if each.row.tries else each for each in paired
    )


def _settle(row: Row, rules: Rules, plan: AnalysisPlan) -> Settled:
    values = rules.measured(row.facts)
    if row.outcome is None and not row.lost:
        return Settled(row=row, values=values, fate="gap", why=_gap(row, row.gap), explained=False)
    for rule, when, fixed in rules.rules:
        if when.value(values) is not True:
            continue
        if rule.retry is not None:
            return Settled(row=row, values=values, fate="gap", rule=rule.rule, why=_gap(row, rule.rule))
        if rule.exclude is not None:
            why = f"rule {rule.rule}"
            return Settled(row=row, values=values, fate="excluded", rule=rule.rule, why=why, exclude=rule.exclude)
        if fixed:
            given = {name: node.value(values) for name, node in fixed.items()}
            values = rules.measured(row.facts, given)
        return Settled(row=row, values=values, fate="scored", rule=rule.rule)
    if row.outcome is None:
        # No rule matches what the last attempt left; the close may still say why the trial was given up.
        return Settled(row=row, values=values, fate="gap", why=_gap(row, row.gap), explained=_given_up(row, plan))
    if row.outcome.verdict == "skipped":
        why = "it was skipped, and no registered rule says what that means"
        return Settled(row=row, values=values, fate="gap", why=why)
    return Settled(row=row, values=values, fate="scored")


def _given_up(row: Row, plan: AnalysisPlan) -> bool:
    """Whether the close names the reason: a registered rule for retries, or an environment that no rule speaks of."""
    if row.gap == INVALID:
        return isinstance(row.lost[-1], InvalidEnvironment)
    return row.gap in {rule.rule for rule in plan.missing if rule.retry is not None}


def _pairs(settled: list[Settled], levels: Mapping[str, str]) -> tuple[Settled, ...]:
    """Carry ``exclude: pair`` over to the same task and seed in every other arm, at the same level where there are levels."""
    struck = {
        (each.row.trial.task, each.row.trial.seed, levels.get(each.row.trial.arm)): each
        for each in reversed(settled)
        if each.fate == "excluded" and each.exclude == "pair"
    }
    if not struck:
        return tuple(settled)
    carried: list[Settled] = []
    for each in settled:
        origin = struck.get((each.row.trial.task, each.row.trial.seed, levels.get(each.row.trial.arm)))
        if origin is None or each.fate == "excluded":
            carried.append(each)
            continue
        why = f"rule {origin.rule} on its pair {origin.row.trial.id}"
        carried.append(Settled(row=each.row, values=each.values, fate="excluded", rule=origin.rule, why=why))
    return tuple(carried)


def _gap(row: Row, rule: str | None) -> str:
    lost = len(row.lost)
    attempts = (
        f"{lost} attempt{'' if lost == 1 else 's'} lost" if lost else f"{row.attempts} attempts claimed, none ended"
    )
    if row.outcome is not None:
        return f"rule {rule} asks for a retry, but its outcome was kept as if it had counted"
    if rule == INVALID:
        return (
            f"no outcome: {attempts}, its environment was not the registered one, and no registered rule speaks of that"
        )
    return f"no outcome: {attempts}, none left under rule {rule}" if rule else f"no outcome: {attempts}"


def _open(frame: Frame) -> list[Fault]:
    missing = [row for row in frame.rows if row.outcome is None]
    whole = Fault(
        code="open",
        what=f"the run is still open: {len(missing)} of {len(frame.rows)} trials have no outcome yet",
        expected="a closed line at the end of the ledger",
        got=", ".join(row.trial.id for row in missing[:SHOWN]) + (", …" if len(missing) > SHOWN else "")
        or "none missing",
        where="ledger.jsonl",
        hint="run prereg execute again: it resumes, and closes the run when every trial has an outcome or its rule gave up",
    )
    return [whole]


def _unexplained(gaps: list[Settled]) -> list[Fault]:
    faults = [
        Fault(
            code="gap",
            what=f"{each.row.trial.id} has no outcome, and no registered rule explains it",
            expected="an outcome, or a registered missing-data rule that gave it up",
            got=each.why,
            where=f"ledger.jsonl: {each.row.trial.id}",
            hint="find out what happened to it; a run with unexplained gaps is not judged",
        )
        for each in gaps[:SHOWN]
    ]
    if len(gaps) > SHOWN:
        faults.append(Fault(code="gap", what=f"and {len(gaps) - SHOWN} more trials without an outcome"))
    return faults
