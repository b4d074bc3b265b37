"""How each endpoint is worked out, as it was registered: of a trial, of a task, between arms, with which interval and test."""

from collections.abc import Iterator, Mapping, Sequence

from analyzer.document import Facts
from analyzer.page import Cell, Table, cells, code, table
from analyzer.verdict import Estimate, Shown
from analyzer.wording import CARRIES_PERCENT, NONE
from compiler.plan import Chosen, EndpointPlan
from spec_lang.catalog import TRIAL_FACTS
from spec_lang.kinds import KINDS, Slot

COLUMNS = ("endpoint", "of each trial", "of each task, over its seeds", "between arms, over tasks", "interval", "test")
ALONE = "each arm by itself"


def worked(facts: Facts) -> Table:
    """Tell it endpoint by endpoint, in the words of the plan."""
    plan = facts.document.plan
    rows = [_row(each, plan.measures) for each in plan.endpoints]
    return table("How each endpoint is worked out, as registered", COLUMNS, rows)


def measured_in(endpoint: EndpointPlan) -> str:
    """Give the unit of what is measured of a trial; that of the comparison may be a share of it."""
    written = TRIAL_FACTS.get(endpoint.measure or "", ("number", ""))[0]
    return written if written in ("USD", "s", "turn", "token") else ""


def terms(compared: Sequence[Estimate]) -> Iterator[str]:
    """Explain what stands in the columns of the comparisons, as far as something stands there."""
    if not compared:
        return
    points = (
        "; pp are percentage points"
        if any(each.unit == "pp" and _percent(each.values.get("n")) for each in compared)
        else ""
    )
    yield f"An estimate says how far two arms are apart on the same tasks; n is the number of these tasks{points}."
    told = []
    if any("lower" in each.values for each in compared):
        told.append("an interval holds the differences that these data leave possible, at the level beside it")
    if any("p" in each.values for each in compared):
        told.append("p is how often arms that do not differ would come out at least this far apart")
    if told:
        yield f"The interval first, the p-value second: {'; '.join(told)}."


def _percent(n: Shown) -> bool:
    return isinstance(n, int) and n >= CARRIES_PERCENT


def _row(each: EndpointPlan, measures: Mapping[str, str]) -> tuple[Cell, ...]:
    if each.per_arm is not None:
        over = "over every attempt" if each.over == "attempts" else "over its trials"
        said = _where(f"{ALONE}: {each.per_arm}, {over}", each.where)
        return (code(each.name), *cells("", "", said, _chosen("interval", each.interval), NONE))
    return (
        code(each.name),
        Cell(text=_of_trial(each, measures)),
        Cell(text=_of_task(each)),
        Cell(text=_between(each)),
        Cell(text=_chosen("interval", each.interval)),
        Cell(text=_chosen("test", each.test)),
    )


def _of_trial(each: EndpointPlan, measures: Mapping[str, str]) -> str:
    name = each.measure or ""
    return _where(f"{name}: {measures[name]}" if name in measures else name or NONE, each.where)


def _where(said: str, conditions: Sequence[str]) -> str:
    """Add which tasks alone are counted."""
    return f"{said}, where {' and '.join(conditions)}" if conditions else said


def _of_task(each: EndpointPlan) -> str:
    return f"{each.per_task}, k = {each.k}" if each.k is not None else each.per_task or NONE


def _between(each: EndpointPlan) -> str:
    if each.compare is None:
        return ALONE
    return f"{each.compare}, {each.statistic or 'mean'}"


def _chosen(slot: Slot, chosen: Chosen | None) -> str:
    """Say what a kind is in the words of its documentation, and how it was set."""
    if chosen is None:
        return NONE
    kind = KINDS[slot].get(chosen.kind)
    said = kind.doc.rstrip(".") if kind is not None else chosen.kind
    options = ", ".join(f"{name} {value}" for name, value in sorted(chosen.options.items()))
    return f"{said} ({options})" if options else said
