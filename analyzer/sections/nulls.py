"""Where it does not help: expected nulls first, then every endpoint and category in the words of its interval."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from analyzer.document import Facts
from analyzer.estimate import estimate
from analyzer.notes import CEILING
from analyzer.nulls import NO_EFFECT, Reading, reading
from analyzer.page import Cell, Section, Tone, code, number, table
from analyzer.reckoned import estimate_of, unit_of
from analyzer.sections.results import estimated, interval_of
from analyzer.verdict import Estimate, Shown
from analyzer.wording import plural
from compiler.plan import EndpointPlan

Found = tuple[EndpointPlan, str, Estimate, Reading]
_TONES: Mapping[str, Tone] = {"null": "open", "tail": "open", "none": "muted"}
NOTHING = "No endpoint compares arms."
_MOST_LEVELS = 40
EXPECTED = ("negative-control", "noise-floor")
"""Roles of endpoints that should show nothing."""


def nulls(facts: Facts) -> Section:
    """Tell what was expected to show nothing, and what showed nothing, lower and higher alike."""
    found = list(_readings(facts))
    expected = [each for each in found if each[0].role in EXPECTED]
    rest = [each for each in found if each[0].role not in EXPECTED]
    shown = sum(each[3].kind in ("lower", "higher") for each in rest)
    ceiling = len({each[1] for each in rest if CEILING in each[2].notes})
    points = []
    if ceiling:
        points.append(
            f"In {plural(ceiling, 'of these groupings', many='of these groupings')} every arm solved every task. That is no "
            "evidence that the arms are equivalent; it is a measurement with no resolution left."
        )
    lead = [f"In {len(rest) - shown} of {plural(len(rest), 'comparison')} no difference is shown." if rest else NOTHING]
    if tails := sum(each[3].kind == "tail" for each in rest):
        lead.append(f"{tails} of them rest on a few tasks: they move the mean, and the typical task is unchanged.")
    if any(each[3].says == NO_EFFECT for each in found):
        lead.append(
            f"“{NO_EFFECT}” means that zero lies inside the interval, whatever the estimate is; without an interval, that the test "
            "does not reject at the level 0.05."
        )
    columns = ("endpoint", "grouping", "n", "estimate", "interval", "in words", "what would help")
    return Section(
        id="nulls",
        title="Where it does not help",
        lead=tuple(lead),
        points=tuple(points),
        tables=(
            table(
                "Expected nulls (negative controls and noise floors), registered as such and told first",
                columns,
                [_row(each) for each in expected],
                empty="none is registered",
            ),
            table(
                "Every comparison in words", columns, [_row(each) for each in rest], empty="no endpoint compares arms"
            ),
        ),
    )


def _readings(facts: Facts) -> Iterator[Found]:
    plan = facts.document.plan
    found = facts.document.verdict.endpoints
    categories = {task.category for task in facts.everyone.tasks}
    for endpoint in plan.endpoints:
        if endpoint.name not in facts.pairings:
            continue
        whole = found[endpoint.name]
        yield endpoint, "all", whole, reading(plan, endpoint, whole.unit, whole.values, whole.notes)
        levels: Mapping[str, Mapping[str, Shown]] = whole.by
        # Where tasks have categories, a yes-or-no endpoint is told by them, asked for or not.
        if not endpoint.by and "counts" in whole.values and 1 < len(categories) <= _MOST_LEVELS:
            found_by = estimate_of(estimate(replace(endpoint, by=("category",)), facts.everyone)).by
            levels = found_by if len(found_by) > 1 else {}
        for level, values in levels.items():
            notes = values.get("notes")
            told = tuple(str(note) for note in notes) if isinstance(notes, list) else ()
            part = Estimate(name=endpoint.name, role=endpoint.role, unit=unit_of(endpoint), values=values, notes=told)
            yield endpoint, level, part, reading(plan, endpoint, part.unit, values, told)


def _row(found: Found) -> tuple[Cell, ...]:
    endpoint, level, each, said = found
    n = each.values.get("n")
    size = n if isinstance(n, int) else 0
    return (
        code(endpoint.name),
        Cell(text=level),
        number(str(n)),
        number(estimated(each, size), each.values.get("estimate")),
        number(interval_of(each.values, each.unit, size)),
        Cell(text=said.says, tone=_TONES.get(said.kind, "")),
        Cell(text=said.remedy or ("—" if said.kind in ("lower", "higher") else "")),
    )
