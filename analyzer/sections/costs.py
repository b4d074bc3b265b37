"""Costs and time: by which one route they were measured, what is known of each arm, which comparisons were not made, what was estimated."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from analyzer.accounting import Total
from analyzer.costs import costly
from analyzer.document import Facts
from analyzer.page import Cell, Section, Table, cells, code, number, table
from analyzer.wording import amount, plural
from compiler.estimate import LABEL

ROUTES: Mapping[str, str] = {
    "agent-result": "what each agent's own result says",
    "provider-usage": "what the provider's answers say they used, read by the harness's proxy",
    "price-table": "the tokens that each agent reports, at the registered prices",
}
_ESTIMATED = "estimated by the author before the run"


def costs(facts: Facts) -> Section:
    """Say how costs and time were measured, and hold what is measured apart from what nobody knows."""
    verdict, plan = facts.document.verdict, facts.document.plan
    alone = one_sided(facts)
    points = [f"{name}: no comparison of costs: {why}" for name, why in verdict.not_compared.items()]
    if alone is not None:
        points.insert(0, alone)
    tables = [_known(facts, shown=alone is None)]
    if costly(plan):
        rows = [_made(each.name, verdict.not_compared) for each in costly(plan)]
        tables.append(table("What stands on costs", ("endpoint", "arms set against each other", "why not"), rows))
    if plan.estimate:
        tables.append(_estimated(facts))
    return Section(
        id="costs", title="Costs and time", lead=tuple(_routes(plan.routes)), points=tuple(points), tables=tuple(tables)
    )


def one_sided(facts: Facts) -> str | None:
    """Say that at most one of several arms has a measured cost, so that none is compared; None where there is something to compare."""
    arms = facts.document.plan.arms
    measured = [arm for arm in arms if (found := _total(facts, arm)).unknown < found.of]
    if len(arms) < 2 or len(measured) > 1:
        return None
    only = f"only {measured[0]} has a measured cost" if measured else "no arm has a measured cost"
    return f"There is no comparison of costs: {only}. One column with numbers beside an empty one would say what nobody measured."


def _total(facts: Facts, arm: str) -> Total:
    return facts.accounts.total(arm, "cost")


def _routes(routes: Mapping[str, str]) -> Iterator[str]:
    route = routes.get("cost", "agent-result")
    yield f"Cost by one route in every arm, {route}: {ROUTES.get(route, route)}."
    if "prices" in routes:
        yield f"Prices of tokens as of {routes.get('as_of')}, from {routes.get('table')}, {routes['prices']}."
    yield (
        "Time by one route in every arm: the harness's own bracket around the agent's program, from its start to its end. "
        "An agent's own timestamps are at most a breakdown of it; no table of processes is read."
    )
    yield "An unknown cost is not 0: it is in no sum, and is counted beside the sum that it is not in."


def _known(facts: Facts, *, shown: bool) -> Table:
    rows = []
    for arm in facts.document.plan.arms:
        found = _total(facts, arm)
        known = found.of - found.unknown
        said = f"{amount(float(found.known), 'USD', n=9)} over {plural(known, 'attempt')}" if known else "unknown"
        if known and found.unknown:
            said += f"; {found.unknown} of unknown cost not in it"
        rows.append(
            cells(
                arm,
                number(f"{known} of {plural(found.of, 'attempt')}"),
                number(said if shown else "not compared", float(found.known) if known and shown else None),
                "; ".join(_reasons(facts, arm)) or "none is unknown",
            )
        )
    return table("Known costs of every attempt", ("arm", "measured", "sum of the measured", "unknown, and why"), rows)


def _reasons(facts: Facts, arm: str) -> Iterator[str]:
    found: Counter[str] = Counter()
    for row in facts.accounts.rows[arm]:
        for record in (*row.lost, row.outcome) if row.lost else (row.outcome,):
            if record is not None and record.measures.get("cost") is None:
                reasons: Mapping[str, str] = getattr(record, "reasons", {})
                found[reasons.get("cost", "no reason is recorded")] += 1
    yield from (f"{times}: {why}" for why, times in sorted(found.items()))


def _made(name: str, not_compared: Mapping[str, str]) -> tuple[Cell, ...]:
    if name not in not_compared:
        return (code(name), Cell(text="yes"), Cell(text=""))
    return (code(name), Cell(text="no", tone="open"), Cell(text=not_compared[name]))


def _estimated(facts: Facts) -> Table:
    """Set what was estimated before the run beside what it came to; each estimate says that it is one."""
    said = facts.document.plan.estimate
    found = [_total(facts, arm) for arm in facts.document.plan.arms]
    spent, unknown = sum((each.known for each in found), Fraction(0)), sum(each.unknown for each in found)
    came = amount(float(spent), "USD", n=9)
    if unknown:
        came = f"{came}, and {plural(unknown, 'attempt')} of unknown cost not in it" if spent else "unknown"
    money = (_most(said, "most_usd", "USD"), _range(said, "usd", "USD"), came)
    time = (_most(said, "most_s", "h"), _range(said, "s", "h"), _clock(facts))
    rows = [cells(name, *map(number, each)) for name, each in (("money", money), ("time", time))]
    return table(
        f"What it was to take, and took. By its limits: {LABEL}",
        ("of", "at most, by its limits", _ESTIMATED, "came to"),
        rows,
    )


def _most(said: Mapping[str, str], key: str, unit: str) -> str:
    return _written(said[key], unit) if key in said else "no limit is registered"


def _range(said: Mapping[str, str], key: str, unit: str) -> str:
    if key not in said:
        return "no estimate is registered"
    low, high = said[key].split("..")
    return f"{_written(low, unit)} to {_written(high, unit)}"


def _written(value: str, unit: str) -> str:
    scale = 3600 if unit == "h" else 1
    return amount(float(Fraction(value) / scale), unit, n=9)


def _clock(facts: Facts) -> str:
    """Add the brackets up; attempts may have run side by side, so this is no wall clock."""
    found = [facts.accounts.total(arm, "time") for arm in facts.document.plan.arms]
    said = amount(float(sum((each.known for each in found), Fraction(0)) / 3600), "h", n=9)
    unknown = sum(each.unknown for each in found)
    return f"{said} in all brackets together" + (f", {unknown} of unknown time not in it" if unknown else "")
