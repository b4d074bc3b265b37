"""Compare two runs of the same arms, or the two halves of one run, after checking that they may be compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from analyzer.compare import Compared, compare
from analyzer.judge import head
from analyzer.missing import Settled
from analyzer.rates import SOLVED
from compiler.difference import difference
from compiler.plan import Plan, TaskPlan
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.errors import Fault, UndecidedFault
from ledger.plain import Plain
from prereg.case import Case
from prereg.experiment import RunFolder

HINT = "compare runs of one arm over the same tasks: the same agent, version, model, provider, limits and flags"


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What was compared, one entry an arm. ``labels`` name the sides; ``simulated`` when either side is."""

    labels: tuple[str, str]
    arms: tuple[Compared, ...]
    simulated: bool
    notes: tuple[str, ...] = ()
    """What was not compared, and why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Side:
    label: str
    plan: Plan
    settled: Sequence[Settled]
    simulated: bool
    head: str
    """The digest of its last line: no two runs have the same."""


def compare_runs(one: RunFolder, other: RunFolder, arm: str | None = None) -> Comparison:
    """Compare two runs arm by arm.

    Raises:
        IntegrityFault: A ledger, plan or registration does not fit.
        UndecidedFault: A run is open, or both are one run; or the runs share no arm or no task, or what they share is not
            the same in both.
    """
    first, second = _side(one), _side(other)
    if first.head == second.head:
        what = f"{first.label} is compared with itself, and nothing differs from itself"
        hint = "name another run of the same plan, or compare its halves: --halves"
        raise UndecidedFault(Fault(code="not-comparable", what=what, hint=hint))
    shared = [each.name for each in first.plan.run.arms if each.name in {it.name for it in second.plan.run.arms}]
    chosen = _chosen(shared, arm, f"{first.label} and {second.label} share no arm")
    faults = [*_arms(first.plan, second.plan, chosen), *_tasks(first.plan, second.plan), *_measure(first, second)]
    if faults:
        raise UndecidedFault(*faults)
    routes = [side.plan.run.routes.name for side in (first, second)]
    arms = tuple(compare(each, _of(first.settled, each), _of(second.settled, each)) for each in chosen)
    mixed = routes[0] != routes[1]
    return Comparison(
        labels=(first.label, second.label),
        arms=tuple(_without_costs(each) for each in arms) if mixed else arms,
        simulated=first.simulated or second.simulated,
        notes=(f"costs are not compared: {routes[0]} in one, {routes[1]} in the other",) if mixed else (),
    )


def compare_halves(run: RunFolder, arm: str | None = None) -> Comparison:
    """Compare the odd seeds of a run with the even ones, arm by arm; of an odd number of seeds the last is left out.

    Raises:
        IntegrityFault: As for two runs.
        UndecidedFault: The run is open, has one seed a task, or has no such arm.
    """
    side = _side(run)
    seeds = side.plan.analysis.seeds
    if seeds < 2:
        what = f"{side.label} ran every task once, so it has no halves"
        raise UndecidedFault(
            Fault(code="not-comparable", what=what, hint="compare it with another run of the same plan")
        )
    chosen = _chosen(side.plan.analysis.arms, arm, f"{side.label} has no such arm")
    # Halves of one size: two seeds against one would flip whenever the two disagree.
    of_half = [range(first, seeds - seeds % 2 + 1, 2) for first in (1, 2)]
    halves = [[each for each in side.settled if each.row.trial.seed in of] for of in of_half]
    first, second = (f"{side.label}, seed {', '.join(map(str, of))}" for of in of_half)
    return Comparison(
        labels=(first, second),
        arms=tuple(compare(each, *(_of(half, each) for half in halves)) for each in chosen),
        simulated=side.simulated,
    )


def _without_costs(each: Compared) -> Compared:
    """Leave costs out: measured by two routes they are two measures."""
    return replace(each, spreads={name: spread for name, spread in each.spreads.items() if name != "cost"})


def _side(folder: RunFolder) -> _Side:
    case = Case(folder)
    _ = (case.registered_files, case.opened)
    plan = case.plan
    return _Side(
        label=f"{plan.run.experiment}/{case.record.run}",
        plan=plan,
        settled=case.evidence.settled,
        simulated=case.evidence.frame.simulated,
        head=head(case.lines),
    )


def _chosen(shared: Sequence[str], arm: str | None, why: str) -> tuple[str, ...]:
    if arm is None and shared:
        return tuple(shared)
    if arm is not None and arm in shared:
        return (arm,)
    raise UndecidedFault(
        Fault(code="not-comparable", what=why, expected=arm, got=", ".join(shared) or "no arm in common", hint=HINT)
    )


def _of(settled: Sequence[Settled], arm: str) -> list[Settled]:
    return [each for each in settled if each.row.trial.arm == arm]


def _arms(one: Plan, other: Plan, chosen: Sequence[str]) -> Iterator[Fault]:
    """An arm is the same in both when nothing that is pinned differs."""
    for name in chosen:
        first, second = (next(arm for arm in plan.run.arms if arm.name == name) for plan in (one, other))
        for part in fields(first):
            was, now = getattr(first, part.name), getattr(second, part.name)
            if was != now:
                yield _differs(f"arm {name} is not the same in both: {part.name}", was, now)


def _tasks(one: Plan, other: Plan) -> Iterator[Fault]:
    """A task under one name is one task: the same tree, tests, prompt and oracle."""
    first: Mapping[str, TaskPlan] = {task.id: task for task in one.run.tasks}
    second = {task.id: task for task in other.run.tasks}
    shared = [task for task in first if task in second]
    if not shared:
        yield Fault(
            code="not-comparable",
            what="the runs share no task",
            expected=", ".join(first),
            got=", ".join(second),
            hint=HINT,
        )
    for task in shared:
        for part in ("given", "held_out", "tests", "prompt", "steps"):
            was, now = getattr(first[task], part), getattr(second[task], part)
            if was != now:
                yield _differs(f"task {task} is not the same in both: {part}", was, now)
        was, now = one.run.oracles[first[task].oracle], other.run.oracles[second[task].oracle]
        if was != now:
            yield _differs(f"task {task} is not judged in the same way in both", was, now)
    if one.run.repairs != other.run.repairs:
        yield _differs("agents are not sent back in the same way in both", one.run.repairs, other.run.repairs)


def _measure(one: _Side, other: _Side) -> Iterator[Fault]:
    was, now = (side.plan.analysis.measures.get(SOLVED) for side in (one, other))
    if was != now:
        yield _differs("the runs do not mean the same by solved", was, now)


def _differs(what: str, was: object, now: object) -> Fault:
    """Show the first place at which they differ, as the plan writes it."""
    first, *more = difference(to_plain(was), to_plain(now))
    at = f" at {first.path}" if first.path else ""
    return Fault(
        code="not-comparable",
        what=f"{what}{at}{f', and at {len(more)} more' if more else ''}",
        expected=_text(first.before),
        got=_text(first.after),
        where="plan.json",
        hint=HINT,
    )


def _text(value: Plain) -> str:
    return (value if isinstance(value, str) else canonical(value).decode())[:300]
