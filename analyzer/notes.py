"""Reading aids beside an estimate: what its numbers do not say by themselves."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from analyzer.pairing import Pairing
from analyzer.procedures import Pairs
from compiler.plan import EndpointPlan
from stats.number import exact

CEILING = "ceiling: every arm solved every task, so these tasks have no resolution left; that is not equivalence"
FLOOR = "floor: no arm solved any task, so these tasks cannot tell the arms apart"
TAIL = (
    "tail effect only — typical task unchanged: the interval of the mean excludes zero, the median is near it or beyond"
)
ALIKE = "so nothing tells them apart"
"""Ends what is said of arms that come out alike on every task."""
DISAGREE = "interval and test disagree"
UNCHANGED = Fraction(1, 10)
"""A median below this share of the mean is no change of a typical task, whatever its sign."""
OUTWEIGHS = Fraction(1, 5)
"""Where differences of both signs cancel to less than this share of what they sum to without their signs, shares say nothing."""
CARRIES = Fraction(1, 3)
"""One task that carries so large a share of the summed effect is named."""


def notes(endpoint: EndpointPlan, pairing: Pairing, pairs: Pairs, values: Mapping[str, object]) -> tuple[str, ...]:
    """Give the notes of one comparison; ``values`` are its mean, median, lower, upper, level, p, attainable_p."""
    return (
        *_levels(endpoint),
        *_degenerate(pairs),
        *_width(pairs, values),
        *_tail(endpoint, values),
        *_concentration(pairing),
        *_attainable(values),
        *_method(values),
        *_disagreement(endpoint, values),
        *_absent(pairing),
    )


def _levels(endpoint: EndpointPlan) -> Iterator[str]:
    if endpoint.pooled:
        named = ", ".join(endpoint.pooled)
        yield f"over {len(endpoint.pooled)} levels together ({named}): of each task the mean over its levels"


def _degenerate(pairs: Pairs) -> Iterator[str]:
    if not pairs.differences:
        return
    if pairs.solved is not None:
        both, first, second, neither = pairs.solved
        if first == second == 0 and both and not neither:
            yield CEILING
        elif first == second == 0 and neither and not both:
            yield FLOOR
        elif first == second == 0:
            yield f"degenerate: the arms agree on every task, {ALIKE}"
    elif not any(pairs.differences):
        yield f"degenerate: no task differs between the arms, {ALIKE}"
    elif len(set(pairs.differences)) == 1 and len(pairs.differences) > 1:
        yield "degenerate: every task shows exactly the same difference, so nothing says how far another task may lie from it"


def _width(pairs: Pairs, values: Mapping[str, object]) -> Iterator[str]:
    lower, upper = values.get("lower"), values.get("upper")
    if lower is not None and lower == upper and pairs.differences[0] != pairs.differences[-1]:
        yield "the interval has no width: most tasks show exactly one difference, and that excludes no other"


def _tail(endpoint: EndpointPlan, values: Mapping[str, object]) -> Iterator[str]:
    mean, median = values.get("mean"), values.get("median")
    side = _side(values)
    if not isinstance(mean, Fraction) or not isinstance(median, Fraction) or side is None:
        return
    if endpoint.statistic == "median":
        if side and mean * side < 0:
            yield "the interval of the median excludes zero, but the mean points the other way: a few tasks outweigh the rest"
    elif side and (median * side <= 0 or abs(median) < abs(mean) * UNCHANGED):
        yield TAIL


def _concentration(pairing: Pairing) -> Iterator[str]:
    """Name the task whose difference is a large share of the sum, unless tasks are so few that one must be."""
    found = [(each.difference, each.values.task.id) for each in pairing.complete if each.difference is not None]
    total = sum((difference for difference, _ in found), Fraction(0))
    if len(found) < 4 or any(isinstance(cell.value, bool) for cell in pairing.complete[0].values.cells.values()):
        return
    if not total or abs(total) < sum((abs(each) for each, _ in found), Fraction(0)) * OUTWEIGHS:
        return
    largest, task = max(found, key=lambda each: (each[0] / total, each[1]))
    share = largest / total
    if share >= CARRIES:
        without = float((total - largest) / (len(found) - 1))
        yield f"{task} alone carries {float(share):.0%} of the summed difference; without it the mean is {without:.4g}"


def _attainable(values: Mapping[str, object]) -> Iterator[str]:
    floor = values.get("attainable_p")
    if isinstance(floor, float) and 0.05 <= floor < 1:
        yield f"so few tasks differ that no data of this shape could give a p below {floor:.4g}"


def _method(values: Mapping[str, object]) -> Iterator[str]:
    how = values.get("p_method")
    if how is not None:
        yield f"the sign vectors of so many tasks are not counted: p comes from inverting the law of their rank sum ({how})"


def _disagreement(endpoint: EndpointPlan, values: Mapping[str, object]) -> Iterator[str]:
    """Compare like with like: a one-sided test at half the complement of the interval's level."""
    p, level, side = values.get("p"), values.get("level"), _side(values)
    if endpoint.test is None or not isinstance(p, float) or not isinstance(level, Fraction) or side is None:
        return
    alternative = endpoint.test.options.get("alternative", "two-sided")
    alpha = (1 - level) if alternative == "two-sided" else (1 - level) / 2
    wanted = {"less": (-1,), "greater": (1,)}.get(str(alternative), (-1, 1))
    excludes = side in wanted
    if (exact(p) < alpha) == excludes:
        return
    says = "excludes zero" if excludes else "does not exclude zero on the side that was tested"
    yield (
        f"{DISAGREE}: the interval {says}, the test at the same level ({float(alpha):.4g}) "
        f"{'does not reject' if excludes else 'rejects'}; they rest on different statistics "
        f"({endpoint.interval.kind if endpoint.interval else 'none'} against {endpoint.test.kind})"
    )


def _absent(pairing: Pairing) -> Iterator[str]:
    if pairing.unknown:
        yield f"{_tasks(len(pairing.unknown))} unknown, so nothing is claimed here; what is known stands apart"
    if pairing.left_out:
        yield f"{_tasks(len(pairing.left_out))} left out by registered rules"


def _tasks(count: int) -> str:
    return f"{count} task{'' if count == 1 else 's'}"


def _side(values: Mapping[str, object]) -> int | None:
    """Say on which side of zero the interval lies: -1, 1, 0 when it holds zero, None when there is none."""
    lower, upper = values.get("lower"), values.get("upper")
    if not isinstance(lower, int | float | Fraction) or not isinstance(upper, int | float | Fraction):
        return None
    return 1 if lower > 0 else -1 if upper < 0 else 0
