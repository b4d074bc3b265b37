"""Who is judged: the tasks that the decision is about, their scored trials, and the value of each (task, arm)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction

from analyzer.aggregate import Cell, aggregate, number
from analyzer.measures import Fact
from analyzer.missing import Settled
from analyzer.reading import tree, value
from compiler.attempts import RESULTS, of_trials
from compiler.plan import AnalysisPlan, EndpointPlan, TaskFacts
from ledger.plain import Plain


@dataclass(frozen=True, kw_only=True, slots=True)
class Population:
    """The tasks of the decision in the order of the plan, and all settled trials by task and arm."""

    tasks: tuple[TaskFacts, ...]
    arms: tuple[str, ...]
    trials: Mapping[tuple[str, str], tuple[Settled, ...]]
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Arm as the spec names it → that arm at each level, where arms are crossed with levels."""
    of_trials: frozenset[str] = RESULTS
    """Names that say something of a trial as a whole; all others are measured in every attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskValues:
    """One task under one endpoint: the cell of each arm."""

    task: TaskFacts
    cells: Mapping[str, Cell]


def population(plan: AnalysisPlan, settled: Sequence[Settled]) -> Population:
    """Gather the trials of the tasks that the decision is about: the sets it names, else all whose use is decision."""
    sets = set(plan.decision.tasks) or {task.set for task in plan.tasks if task.use == "decision"}
    tasks = tuple(task for task in plan.tasks if task.set in sets)
    chosen = {task.id for task in tasks}
    trials: dict[tuple[str, str], list[Settled]] = {}
    for each in settled:
        if each.row.trial.task in chosen:
            trials.setdefault((each.row.trial.task, each.row.trial.arm), []).append(each)
    return Population(
        tasks=tasks,
        arms=plan.arms,
        trials={key: tuple(each) for key, each in trials.items()},
        pools=pools(plan),
        of_trials=of_trials({name: tree(text) for name, text in plan.measures.items()}),
    )


def pools(plan: AnalysisPlan) -> dict[str, tuple[str, ...]]:
    """Give each arm as the spec names it with itself at every level; nothing without levels."""
    found: dict[str, tuple[str, ...]] = {}
    for level in sorted(plan.levels):
        for arm, crossed in plan.levels[level].items():
            found[arm] = (*found.get(arm, ()), crossed)
    return found


def under(population: Population, where: Sequence[str]) -> Population:
    """Keep the tasks for which every condition holds; a task with an unknown fact is not kept."""
    if not where:
        return population
    conditions = [tree(text) for text in where]
    kept = tuple(task for task in population.tasks if all(value(each, task_facts(task)) is True for each in conditions))
    return replace(population, tasks=kept)


def within(population: Population, factors: Sequence[str]) -> dict[str, Population]:
    """Part a population by the levels of each fact in turn; a level is named with its fact where there are several."""
    parts: dict[str, Population] = {}
    for factor in factors:
        groups: dict[str, list[TaskFacts]] = {}
        for task in population.tasks:
            groups.setdefault(str(task_facts(task).get(factor) or "unknown"), []).append(task)
        for level in sorted(groups):
            name = level if len(factors) == 1 else f"{factor}={level}"
            parts[name] = replace(population, tasks=tuple(groups[level]))
    return parts


def task_facts(task: TaskFacts) -> Mapping[str, object]:
    """Give the facts of a task as an expression reads them: numbers exact, dates as dates."""
    facts = {name: _readable(value) for name, value in task.facts.items()}
    return {**facts, "id": task.id, "set": task.set, "category": task.category}


def tabulate(population: Population, endpoint: EndpointPlan) -> tuple[TaskValues, ...]:
    """Give every task's value in every arm under an endpoint's measure."""
    return tuple(_task(task, population, endpoint) for task in population.tasks)


def _task(task: TaskFacts, population: Population, endpoint: EndpointPlan) -> TaskValues:
    cells: dict[str, Cell] = {}
    for arm in population.arms:
        trials = population.trials.get((task.id, arm), ())
        gaps = [each for each in trials if each.fate == "gap"]
        scored: list[Fact] = [each.values.get(endpoint.measure or "") for each in trials if each.fate == "scored"]
        if gaps:
            cells[arm] = Cell(value=None, seeds=len(scored), why=f"{gaps[0].row.trial.id}: {gaps[0].why}")
        elif scored:
            cells[arm] = aggregate(scored, endpoint)
            if cells[arm].value is None:
                cells[arm] = _explained(cells[arm], trials, endpoint.measure or "")
        else:
            why = trials[0].why if trials else "not planned"
            cells[arm] = Cell(value=None, seeds=0, why=why, left_out=True)
    if endpoint.pooled:
        cells |= {arm: _together([cells[each] for each in members]) for arm, members in population.pools.items()}
    return TaskValues(task=task, cells=cells)


def _explained(cell: Cell, trials: Sequence[Settled], measure: str) -> Cell:
    """Add what the ledger says of why the first unknown seed is unknown, where it says so."""
    for each in trials:
        if each.fate == "scored" and each.values.get(measure) is None and (why := each.row.reasons.get(measure)):
            return replace(cell, why=f"{cell.why}, {why}")
    return cell


def _together(levels: Sequence[Cell]) -> Cell:
    """Take the mean over levels, so that each weighs the same; what is unknown, or left out, at one of them is so as a whole."""
    lost = next((each for each in levels if each.left_out), None) or next(
        (each for each in levels if each.value is None), None
    )
    seeds = sum(each.seeds for each in levels)
    if lost is not None:
        return Cell(value=None, seeds=seeds, why=lost.why, left_out=lost.left_out)
    known = [found for each in levels if (found := number(each.value)) is not None]
    if len(known) < len(levels):
        return Cell(value=None, seeds=seeds, why="not a number")
    return Cell(value=sum(known, Fraction(0)) / len(known), seeds=seeds)


def _readable(value: Plain) -> object:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, str):
        return _date(value) or value
    if isinstance(value, Sequence):
        return [_readable(each) for each in value]
    return value


def _date(text: str) -> date | None:
    """Read a date of the plan; dates are the only texts of this form that facts hold."""
    if len(text) != len("2026-01-31") or text[4] != "-":
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
