"""Both arms of every task, for each endpoint that compares two: a picture, and the numbers behind it."""

from collections.abc import Iterator, Mapping, Sequence

from analyzer.aggregate import number as as_number
from analyzer.document import Facts
from analyzer.figures.ordered import ordered
from analyzer.figures.tasks import MOST_TASKS, dumbbells
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
    figures = tuple(_figures(facts))
    return Section(
        id="pairs",
        title="Task by task",
        lead=("One value a task and arm: its seeds are aggregated before anything is compared.",)
        if figures
        else ("No endpoint compares an amount between two arms.",),
        figures=figures,
    )


def _figures(facts: Facts) -> Iterator[Figure]:
    places = {arm: place for place, arm in enumerate(facts.document.plan.arms)}
    seen: set[tuple[object, ...]] = set()
    for endpoint in facts.document.plan.endpoints:
        pairing = facts.pairings.get(endpoint.name)
        if pairing is None or len(pairing.sides) != 2:
            continue
        key = (endpoint.measure, endpoint.per_task, endpoint.where, tuple(sorted(pairing.sides)))
        rows = _rows(pairing)
        if key in seen or not rows or _yes_or_no(pairing):
            continue
        seen.add(key)
        if len(seen) > MOST_FIGURES:
            return
        unit = measured_in(endpoint)
        draw = dumbbells if len(rows) <= MOST_TASKS else ordered
        yield draw(
            endpoint.name, unit, rows, pairing.sides, _places(pairing.sides, places), _table(endpoint, pairing, unit)
        )


def _places(sides: Sequence[str], places: Mapping[str, int]) -> Mapping[str, int]:
    """Give the places, and so the colours, of two arms; arms over all levels together have none of their own."""
    return places if all(arm in places for arm in sides) else {arm: place for place, arm in enumerate(sorted(sides))}


def _rows(pairing: Pairing) -> list[tuple[str, dict[str, float]]]:
    found = []
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
    return table(f"{endpoint.name}: {endpoint.compare}, task by task{more}", ("task", *pairing.sides, "compared"), rows)
