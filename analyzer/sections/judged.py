"""What people judged beside what the checks say: where the two disagree, who judged, and every judgment that was revised."""

from collections.abc import Iterator

from analyzer.document import Facts
from analyzer.frame import Row
from analyzer.judgments import asks, disagree, waiting
from analyzer.page import Cell, Section, Table, cells, code, number, table
from analyzer.wording import plural

MOST = 1000
"""So many judgments are listed; more are in the ledger."""

_SEEN = {True: "yes", False: "no", None: "not said"}
_ANSWERS = ("success", "partial", "failure", "unjudged")


def judged(facts: Facts) -> Section:
    """Set judgments beside verdicts; neither stands for the other."""
    said = facts.frame.gathered.judgments
    asked = asks(facts.document.plan)
    if not said and not asked:
        return Section(
            id="judgments",
            title="What people judged",
            lead=("Nobody judged a trial, and nothing that was registered asks for it.",),
        )
    rows = facts.frame.rows
    return Section(
        id="judgments",
        title="What people judged",
        lead=(
            "Checks and people are counted apart: neither stands for the other.",
            f"{plural(len(said), 'trial')} of {len(rows)} judged.",
        ),
        tables=(
            _together(facts),
            table(
                "Where checks and people disagree",
                ("trial", "checks say", "judged", "by"),
                [_disagreement(facts, row) for row in rows if disagree(row)],
                empty="nowhere",
            ),
            _every(facts),
        ),
        points=tuple(_open(facts)) if asked else (),
    )


def _together(facts: Facts) -> Table:
    """Count trials by what checks and people say, arm by arm."""
    found: dict[tuple[str, str, str], int] = {}
    for row in facts.frame.rows:
        checks = "no outcome" if row.outcome is None else row.outcome.verdict
        key = (row.trial.arm, checks, str(row.facts.get("judgment")))
        found[key] = found.get(key, 0) + 1
    lines = []
    for arm in facts.document.plan.arms:
        for checks in ("pass", "partial", "fail", "skipped", "no outcome"):
            counts = [found.get((arm, checks, each), 0) for each in _ANSWERS]
            if any(counts):
                lines.append(cells(arm, checks, *(number(str(each)) for each in counts)))
    return table("Trials by what checks and people say", ("arm", "checks say", *_ANSWERS), lines)


def _disagreement(facts: Facts, row: Row) -> tuple[Cell, ...]:
    assert row.outcome is not None
    _, last = facts.frame.gathered.judgments[row.trial.id][-1]
    return cells(row.trial.id, row.outcome.verdict, last.judgment, last.who)


def _every(facts: Facts) -> Table:
    """List every judgment in the order of the ledger; a revision stands below what it revises, and says why."""
    gathered = facts.frame.gathered
    found = sorted(
        ((line, said) for each in gathered.judgments.values() for line, said in each), key=lambda each: each[0].seq
    )
    rows = [
        cells(
            number(str(line.seq)),
            line.at,
            said.trial,
            said.judgment,
            said.who,
            _SEEN[said.arm_seen],
            code(said.evidence) if said.evidence else "none",
            said.reason or "",
            "yes" if gathered.analyzed is not None and line.seq > gathered.analyzed else "no",
        )
        for line, said in found[:MOST]
    ]
    more = f" (the first {MOST} of {len(found)})" if len(found) > MOST else ""
    return table(
        f"Every judgment, in the order of the ledger{more}",
        (
            "ledger line",
            "at (as claimed)",
            "trial",
            "judgment",
            "who",
            "arm seen",
            "evidence",
            "why it is revised",
            "after results had been analysed",
        ),
        rows,
    )


def _open(facts: Facts) -> Iterator[str]:
    found = [row.trial.id for row in facts.frame.rows if waiting(row)]
    if found:
        named = ", ".join(found[:10]) + (f" and {len(found) - 10} more" if len(found) > 10 else "")
        yield f"Passes its checks, and nobody judged it: {named}. Whether it is correct is unknown."
