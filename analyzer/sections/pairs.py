"""Both arms of every task, for each endpoint that compares two: a picture, and the numbers behind it."""

from collections.abc import Iterator, Mapping, Sequence

from analyzer.aggregate import number as as_number
from analyzer.document import Facts
from analyzer.figures.ordered import ordered
from analyzer.figures.tasks import MOST_TASKS, Row, dumbbells
from analyzer.page import Cell, Figure, Section, Table, number, table
from analyzer.pairing import Pairing
from analyzer.sections.worked import measured_in
from analyzer.wording import amount
from compiler.plan import EndpointPlan

MOST_ROWS = 1000
MOST_FIGURES = 4
"""So many measures are drawn; the endpoints that come first in a plan matter most."""


def pairs(facts: Facts) -> Section:
    """Draw every measure that two arms are compared on, once, however many endpoints read it."""
    places = {arm: place for place, arm in enumerate(facts.document.plan.arms)}
    found = list(_measures(facts))
    drawn, left = found[:MOST_FIGURES], [endpoint.name for endpoint, _, _ in found[MOST_FIGURES:]]
    lead = ["One value a task and arm: its seeds are aggregated before anything is compared."]
    if left:
        lead.append(
            f"The first {MOST_FIGURES} measures are shown; task by task in verdict.json alone: {', '.join(left)}."
        )
    return Section(
        id="pairs",
        title="Task by task",
        lead=tuple(lead) if drawn else ("No endpoint compares an amount between two arms.",),
        figures=tuple(_figure(*each, places) for each in drawn),
    )


def _measures(facts: Facts) -> Iterator[tuple[EndpointPlan, Pairing, list[Row]]]:
    """Give each measure with the first endpoint that reads it, and the values of both arms on every task that has them."""
    seen: set[tuple[object, ...]] = set()
    for endpoint in facts.document.plan.endpoints:
        pairing = facts.pairings.get(endpoint.name)
        if pairing is None or len(pairing.sides) != 2:
            continue
        key = (endpoint.measure, endpoint.per_task, endpoint.where, tuple(sorted(pairing.sides)))
        if key in seen or _yes_or_no(pairing) or not (rows := _rows(pairing)):
            continue
        seen.add(key)
        yield endpoint, pairing, rows


def _figure(endpoint: EndpointPlan, pairing: Pairing, rows: Sequence[Row], places: Mapping[str, int]) -> Figure:
    unit, sides = measured_in(endpoint), pairing.sides
    draw = dumbbells if len(rows) <= MOST_TASKS else ordered
    return draw(endpoint.name, unit, rows, sides, _places(sides, places), _table(endpoint, pairing, unit))


def _places(sides: Sequence[str], places: Mapping[str, int]) -> Mapping[str, int]:
    """Give the places, and so the colours, of two arms; arms over all levels together have none of their own."""
    return places if all(arm in places for arm in sides) else {arm: place for place, arm in enumerate(sorted(sides))}


def _rows(pairing: Pairing) -> list[Row]:
    found: list[Row] = []
    for each in pairing.complete:
        values = {arm: as_number(each.values.cells[arm].value) for arm in pairing.sides}
        found.append((each.values.task.id, {arm: float(it) for arm, it in values.items() if it is not None}))
    return found


def _yes_or_no(pairing: Pairing) -> bool:
    return all(isinstance(each.values.cells[arm].value, bool) for each in pairing.complete for arm in pairing.sides)


def _table(endpoint: EndpointPlan, pairing: Pairing, unit: str) -> Table:
    rows = []
    for each in pairing.pairs[:MOST_ROWS]:
        shown: list[Cell] = []
        for arm in pairing.sides:
            found = as_number(each.values.cells[arm].value)
            shown.append(
                number(
                    amount(None if found is None else float(found), unit, n=9), None if found is None else float(found)
                )
            )
        difference = None if each.difference is None else float(each.difference)
        why = f" ({each.why})" if each.why else ""
        shown.append(number(amount(difference, "", n=9, signed=True) + why, difference))
        rows.append((Cell(text=each.values.task.id), *shown))
    more = f" (the first {MOST_ROWS} of {len(pairing.pairs)})" if len(pairing.pairs) > MOST_ROWS else ""
    return table(
        f"{endpoint.name}: {endpoint.compare}, task by task{more}",
        ("task", *pairing.sides, endpoint.compare or "compared"),
        rows,
    )
