"""A verdict as JSON and as text for a terminal: apart, so that judging loads nothing that only other verbs need."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rich.table import Table

from analyzer.sections.results import interval_of
from analyzer.verdict import Estimate
from analyzer.wording import CARRIES_PERCENT, SMOKE, STATUS, amount, banner, decidable, never_decided, probability
from prereg.judging import Judged
from prereg.tables import draw


def analyze_json(found: Judged) -> dict[str, Any]:
    """The contract of ``analyze --json``: the verdict document."""
    return dict(found.document)


report_json = analyze_json


def analyze_text(found: Judged) -> str:
    """The verdict, its conditions, its endpoints, and where the report is."""
    verdict = found.verdict
    table = Table("endpoint", "role", "n", "estimate", "interval", "p", box=None, pad_edge=False)
    for name, each in verdict.endpoints.items():
        role = f"{each.role}, post hoc" if name in verdict.post_hoc else each.role
        size, estimate, *rest = _cells(each)
        table.add_row(name, role, size, "not compared" if name in verdict.not_compared else estimate, *rest)
    parts = [
        *banner(verdict.stage, simulated=verdict.simulated),
        f"{STATUS[verdict.status]}: {verdict.wording}",
        f"claim: {verdict.claim}",
        *([SMOKE] if never_decided(verdict) else []),
        *(f"  {_holds(each.holds)}  {each.text}" for each in (*decidable(verdict), *verdict.conditions)),
        draw(table),
        *(f"not compared: {name}: {why}" for name, why in verdict.not_compared.items()),
        *(f"post hoc: {name}: {why}" for name, why in verdict.post_hoc.items()),
        *(f"warning: {each}" for each in verdict.warnings),
        f"report: {found.folder.root / 'report.md'}, report.html",
        f"next: prereg audit {found.folder.root}",
    ]
    return "\n".join(parts)


def _cells(each: Estimate) -> tuple[str, str, str, str]:
    """Show an endpoint's size, estimate, interval and p as the report does; arms side by side where it compares none."""
    values = each.values
    n = values.get("n")
    size = n if isinstance(n, int) else 0
    show = partial(amount, unit=each.unit, n=size)
    arms = values.get("arms")
    estimate = show(values["estimate"], signed=True) if "estimate" in values else ""
    if not estimate and isinstance(arms, Mapping):
        counts = values.get("counts")
        yes = counts if isinstance(counts, Mapping) and size < CARRIES_PERCENT else {}
        said = {arm: show(value) if yes.get(arm) is None else f"{yes[arm]} of {size}" for arm, value in arms.items()}
        estimate = ", ".join(f"{arm} {value}" for arm, value in said.items())
    interval = interval_of(values, each.unit, size) if "lower" in values else ""
    return str(n), estimate, interval, probability(values["p"]) if "p" in values else ""


def report_text(found: Judged) -> str:
    """Where the report is."""
    return str(found.folder.root / "report.md")


def judged_talk(found: Judged) -> list[str]:
    """What differs in the folder without changing what it means."""
    return [f"warning: {each}" for each in found.warnings]


def _holds(value: bool | None) -> str:
    return {True: "holds   ", False: "fails   ", None: "unknown "}[value]
