"""How often each arm solves a task: per arm, per category, over repeats, and against the baseline task by task."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from analyzer.missing import Settled
from analyzer.reading import tree
from compiler.plan import AnalysisPlan
from spec_lang.expr.ast import reads
from stats.agreement import self_disagreement
from stats.clustered import clustered_interval
from stats.number import StatError
from stats.pass_k import pass_at_k, pass_hat_k
from stats.proportions import wilson
from stats.total import total, total_of_ratios

SOLVED = "solved"
"""The measure that says whether a trial solved its task, where a plan has one; else the oracle's verdict says it."""

LEVEL = Fraction(95, 100)

_COMPARING = ("primary", "co-primary", "effect", "secondary")
"""Roles of comparisons that something is to come out of, those that decide first."""

Tries = tuple[int, int]
"""How many scored trials of a task passed, of how many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """An arm's pass@1: the share of scored trials that passed, averaged over tasks; ``ends`` at 95 %, None: no interval.

    One run a task: Wilson's interval. Repeats: Student's interval over the tasks' shares, so that seeds are not taken
    for tasks.
    """

    passed: int
    scored: int
    tasks: int
    share: float | None
    ends: tuple[float, float] | None


def passed(each: Settled) -> bool | None:
    """Say whether a scored trial solved its task; None when that is unknown, or the trial is not scored."""
    if each.fate != "scored":
        return None
    found = each.values.get(SOLVED)
    if isinstance(found, bool):
        return found
    return None if each.row.outcome is None else each.row.outcome.verdict == "pass"


def tries(settled: Sequence[Settled], arm: str) -> dict[str, Tries]:
    """Count an arm's passes task by task; a task without a known trial is not there."""
    found: dict[str, Tries] = {}
    for each in settled:
        trial = each.row.trial
        if trial.arm == arm and (it := passed(each)) is not None:
            yes, of = found.get(trial.task, (0, 0))
            found[trial.task] = (yes + it, of + 1)
    return found


def rate(by_task: Mapping[str, Tries]) -> Rate:
    """Work out an arm's pass@1 from its tries."""
    yes, of = sum(each for each, _ in by_task.values()), sum(each for _, each in by_task.values())
    shares = [Fraction(each, times) for each, times in by_task.values()]
    ends: tuple[float, float] | None = None
    if shares and all(times == 1 for _, times in by_task.values()):
        interval = wilson(yes, of, level=LEVEL)
        ends = (interval.lo, interval.hi)
    elif len(shares) > 1 and len(set(shares)) > 1:
        over = clustered_interval(shares, range(len(shares)), level=LEVEL)
        ends = (max(over.lo, 0.0), min(over.hi, 1.0))
    return Rate(
        passed=yes,
        scored=of,
        tasks=len(shares),
        share=float(total(shares) / len(shares)) if shares else None,
        ends=ends,
    )


def by_category(by_task: Mapping[str, Tries], plan: AnalysisPlan) -> dict[str | None, dict[str, Tries]]:
    """Part an arm's tries by the category of the task; None holds those of none."""
    found: dict[str | None, dict[str, Tries]] = {task.category: {} for task in plan.tasks}
    for task in plan.tasks:
        if task.id in by_task:
            found[task.category][task.id] = by_task[task.id]
    return found


def over_k(by_task: Mapping[str, Tries], k: int) -> tuple[float, float] | None:
    """Give pass@k and pass^k, averaged over the tasks with k scored trials or more; None where there is none."""
    enough = Counter((of, yes) for yes, of in by_task.values() if of >= k)
    if not enough:
        return None
    at, hat = (
        sum((chance(of, yes, k) * times for (of, yes), times in enough.items()), Fraction(0)) / enough.total()
        for chance in (pass_at_k, pass_hat_k)
    )
    return float(at), float(hat)


def disagreement(by_task: Mapping[str, Tries]) -> float | None:
    """Give the chance that two seeds of one task disagree, averaged over tasks; None without a repeat."""
    try:
        return self_disagreement(list(by_task.values())).mean
    except StatError:
        return None


def apart(one: Mapping[str, Tries], other: Mapping[str, Tries]) -> float | None:
    """Give the chance that a seed of one arm and a seed of the other disagree on a task, averaged over shared tasks."""
    shared = [(*one[task], *other[task]) for task in one if task in other]
    if not shared:
        return None
    disagree = total_of_ratios((yes * (n - also) + also * (of - yes), of * n) for yes, of, also, n in shared)
    return float(disagree / len(shared))


def changed(plan: AnalysisPlan, by_arm: Mapping[str, Mapping[str, Tries]]) -> list[tuple[str, str, Tries, Tries]]:
    """List each task and arm whose share of passes is another than the baseline's: (task, arm, baseline's, arm's)."""
    found = []
    for baseline, *others in side_by_side(plan):
        base = by_arm[baseline]
        for arm in others:
            mine = by_arm[arm]
            found += [
                (task.id, arm, base[task.id], mine[task.id])
                for task in plan.tasks
                if task.id in base and task.id in mine and Fraction(*base[task.id]) != Fraction(*mine[task.id])
            ]
    return found


def side_by_side(plan: AnalysisPlan) -> tuple[tuple[str, ...], ...]:
    """Give the arms that may be held against each other, the baseline first: all, or those of each level.

    The baseline is the arm that the first comparison sets another against; without a comparison, the first arm.
    """
    groups = [tuple(arm for arm in plan.arms if arm in level.values()) for _, level in sorted(plan.levels.items())]
    return tuple(_baseline_first(plan, arms) for arms in groups or [plan.arms])


def _baseline_first(plan: AnalysisPlan, arms: tuple[str, ...]) -> tuple[str, ...]:
    compared = [each for each in plan.endpoints if each.compare is not None and each.role in _COMPARING]
    for each in sorted(compared, key=lambda each: _COMPARING.index(each.role)):
        sides = reads(tree(each.compare or ""))
        if len(sides) == 2 and set(sides) <= set(arms):
            return (sides[1], *(arm for arm in arms if arm != sides[1]))
    return arms
