"""Aggregates the seeds of one task in one arm, exactly: repeats are never tasks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from types import MappingProxyType

from analyzer.measures import Fact
from compiler.plan import EndpointPlan
from ledger.errors import Fault, IntegrityFault
from stats.pass_k import pass_at_k, pass_hat_k


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """What one arm did on one task: its value (None: unknown, with the reason), over how many seeds.

    ``left_out``: registered rules excluded every trial of this arm on this task, so there is nothing to know.
    """

    value: Fact
    seeds: int
    why: str = ""
    left_out: bool = False


def aggregate(values: Sequence[Fact], endpoint: EndpointPlan) -> Cell:
    """Aggregate the seeds that are scored; an unknown seed makes the task unknown, unless it cannot matter.

    Raises:
        IntegrityFault: The plan names an aggregation that does not exist, or ``only`` meets several seeds.
    """
    if not values:
        return Cell(value=None, seeds=0, why="no seed is scored")
    name = endpoint.per_task or "only"
    rule = PER_TASK.get(name)
    if rule is None or (name == "only" and len(values) > 1):
        raise IntegrityFault(
            Fault(
                code="plan",
                what=f"endpoint {endpoint.name} cannot aggregate {len(values)} seeds by {name!r}",
                expected="only with one seed, else one of " + ", ".join(PER_TASK),
                got=name,
                where=f"plan.json: endpoints.{endpoint.name}.per_task",
                hint="the plan was altered, or another version compiled it; compile it again",
            )
        )
    value = rule(values, endpoint.k)
    if value is not None:
        return Cell(value=value, seeds=len(values))
    unknown = sum(each is None for each in values)
    why = f"{unknown} of {len(values)} seeds unknown" if len(values) > 1 else "unknown"
    return Cell(value=None, seeds=len(values), why=why)


_ZERO, _ONE = Fraction(0), Fraction(1)


def number(value: Fact) -> Fraction | None:
    """Count true as 1 and false as 0; a text has no number."""
    if isinstance(value, Fraction):
        return value
    return (_ONE if value else _ZERO) if isinstance(value, bool) else None


def _numbers(values: Sequence[Fact]) -> list[Fraction] | None:
    found = [each for each in map(number, values) if each is not None]
    return found if len(found) == len(values) else None


def _mean(values: Sequence[Fact], _: int | None) -> Fact:
    found = _numbers(values)
    return None if found is None else _total(found, len(found))


def _sum(values: Sequence[Fact], _: int | None) -> Fact:
    found = _numbers(values)
    return None if found is None else _total(found, 1)


def _total(numbers: Sequence[Fraction], parts: int) -> Fraction:
    """Add over one common denominator, which is exact and a good deal quicker than adding fractions one by one."""
    common = lcm(*(each.denominator for each in numbers))
    total = sum(each.numerator * (common // each.denominator) for each in numbers)
    return Fraction(total, common * parts)


def _only(values: Sequence[Fact], _: int | None) -> Fact:
    return values[0]


def _majority(values: Sequence[Fact], _: int | None) -> Fact:
    """More than half say yes; half is no majority. Known as soon as the unknown seeds cannot turn it."""
    yes = sum(each is True for each in values)
    unknown = sum(not isinstance(each, bool) for each in values)
    if 2 * yes > len(values):
        return True
    return False if 2 * (yes + unknown) <= len(values) else None


def _pass_at_k(values: Sequence[Fact], k: int | None) -> Fact:
    """Chance that at least one of k of these runs solves the task."""
    return _tries(values, k, pass_at_k)


def _pass_hat_k(values: Sequence[Fact], k: int | None) -> Fact:
    """Chance that all of k of these runs solve the task."""
    return _tries(values, k, pass_hat_k)


def _tries(values: Sequence[Fact], k: int | None, chance: Callable[[int, int, int], Fraction]) -> Fact:
    """Unknown with an unknown seed, and with fewer seeds than k (a registered rule may have excluded one)."""
    if k is None or k > len(values) or not all(isinstance(each, bool) for each in values):
        return None
    return chance(len(values), sum(each is True for each in values), k)


PER_TASK: Mapping[str, Callable[[Sequence[Fact], int | None], Fact]] = MappingProxyType(
    {
        "mean": _mean,
        "sum": _sum,
        "majority": _majority,
        "only": _only,
        "pass-at-k": _pass_at_k,
        "pass-hat-k": _pass_hat_k,
    }
)
