"""The trials: per arm, each task in each arm, and every attempt that was lost or retried."""

from collections import Counter
from collections.abc import Sequence

from analyzer.arms import NOT_REGISTERED
from analyzer.document import Facts
from analyzer.figures.tasks import matrix as drawn_matrix
from analyzer.frame import Row
from analyzer.missing import Settled
from analyzer.page import Cell, Section, cells, number, table
from analyzer.sections.costs import one_sided
from analyzer.verdict import ArmSummary
from analyzer.wording import figure, plural
from ledger.records import Infrastructure

MOST_TASKS = 1000
"""So many tasks are laid out; more are in the ledger, and no one would read them here."""


def arms(facts: Facts) -> Section:
    """Count per arm what was planned and what came of it."""
    found, shown = facts.document.verdict.arms, one_sided(facts) is None
    return Section(
        id="arms",
        title="Arms",
        lead=("Totals over all trials of an arm, unpaired: they are shown, and no claim rests on them.",),
        tables=(
            table(
                "Planned, and what came of it",
                (
                    "arm",
                    "planned",
                    "outcomes",
                    "attempts",
                    "lost or retried, by rule",
                    "excluded, by rule",
                    "known cost",
                    "unknown costs",
                ),
                [_arm(name, found[name], shown=shown) for name in facts.document.plan.arms],
            ),
        ),
        points=(
            "Known cost is over all attempts, lost ones too; an unknown cost makes it a known subtotal, and is never taken as 0.",
        ),
    )


def matrix(facts: Facts) -> Section:
    """Lay out each task in each arm, seed by seed: verdict and cost, as they entered the analysis."""
    plan = facts.document.plan
    of_arms, shown = plan.arms, [task.id for task in plan.tasks][:MOST_TASKS]
    by_place: dict[tuple[str, str], list[Settled]] = {}
    for each in facts.settled[: len(shown) * len(of_arms) * plan.seeds]:  # task by task in the order of the plan
        by_place.setdefault((each.row.trial.task, each.row.trial.arm), []).append(each)
    rows = [cells(task, *(" · ".join(map(_trial, by_place[task, arm])) for arm in of_arms)) for task in shown]
    left = len(plan.tasks) - len(shown)
    return Section(
        id="matrix",
        title="Every task, arm and seed",
        lead=(
            "Seeds in order, parted by dots: verdict and cost in USD as they entered the analysis.",
            "In brackets the missing-data rule that applied.",
        ),
        points=(f"{plural(left, 'more task')} in the ledger",) if left else (),
        tables=(table("Outcomes", ("task", *of_arms), rows),),
        figures=drawn_matrix(facts.settled, of_arms, plan.seeds),
    )


def attempts(facts: Facts) -> Section:
    """List every attempt that came to nothing; times are as the executor claimed them."""
    lost = facts.frame.gathered.lost
    rows = [
        cells(
            row.trial.id,
            number(str(record.attempt)),
            line.at,
            record.rule or NOT_REGISTERED,
            record.step if isinstance(record, Infrastructure) else "environment",
            record.detail,
            number(_cost(record.measures.get("cost"))),
        )
        for row in facts.frame.rows
        if row.lost
        for line, record in lost[row.trial.id]
    ]
    open_claims = sum(max(0, row.attempts - len(row.lost) - (row.outcome is not None)) for row in facts.frame.rows)
    total = sum(row.attempts for row in facts.frame.rows)
    return Section(
        id="attempts",
        title="Attempts that came to nothing",
        lead=(
            f"{plural(total, 'attempt')} claimed, {len(rows)} of them lost or retried.",
            "None of these entered the analysis; each is remembered.",
        ),
        points=(f"{plural(open_claims, 'claim')} without an end in the ledger",) if open_claims else (),
        tables=(
            table(
                "Lost and retried attempts",
                ("trial", "attempt", "at (as claimed)", "rule", "step", "detail", "cost, USD"),
                rows,
                empty="no attempt was lost or retried",
            ),
        ),
    )


def versions(facts: Facts) -> Section:
    """Show per arm what was pinned and what the binaries said of themselves."""
    rows: list[tuple[Cell, ...]] = []
    for arm in facts.document.arms:
        mine = [row for row in facts.accounts.rows[arm.name] if row.outcome is not None]
        pinned = " ".join(each for each in (arm.agent.kind, arm.agent.version, arm.agent.model) if each)
        rows.append(cells(arm.name, pinned, arm.provider.kind, _recorded(mine)))
    return Section(
        id="versions",
        title="Versions",
        lead=("What was pinned in the plan, beside what the binaries said of themselves in each trial.",),
        tables=(table("Versions by arm", ("arm", "agent, pinned", "provider", "recorded"), rows),),
    )


def _arm(name: str, each: ArmSummary, *, shown: bool) -> tuple[Cell, ...]:
    cost = "none" if each.cost_usd is None else f"{figure(each.cost_usd)} USD"
    if each.cost_usd is not None and each.cost_unknown:
        cost += " (known subtotal)"
    cost = (
        cost if shown else "not compared"
    )  # one column with numbers beside an empty one would say what nobody measured
    return cells(
        name,
        number(str(each.planned)),
        _listed(each.outcomes),
        number(str(each.attempts)),
        _listed(each.retried),
        _listed(each.excluded),
        number(cost),
        number(str(each.cost_unknown)),
    )


def _listed(counts: object) -> str:
    assert isinstance(counts, dict)
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _trial(each: Settled) -> str:
    if each.fate == "gap":
        return "gap"
    verdict = each.row.outcome.verdict if each.row.outcome is not None else "no outcome"
    if each.fate == "excluded":
        return f"{verdict} [excluded: {each.rule}]"
    cost = each.values.get("cost")
    said = f"{verdict} {figure(float(cost))}" if cost is not None else f"{verdict} cost unknown"
    return f"{said} [{each.rule}]" if each.rule else said


def _cost(written: object) -> str:
    return "unknown" if written is None else str(written)


def _recorded(rows: Sequence[Row]) -> str:
    """Say each version once, with the number of trials that gave it."""
    counts: Counter[tuple[str, str]] = Counter()
    for versions, times in Counter(tuple(row.outcome.versions.items()) for row in rows if row.outcome).items():
        counts.update(dict.fromkeys(versions, times))
    return (
        "; ".join(f"{name} {version} ({plural(count, 'trial')})" for (name, version), count in sorted(counts.items()))
        or "none recorded"
    )
