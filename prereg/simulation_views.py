"""What a simulation and a sizing found, as JSON documents and as text for a terminal."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from rich.table import Table

from analyzer.powers import Powered, Sized
from compiler.operating import Coverage, Rate, Scenario
from prereg.faults import diagnostic_json
from prereg.simulating import Simulated
from prereg.tables import draw


def simulated_json(found: Simulated) -> dict[str, Any]:
    """The contract of ``simulate --json``: simulation.json with its rates as numbers, where it is, and its digest."""
    document = numbers(found.simulation)
    assert isinstance(document, dict)
    return {
        **document,
        "path": str(found.path),
        "digest": found.digest,
        "warnings": [diagnostic_json(each) for each in found.warnings],
    }


def numbers(value: object) -> Any:
    """Give a noun as JSON data with decimals as doubles."""
    if isinstance(value, Decimal):
        return float(value)
    if is_dataclass(value):
        return {each.name: numbers(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): numbers(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [numbers(each) for each in value]
    return value


def simulated_text(found: Simulated) -> str:
    """A row a world, a row an interval, and what the two rates mean."""
    made = found.simulation
    table = Table("world", "claim", "supported", "not supported", "no verdict", "spend USD", box=None, pad_edge=False)
    for each in made.scenarios:
        claim = "true" if each.claim else "FALSE"
        table.add_row(
            each.name, claim, said(each.supported), said(each.not_supported), said(each.no_verdict), _spend(each)
        )
    nulls = "world" if sum(not each.claim for each in made.scenarios) == 1 else "worlds"
    lines = [
        f"{made.experiment}: {made.tasks} tasks, {made.trials} trials, {made.experiments} experiments a world, seed {made.seed}",
        draw(table),
        f"power {said(made.power)} if the assumption is true",
        f"false positives {said(made.false_positives)} at most, in {made.worst or 'none'}, of the {nulls} where the claim is false",
        *_covering(made.scenarios),
        *(f"note: {each}" for each in made.notes),
        "SIMULATED: this tells of the rule under these assumptions, and nothing about any agent",
        f"written to {found.path}, {found.digest}",
    ]
    return "\n".join(lines)


def _covering(scenarios: tuple[Scenario, ...]) -> Iterator[str]:
    if scenarios[0].coverage:
        yield "coverage of the intervals, in the world assumed (± one standard error; truth by all experiments together)"
        yield draw(_coverage(scenarios))


def _coverage(scenarios: tuple[Scenario, ...]) -> Table:
    table = Table("interval", "level", "truth", "covered", "lowest, in", "none", box=None, pad_edge=False)
    for each in scenarios[0].coverage:
        lowest = min(_covered(scenarios, each), default=None)
        name = f"{each.endpoint} {each.arm}".rstrip()
        truth = "unknown" if each.truth is None else f"{each.truth:.4g} ± {each.truth_error:.2g}"
        least = "none" if lowest is None else f"{lowest[0]:.3f} {lowest[1]}"
        table.add_row(name, f"{each.level:f}", truth, said(each.covered), least, str(each.none))
    return table


def _covered(scenarios: tuple[Scenario, ...], like: Coverage) -> Iterator[tuple[Decimal, str]]:
    for scenario in scenarios:
        for each in scenario.coverage:
            if (each.endpoint, each.arm) == (like.endpoint, like.arm) and each.covered.rate is not None:
                yield each.covered.rate, scenario.name


def power_json(found: Powered) -> dict[str, Any]:
    """The contract of ``power --json``."""
    document = numbers(found)
    assert isinstance(document, dict)
    return document


def power_text(found: Powered) -> str:
    """The numbers of tasks by formula and by simulation, with what they rest on."""
    wanted, sigma = found.wanted, found.sigma
    between = (
        f"{sigma.lo:.4g} to {sigma.hi:.4g} at {found.level:f}" if sigma.lo and sigma.hi else f"none: {sigma.reason}"
    )
    asked = f"a power of {wanted.power:f} to show an effect of {float(wanted.effect) * 100:.4g} % at a one-sided alpha of {wanted.alpha:f}"
    table = Table("spread", "sigma", "tasks by formula", "tasks by simulation", "", box=None, pad_edge=False)
    for each in found.sized:
        table.add_row(each.which, f"{each.sigma:.4g}", _tasks(each.formula), _tasks(each.simulated), each.reason)
    lines = [
        f"{found.source}: {wanted.endpoint}, {asked}",
        f"spread of the per-task differences {sigma.value:.4g}, interval {between}",
        draw(table),
        *([draw(_points(found.sized))] if any(each.points for each in found.sized) else []),
        *([found.detectable.words] if found.detectable else []),
        f"below {found.floor} tasks no data can reach p < {wanted.alpha:f} in an exact one-sided test",
        *found.words,
        *([found.note] if found.note else []),
    ]
    return "\n".join(lines)


def _points(sized: tuple[Sized, ...]) -> Table:
    table = Table("spread", "tasks", "power of the registered rule", "its weakest condition", box=None, pad_edge=False)
    for each in sized:
        for point in each.points:
            weakest = f"{point.weakest}  {said(point.weakest_holds)}"
            table.add_row(each.which, str(point.tasks), said(point.supported), weakest)
    return table


def _tasks(n: int | None) -> str:
    return "unknown" if n is None else str(n)


def said(rate: Rate) -> str:
    """Write a rate with its standard error."""
    return "none" if rate.rate is None else f"{rate.rate:.3f} ± {rate.error:.3f}"


def _spend(each: Scenario) -> str:
    spend = each.spend
    most = "" if spend.most_usd is None or spend.most_usd == spend.known_usd else f", {spend.most_usd:.2f} at most"
    return f"{spend.known_usd:.2f}{most}"
