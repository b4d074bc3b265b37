"""Two runs of one arm over the same tasks: what flipped, how far it disagrees with itself, how amounts spread."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from analyzer.missing import Settled
from analyzer.quantiles import quantile
from analyzer.rates import LEVEL, Tries, passed, tries
from stats.agreement import Agreement, agreement, between_sides, within_task
from stats.clustered import clustered_interval
from stats.proportions import wilson
from stats.total import total

MEASURES: Mapping[str, str] = {"cost": "USD", "time": "s", "turns": "turn", "tokens": "token", "tool_calls": ""}
"""The amounts that are compared where both sides know them, and their units."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Flip:
    """A task that one side solved and the other did not; ``ended`` is how its trials stopped, where they did not finish."""

    task: str
    one: Tries
    other: Tries
    ended: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """One amount on both sides, over tasks that know it: the medians of task means, and the task that differs most.

    ``ratios`` are the quartiles and the median of other / one, task by task, None where an amount is zero.
    """

    unit: str
    n: int
    one: float
    other: float
    ratios: tuple[float, float, float] | None
    widest: tuple[str, float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chance:
    """The chance that two runs of a task disagree, averaged over tasks; ``ends`` at 95 %, None where tasks show no spread."""

    value: float
    ends: tuple[float, float] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What two sides of one arm come to. ``solved`` are tasks by majority of seeds; ``agreed`` is None without a task.

    ``between`` is the chance that a run of one side and a run of the other disagree on a task, ``within`` the same for two
    runs of one side (None without repeats). ``left_out`` are tasks that cannot be compared, with why.
    """

    arm: str
    tasks: int
    solved: tuple[int, int]
    agreed: Agreement | None
    flips: tuple[Flip, ...]
    between: Chance | None
    within: tuple[Chance | None, Chance | None]
    spreads: Mapping[str, Spread]
    left_out: Mapping[str, str]


def compare(arm: str, one: Sequence[Settled], other: Sequence[Settled]) -> Compared:
    """Compare two sides of an arm; both hold settled trials of that arm under its own name.

    Repeats are seeds of a task and not tasks: a task is solved by more than half of its seeds. The flip rate carries
    Wilson's interval at 95 % over tasks. A task without a known trial on either side is left out, and named.
    """
    sides = (tries(one, arm), tries(other, arm))
    ids = dict.fromkeys(each.row.trial.task for each in (*one, *other))
    shared = [task for task in ids if task in sides[0] and task in sides[1]]
    verdicts = [[_majority(side[task]) for task in shared] for side in sides]
    flips = tuple(
        Flip(task=task, one=sides[0][task], other=sides[1][task], ended=tuple(_ended((*one, *other), task)))
        for task, first, second in zip(shared, *verdicts, strict=True)
        if first != second
    )
    spreads = {name: _spread(name, unit, one, other) for name, unit in MEASURES.items()}
    return Compared(
        arm=arm,
        tasks=len(shared),
        solved=(sum(verdicts[0]), sum(verdicts[1])),
        agreed=agreement(*verdicts) if shared else None,
        flips=flips,
        between=_chance([between_sides(Fraction(*sides[0][task]), Fraction(*sides[1][task])) for task in shared]),
        within=(_within(sides[0]), _within(sides[1])),
        spreads={name: each for name, each in spreads.items() if each is not None},
        left_out={task: _why(task, one, other) for task in ids if task not in shared},
    )


def _within(side: Mapping[str, Tries]) -> Chance | None:
    return _chance([within_task(yes, of) for yes, of in side.values() if of > 1])


def _chance(tasks: Sequence[Fraction]) -> Chance | None:
    """Average over tasks, which are what was sampled: repeats of a task make its own chance surer, and are no further task.

    Wilson's interval where every task disagrees always or never, as with one run a side; else Student's over the tasks.
    """
    if not tasks:
        return None
    value = total(tasks) / len(tasks)
    if all(each in (0, 1) for each in tasks):
        counted = wilson(int(sum(tasks)), len(tasks), level=LEVEL)
        return Chance(value=float(value), ends=(counted.lo, counted.hi))
    if len(set(tasks)) == 1:
        return Chance(value=float(value), ends=None)
    found = clustered_interval(tasks, range(len(tasks)), level=LEVEL)
    return Chance(value=float(value), ends=(max(found.lo, 0.0), min(found.hi, 1.0)))


def _majority(each: Tries) -> bool:
    return 2 * each[0] > each[1]


def _ended(settled: Iterable[Settled], task: str) -> Iterable[str]:
    """Say which of a task's trials were stopped: a flip by a timeout is another kind of flip."""
    stopped = {
        each.row.outcome.ended
        for each in settled
        if each.row.trial.task == task and each.row.outcome is not None and each.row.outcome.ended != "finished"
    }
    return sorted(stopped)


def _why(task: str, one: Sequence[Settled], other: Sequence[Settled]) -> str:
    for name, side in (("the first", one), ("the second", other)):
        mine = [each for each in side if each.row.trial.task == task]
        if not mine:
            return f"{name} side has no trial of it"
        if all(passed(each) is None for each in mine):
            return f"{name} side knows no result of it: {mine[0].why or 'unknown'}"
    return "unknown"


def _spread(name: str, unit: str, one: Sequence[Settled], other: Sequence[Settled]) -> Spread | None:
    means = [_means(side, name) for side in (one, other)]
    shared = [task for task in means[0] if task in means[1]]
    if not shared:
        return None
    pairs = [(float(means[0][task]), float(means[1][task])) for task in shared]
    ratios = sorted(second / first for first, second in pairs if first and second)
    widest = max(zip(shared, pairs, strict=True), key=lambda each: (abs(each[1][1] - each[1][0]), each[0]))
    return Spread(
        unit=unit,
        n=len(shared),
        one=median(first for first, _ in pairs),
        other=median(second for _, second in pairs),
        ratios=(quantile(ratios, 0.25), median(ratios), quantile(ratios, 0.75)) if len(ratios) == len(pairs) else None,
        widest=(widest[0], *widest[1]),
    )


def _means(side: Sequence[Settled], name: str) -> dict[str, Fraction]:
    """Give the mean over seeds of each task whose every outcome knows the amount, as measured."""
    found: dict[str, list[Fraction | None]] = {}
    for each in side:
        value = each.row.facts.get(name)
        found.setdefault(each.row.trial.task, []).append(value if isinstance(value, Fraction) else None)
    return {
        task: sum((value for value in values if value is not None), Fraction(0)) / len(values)
        for task, values in found.items()
        if None not in values
    }
