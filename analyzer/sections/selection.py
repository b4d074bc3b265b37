"""How the tasks were chosen: found, dropped and excluded by reason, and the walk that drew them."""

from collections.abc import Iterator, Mapping, Sequence

from analyzer.document import Facts
from analyzer.page import Cell, Section, cells, number, table
from analyzer.wording import plural
from ledger.plain import Plain

COUNTS = (
    ("found", "candidates found"),
    ("dropped", "dropped"),
    ("eligible", "met every condition"),
    ("gated", "turned away by the gate"),
    ("excluded", "excluded before the draw"),
    ("burned", "burned: it leaked and is never drawn again"),
    ("drawn", "drawn"),
    ("disjoint_from", "disjoint from the tasks of"),
)
"""What the plan says of a set, in the order of the road from a candidate to a task."""

MOST_STEPS = 1000
"""So many steps of a walk are laid out; the plan holds them all."""


def selection(facts: Facts) -> Section:
    """Show how the tasks were chosen, set by set."""
    chosen = facts.document.plan.selection
    tables = []
    for name in sorted(chosen):
        of_set = chosen[name]
        if not isinstance(of_set, Mapping):
            continue
        tables.append(table(f"Set {name}: from candidates to tasks", ("step", "tasks"), list(_counted(of_set))))
        steps = list(_walked(of_set))
        if steps:
            more = f" (the first {MOST_STEPS} of {len(steps)} steps)" if len(steps) > MOST_STEPS else ""
            tables.append(
                table(
                    f"Set {name}: the walk in its order{more}",
                    ("candidate", "place", "what came of it"),
                    steps[:MOST_STEPS],
                )
            )
    if not tables:
        tables.append(table("From candidates to tasks", ("step", "tasks"), (), empty="nothing is recorded in the plan"))
    return Section(
        id="selection",
        title="Selection of tasks",
        lead=(
            f"{plural(len(facts.document.plan.tasks), 'task')} in the plan. The rule reads facts of the candidates only, never an outcome.",
        ),
        tables=tuple(tables),
    )


def _counted(of_set: Mapping[str, Plain]) -> Iterator[tuple[Cell, ...]]:
    """Give one row a count; where reasons differ, one row a reason, in the author's words where there are any."""
    reasons = of_set.get("reasons")
    for key, title in COUNTS:
        value = of_set.get(key)
        if key not in of_set or (key == "disjoint_from" and not value):
            continue
        if not isinstance(value, Mapping):
            yield cells(title, number(_count(value)))
            continue
        tally = _tally(value)
        if not tally:
            yield cells(title, number("0"))
        for reason, times in sorted(tally.items()):
            said = reasons.get(reason) if isinstance(reasons, Mapping) else None
            yield cells(f"{title}: {reason}" + (f" ({said})" if said else ""), number(str(times)))


def _tally(value: Mapping[str, Plain]) -> dict[str, int]:
    """Take counts by reason as they are; count a map from tasks to reasons."""
    tally: dict[str, int] = {}
    for key, each in value.items():
        if isinstance(each, int):
            tally[key] = each
        else:
            tally[str(each)] = tally.get(str(each), 0) + 1
    return tally


def _walked(of_set: Mapping[str, Plain]) -> Iterator[tuple[Cell, ...]]:
    order, passed, drawn = of_set.get("order"), of_set.get("passed"), of_set.get("drawn")
    if not isinstance(order, Sequence) or not isinstance(drawn, Sequence):
        return
    reasons = of_set.get("reasons")
    taken = {str(each) for each in drawn}
    for place, each in enumerate(order, start=1):
        task = str(each)
        if task in taken:
            came = "drawn"
        elif isinstance(passed, Mapping) and task in passed:
            came = f"passed over, {passed[task]}"  # such as ``excluded: c``, ``gate: flaky``
            said = reasons.get(came.rpartition("excluded: ")[2]) if isinstance(reasons, Mapping) else None
            came += f" ({said})" if said else ""
        else:
            came = "not reached"
        yield cells(task, number(str(place)), came)


def _count(value: Plain) -> str:
    """Count a list; give a number as it is."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if all(isinstance(each, str) and each.startswith("sha256:") for each in value) and value:
            return ", ".join(str(each) for each in value)
        return str(len(value))
    return "unknown" if value is None else str(value)
