"""Cost and time over the run: how they spread in each arm, and in the order in which the trials ended."""

from collections.abc import Sequence
from fractions import Fraction

from analyzer.document import IN_ORDER, Facts
from analyzer.figures.course import courses, spreads
from analyzer.page import Cell, Section, Table, number, table
from analyzer.quantiles import Spread
from analyzer.wording import NONE, amount, figure
from stats.drift import drift
from stats.number import StatError

MOST_ROWS = 2000


def course(facts: Facts) -> Section:
    """Show distributions and order as the trials were measured; unknown amounts are counted, and drawn nowhere."""
    arms = facts.document.plan.arms
    spread, order, told, rows = [], [], [], []
    for name, unit in IN_ORDER:
        known = {arm: facts.measured[arm, name] for arm in arms}
        if not any(known.values()):
            continue
        amounts = {arm: [found for _, found in each] for arm, each in known.items()}
        points = {arm: _in_order(each) for arm, each in known.items()}
        spread.append((name, unit, amounts))
        order.append((name, unit, points))
        drifts = {arm: _drift(points[arm]) for arm in arms}
        told.append(f"{name}: {', '.join(f'{arm} {found}' for arm, found in drifts.items())}")
        unknown = {arm: str(len(facts.trials[arm]) - len(amounts[arm])) for arm in arms}
        rows += [_row(name, unit, arm, facts.spread(arm, name), unknown[arm], drifts[arm]) for arm in arms]
    columns = (
        "measure",
        "arm",
        "least",
        "lower quartile",
        "median",
        "mean",
        "upper quartile",
        "most",
        "unknown",
        "drift",
    )
    return Section(
        id="course",
        title="Spread and order of cost and time",
        lead=(
            "As measured, before any missing-data rule. Drift is Spearman's rank correlation of the amount with the place in the run.",
        )
        if spread
        else ("No trial has a known cost or time.",),
        figures=(*spreads(spread, table("Distributions", columns, rows)), *courses(order, told, _ordered(facts))),
    )


def _in_order(known: Sequence[tuple[int | None, float]]) -> list[tuple[int, float]]:
    """Keep those of trials with an outcome, which stand in the order of the ledger."""
    return [(place, found) for place, found in known if place is not None]


def _row(name: str, unit: str, arm: str, found: Spread | None, unknown: str, drift: str) -> tuple[Cell, ...]:
    if found is None:
        shown = [number(NONE)] * 6
    else:
        picked = (found.least, found.lower_quartile, found.median, found.mean, found.upper_quartile, found.most)
        shown = [number(amount(each, unit, n=9), each) for each in picked]
    return (Cell(text=name), Cell(text=arm), *shown, number(unknown), number(drift))


def _drift(points: Sequence[tuple[int, float]]) -> str:
    """Write the rank correlation with the order; none where nothing varies."""
    try:
        return figure(round(drift([found for _, found in points]), 2))
    except StatError:
        return NONE


def _ordered(facts: Facts) -> Table:
    """List the outcomes in the order of the ledger."""
    listed = []
    for row in facts.ended[:MOST_ROWS]:
        amounts = []
        for name, unit in IN_ORDER:
            found = row.facts.get(name)
            amounts.append(number(amount(float(found) if isinstance(found, Fraction) else None, unit, n=9)))
        listed.append((Cell(text=row.trial.id), number(str(row.seq)), *amounts))
    more = f" (the first {MOST_ROWS} of {len(facts.ended)})" if len(facts.ended) > MOST_ROWS else ""
    return table(f"Outcomes in the order of the ledger{more}", ("trial", "ledger line", "cost", "time"), listed)
