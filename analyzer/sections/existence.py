"""What was shown to exist: each instance with each arm's verdict, in a design whose few tasks carry no rate and no ranking."""

from collections.abc import Mapping, Sequence

from analyzer.document import Facts
from analyzer.gather import used_up
from analyzer.missing import Settled
from analyzer.page import Cell, Section, Tone, cells, table
from analyzer.wording import plural
from ledger.records import InvalidEnvironment

SAID: Mapping[str, tuple[str, Tone]] = {
    "pass": ("PASS", "good"),
    "partial": ("PARTIAL", "open"),
    "fail": ("FAIL", "bad"),
    "skipped": ("SKIPPED", "muted"),
}
"""Verdict → how it is shown. They are three kinds and no three points on a scale: partial is not half of a pass."""


def why_no_rates(facts: Facts) -> str:
    """Say why a table of rates is not there."""
    return (
        f"{plural(len(facts.document.plan.tasks), 'task')} carry no percentage, no average and no ranking of arms: "
        "see what was shown to exist on each instance."
    )


def existence(facts: Facts) -> Section:
    """Lay out each instance with each arm's verdict, and claim what passed; empty where tasks carry rates."""
    plan = facts.document.plan
    if not facts.few:
        return Section(id="existence", title="What was shown to exist")
    by_place: dict[tuple[str, str], list[Settled]] = {}
    for each in facts.settled:
        by_place.setdefault((each.row.trial.task, each.row.trial.arm), []).append(each)
    rows = [
        cells(task.id, task.set, *(_cell(by_place.get((task.id, arm), ())) for arm in plan.arms)) for task in plan.tasks
    ]
    claims = [
        f"{arm} solved this instance: {task.id}"
        for task in plan.tasks
        for arm in plan.arms
        if any(_verdict(each) == "pass" for each in by_place.get((task.id, arm), ()))
    ]
    return Section(
        id="existence",
        title="What was shown to exist",
        lead=(
            f"{plural(len(plan.tasks), 'task')}: existence claims only. What is shown here is that it happened, once, on this instance.",
            "Verdicts are kinds, not points: they are never added up, averaged or ranked, and PARTIAL is not half of PASS.",
        ),
        points=tuple(claims) or ("No arm solved any instance.",),
        tables=(table("Each instance", ("instance", "set", *plan.arms), rows),),
    )


def _cell(trials: Sequence[Settled]) -> Cell:
    said = [_said(each) for each in trials]
    if len(said) == 1:
        return Cell(text=said[0][0], tone=said[0][1])
    return Cell(text=" · ".join(text for text, _ in said) or "not planned")


def _said(each: Settled) -> tuple[str, Tone]:
    verdict = _verdict(each)
    if verdict is None:
        return _lost(each), "open"
    text, tone = SAID[verdict]
    return (f"{text} (left out by rule {each.rule})", "muted") if each.fate == "excluded" else (text, tone)


def _verdict(each: Settled) -> str | None:
    return None if each.row.outcome is None else each.row.outcome.verdict


def _lost(each: Settled) -> str:
    """Name the state of a trial without an outcome: the world failed it, which is no failure of the agent's."""
    last = each.row.lost[-1] if each.row.lost else None
    if isinstance(last, InvalidEnvironment):
        return "INVALID ENVIRONMENT"
    if last is not None and used_up(last):
        return "USED UP ITS LIMITS"
    return "INFRASTRUCTURE" if last is not None else "NO OUTCOME"
