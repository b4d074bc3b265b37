"""Plain summaries of a list: its mean, its median and its signs, exactly; and pass@k and pass^k averaged over tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stats.agreement import between_sides
from stats.number import Exact, Readable, StatError, count, exact
from stats.pass_k import pass_at_k, pass_hat_k
from stats.relative_change import mean, median


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """Of ``n`` values: sum, mean, median, ends and quartiles as exact numbers, and how many lie below, at and above zero.

    A quartile is the least value that at least that share of them does not exceed, so it is one of them.
    """

    n: int
    total: Fraction
    mean: Fraction
    median: Fraction
    least: Fraction
    lower_quartile: Fraction
    upper_quartile: Fraction
    most: Fraction
    below: int
    zero: int
    above: int


def summary(values: Sequence[Exact]) -> Summary:
    """Summarize values; nothing is rounded.

    Raises:
        StatError: no values.
    """
    average, n = mean(values), len(values)
    ordered = sorted(map(exact, values))
    return Summary(
        n=n,
        total=average * n,
        mean=average,
        median=median(values),
        least=ordered[0],
        lower_quartile=ordered[-(-n // 4) - 1],
        upper_quartile=ordered[-(-3 * n // 4) - 1],
        most=ordered[-1],
        below=sum(each < 0 for each in values),
        zero=sum(each == 0 for each in values),
        above=sum(each > 0 for each in values),
    )


def pass_k_of_tasks(tasks: Sequence[tuple[Readable, Readable]], k: int) -> tuple[Fraction, Fraction]:
    """Average pass@k and pass^k over the tasks, each (passed, tried), that have k tries or more (Chen et al. 2021, section 2.1).

    Raises:
        StatError: no task has so many tries; something is no count, or more passed than were tried.
    """
    counted = [(count(passed, "passed"), count(tried, "tried")) for passed, tried in tasks]
    enough = [(tried, passed) for passed, tried in counted if tried >= k]
    if not enough:
        raise StatError(f"no task has {k} tries")
    at, hat = (
        sum((chance(n, c, k) for n, c in enough), Fraction(0)) / len(enough) for chance in (pass_at_k, pass_hat_k)
    )
    return exact(at), exact(hat)


def runs_apart(one: Sequence[tuple[Readable, Readable]], other: Sequence[tuple[Readable, Readable]]) -> Fraction:
    """Give the chance that a run of one side and a run of the other disagree on a task, averaged over tasks in one order.

    Each task is (passed, tried) on either side.

    Raises:
        StatError: no task, unequal lengths, nothing tried, or more passed than were tried.
    """
    if len(one) != len(other) or not one:
        raise StatError(f"as many tasks on either side, one at least: {len(one)} and {len(other)}")
    shares = [(_share(*first), _share(*second)) for first, second in zip(one, other, strict=True)]
    return sum((between_sides(*each) for each in shares), Fraction(0)) / len(shares)


def _share(passed: Readable, tried: Readable) -> Fraction:
    yes, of = count(passed, "passed"), count(tried, "tried")
    if yes > of or of == 0:
        raise StatError(f"{yes} of {of} is no share")
    return Fraction(yes, of)
