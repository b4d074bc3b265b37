"""How far runs of the same thing agree with one another: the noise floor."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from stats.number import StatError, count
from stats.proportions import Proportion, wilson
from stats.total import total


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Two runs over the same tasks. ``kappa`` is None where chance alone would agree always (both constant and alike)."""

    n: int
    flips: int
    flip_rate: float
    flip_wilson95: tuple[float, float]
    observed_agreement: float
    kappa: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SelfDisagreement:
    """Chance that two seeds of a task disagree: per task (None with a single seed), and the mean over tasks that have one."""

    per_task: tuple[float | None, ...]
    mean: float


def agreement(run1: Sequence[Hashable], run2: Sequence[Hashable]) -> Agreement:
    """Flips between two runs, with Wilson's 95% interval, and Cohen's kappa (Cohen 1960).

    Assumes independent tasks, in the same order in both runs. Exactness: fractions rounded once, the interval in doubles.

    Raises:
        StatError: no tasks, or unequal lengths.
    """
    n = len(run1)
    if n != len(run2):
        raise StatError(f"unequal lengths: {n} and {len(run2)}")
    if n == 0:
        raise StatError("no tasks")
    flips = sum(one != other for one, other in zip(run1, run2, strict=True))
    interval: Proportion = wilson(flips, n, level=Fraction(19, 20))
    observed = Fraction(n - flips, n)
    first, second = Counter(run1), Counter(run2)
    chance = Fraction(sum(times * second[label] for label, times in first.items()), n * n)
    return Agreement(
        n=n,
        flips=flips,
        flip_rate=float(1 - observed),
        flip_wilson95=(interval.lo, interval.hi),
        observed_agreement=float(observed),
        kappa=None if chance == 1 else float((observed - chance) / (1 - chance)),
    )


def self_disagreement(tasks: Sequence[tuple[int, int]]) -> SelfDisagreement:
    """Unbiased chance that two seeds of a task disagree, c·(k-c)/C(k,2), from (successes c, seeds k) of each task.

    Tasks with one seed say nothing and are left out of the mean. Exactness: fractions rounded once.

    Raises:
        StatError: no task with two seeds or more, or c > k.
    """
    shares = [_share(successes, seeds) for successes, seeds in tasks]
    known = [share for share in shares if share is not None]
    if not known:
        raise StatError("no task has two seeds")
    return SelfDisagreement(
        per_task=tuple(None if share is None else float(share) for share in shares),
        mean=float(total(known) / len(known)),
    )


def within_task(successes: int, seeds: int) -> Fraction:
    """Chance that two of a task's seeds disagree: of all their pairs, those with one success. Two seeds at least."""
    return Fraction(successes * (seeds - successes), comb(seeds, 2))


def between_sides(one: Fraction, other: Fraction) -> Fraction:
    """Chance that a run of one side and a run of the other disagree on a task, by the share of successes on either side."""
    return one * (1 - other) + other * (1 - one)


@lru_cache(maxsize=1 << 12, typed=True)
def _share(successes: int, seeds: int) -> Fraction | None:
    """Read the counts of one task, of which many tasks share few; None with one seed."""
    c, k = count(successes, "successes"), count(seeds, "seeds")
    if c > k:
        raise StatError(f"c > k: {c} of {k}")
    return within_task(c, k) if k > 1 else None
