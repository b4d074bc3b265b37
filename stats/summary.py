"""Plain summaries of a list: its mean, its median and its signs, exactly; and pass@k and pass^k averaged over tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stats.number import Exact, Readable, StatError, count, exact
from stats.pass_k import pass_at_k, pass_hat_k
from stats.relative_change import mean, median


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """Of ``n`` values: mean and median as exact numbers, and how many lie below, at and above zero."""

    n: int
    mean: Fraction
    median: Fraction
    below: int
    zero: int
    above: int


def summary(values: Sequence[Exact]) -> Summary:
    """Summarize values; nothing is rounded.

    Raises:
        StatError: no values.
    """
    return Summary(
        n=len(values),
        mean=mean(values),
        median=median(values),
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
