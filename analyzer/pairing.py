"""Pairs the arms of each task by the endpoint's comparison: one exact difference a task, and who is missing from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from analyzer.aggregate import number
from analyzer.measures import Fact
from analyzer.population import TaskValues, task_facts
from analyzer.procedures import Pairs
from analyzer.reading import tree, value
from compiler.plan import Chosen, TaskFacts
from spec_lang.expr.ast import Node, reads
from stats.order import place


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One task's comparison. ``difference`` None: unknown or left out, and ``why``."""

    values: TaskValues
    difference: Fraction | None
    left_out: bool = False
    why: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairing:
    """All tasks of an endpoint under its comparison; ``sides`` are the arms it reads, the first written first."""

    sides: tuple[str, ...]
    pairs: tuple[Pair, ...]

    @property
    def complete(self) -> tuple[Pair, ...]:
        """The tasks with a known difference."""
        return tuple(each for each in self.pairs if each.difference is not None)

    @property
    def unknown(self) -> tuple[Pair, ...]:
        """The tasks whose difference nobody knows; not those that a registered rule left out."""
        return tuple(each for each in self.pairs if each.difference is None and not each.left_out)

    @property
    def left_out(self) -> tuple[Pair, ...]:
        """The tasks that a registered rule left out."""
        return tuple(each for each in self.pairs if each.left_out)


def pair(table: Sequence[TaskValues], compare: str) -> Pairing:
    """Compare the arms on every task."""
    expression = tree(compare)
    sides = reads(expression)
    return Pairing(sides=sides, pairs=tuple(_pair(each, expression, sides) for each in table))


def _pair(values: TaskValues, expression: Node, sides: Sequence[str]) -> Pair:
    absent = [arm for arm in sides if values.cells[arm].left_out]
    if absent:
        return Pair(values=values, difference=None, left_out=True, why=values.cells[absent[0]].why)
    known: Mapping[str, Fact] = {arm: number(values.cells[arm].value) for arm in sides}
    unknown = [arm for arm in sides if known[arm] is None]
    if unknown:
        return Pair(
            values=values, difference=None, why=f"{unknown[0]}: {values.cells[unknown[0]].why or 'not a number'}"
        )
    found = value(expression, known)
    if isinstance(found, Fraction):
        return Pair(values=values, difference=found)
    zero = ", ".join(f"{arm} is 0" for arm in sides if known[arm] == 0)
    return Pair(values=values, difference=None, why=f"nothing can be divided by 0: {zero}")


def pairs_of(pairing: Pairing, statistic: str, interval: Chosen | None = None) -> Pairs:
    """Hand the complete pairs over to the procedures: sorted, and as a 2x2 table where both sides say yes or no.

    An ``interval`` that names a fact (``by``) clusters the tasks that share it; a task without that fact stands for itself.
    """
    complete = pairing.complete
    by = interval.options.get("by") if interval is not None else None
    found = sorted(
        (
            (each.difference, _cluster(each.values.task, str(by)) if by else "")
            for each in complete
            if each.difference is not None
        ),
        key=lambda pair: (*place(pair[0]), pair[1]),
    )
    return Pairs(
        differences=tuple(difference for difference, _ in found),
        statistic=statistic,
        solved=_solved(complete, pairing.sides),
        clusters=tuple(cluster for _, cluster in found) if by else None,
    )


def _cluster(task: TaskFacts, by: str) -> str:
    level = task_facts(task).get(by)
    return f"alone: {task.id}" if level is None else f"{by}: {level}"


def _solved(complete: Sequence[Pair], sides: Sequence[str]) -> tuple[int, int, int, int] | None:
    if len(sides) != 2 or not complete:  # of no task nothing was counted: not even that no arm solved any
        return None
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for each in complete:
        first, second = (each.values.cells[arm].value for arm in sides)
        if not isinstance(first, bool) or not isinstance(second, bool):
            return None
        if each.difference != int(first) - int(second):
            return None
        counts[first, second] += 1
    return counts[True, True], counts[True, False], counts[False, True], counts[False, False]
