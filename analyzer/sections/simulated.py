"""The registered simulation: what the decision rule was worked out to do, in worlds that were assumed, before the run."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from analyzer.document import Facts
from analyzer.figures.power import power
from analyzer.page import Cell, Section, Table, cells, code, number, table
from analyzer.wording import NONE, UNKNOWN, amount, figure, plural
from compiler.operating import Coverage, Rate, Scenario, Simulation

TITLE = "What the rule was simulated to do"


def simulated(facts: Facts) -> Section:
    """Show operating characteristics as registered; where none is, say so: nobody then knows how often the rule is wrong."""
    found = facts.document.simulation
    if found is None:
        lead = (
            "No simulation of this rule is registered: how often it would support a false claim was not worked out.",
        )
        return Section(id="simulated", title=TITLE, lead=lead)
    size = f"{plural(found.tasks, 'task')}, {plural(found.trials, 'trial')}"
    often = f"{plural(found.experiments, 'experiment')} in each world, {max(1, found.experiments // 4)} at a point of the grid"
    return Section(
        id="simulated",
        title=TITLE,
        lead=(
            f"SIMULATED before the run, from assumptions: {size}; {often}; seed {found.seed}.",
            "It tells of the rule under these assumptions, and nothing of any agent. Behind ± stands the Monte Carlo standard error.",
        ),
        points=found.notes,
        tables=(_rates(facts, found), _worlds(found), _coverage(found), _assumed(found)),
        figures=power(found),
    )


def _rates(facts: Facts, found: Simulation) -> Table:
    size: Mapping[str, object] = facts.document.plan.sample_size
    rows = [
        cells(
            "power, where the assumption is true", number(_said(found.power)), _claimed(size.get("power"), "at least")
        ),
        cells(
            f"false positives, at most, in {found.worst or 'no world'}",
            number(_said(found.false_positives)),
            _claimed(size.get("false_positive"), "at most"),
        ),
    ]
    return table("How often the rule supports its claim", ("rate", "simulated", "claimed beforehand"), rows)


def _worlds(found: Simulation) -> Table:
    columns = ("world", "what it is", "the claim", "supported", "not supported", "no verdict", "expected spend")
    return table("SIMULATED worlds", columns, [_world(each) for each in found.scenarios])


def _world(each: Scenario) -> tuple[Cell, ...]:
    return (
        code(each.name),
        Cell(text=each.says),
        Cell(text="true") if each.claim else Cell(text="false", tone="bad"),
        number(_said(each.supported)),
        number(_said(each.not_supported)),
        number(_said(each.no_verdict)),
        number(_spend(each)),
    )


def _coverage(found: Simulation) -> Table:
    """Show every interval in the world that was assumed, and the world in which it covers least."""
    rows = []
    for each in found.scenarios[0].coverage if found.scenarios else ():
        least, where = min(_covered(found, each), default=(None, ""))
        rows.append(
            (
                code(f"{each.endpoint} {each.arm}".rstrip()),
                Cell(text=f"{each.interval}, {figure(float(each.level) * 100)} %"),
                number(_truth(each)),
                number(_said(each.covered)),
                number(UNKNOWN if least is None else f"{least:.3f}"),
                Cell(text=where),
                number(str(each.none)),
            )
        )
    columns = ("interval of", "kind", "truth", "held it", "least often", "in", "without an interval")
    return table(
        "How often each interval held the truth, in the world assumed", columns, rows, empty="there is no interval"
    )


def _covered(found: Simulation, like: Coverage) -> Iterator[tuple[Decimal, str]]:
    for scenario in found.scenarios:
        for each in scenario.coverage:
            if (each.endpoint, each.arm) == (like.endpoint, like.arm) and each.covered.rate is not None:
                yield each.covered.rate, scenario.name


def _assumed(found: Simulation) -> Table:
    """Lay out what was assumed of each arm, one setting a row."""
    arms = found.scenarios[0].arms if found.scenarios else {}
    settings = list(dict.fromkeys(key for each in arms.values() if isinstance(each, Mapping) for key in sorted(each)))
    rows = [
        (Cell(text=key.replace("_", " ")), *(number(_setting(each, key)) for each in arms.values())) for key in settings
    ]
    return table("What was assumed of each arm", ("setting", *arms), rows)


def _setting(profile: object, key: str) -> str:
    found = profile.get(key) if isinstance(profile, Mapping) else None
    if isinstance(found, Mapping):
        return f"median {found.get('median')}, spread {found.get('spread')}"
    return NONE if found is None else str(found)


def _truth(each: Coverage) -> str:
    if each.truth is None:
        return UNKNOWN
    error = "" if each.truth_error is None else f" ± {amount(float(each.truth_error), each.unit, n=9)}"
    return amount(float(each.truth), each.unit, n=9, signed=True) + error


def _spend(each: Scenario) -> str:
    spend = each.spend
    most = f", {spend.most_usd:.2f} at most" if spend.most_usd not in (None, spend.known_usd) else ""
    return f"{spend.known_usd:.2f} USD{most}"


def _claimed(value: object, word: str) -> str:
    return "no claim" if value is None else f"{word} {value}"


def _said(rate: Rate) -> str:
    return NONE if rate.rate is None else f"{rate.rate:.3f} ± {rate.error:.3f}"
