"""How often each arm solves a task, what repeats say of the noise, and which tasks went the other way."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from analyzer.document import Facts
from analyzer.page import Cell, Section, Table, cells, number, table
from analyzer.quantiles import middle
from analyzer.rates import Rate, Tries, apart, changed, rate, side_by_side
from analyzer.sections.costs import one_sided
from analyzer.sections.existence import why_no_rates
from analyzer.verdict import ArmSummary
from analyzer.wording import CARRIES_PERCENT, NONE, UNKNOWN, amount, plural

MOST_ROWS = 500
UNCOMPARED = "not compared"
"""Stands for costs where at most one arm has any."""


def rates(facts: Facts) -> Section:
    """Give pass@1 per arm and category with its interval, the noise of repeats, and what changed task by task."""
    plan = facts.document.plan
    if facts.few:
        return Section(
            id="rates",
            title="How often tasks were solved",
            lead=(why_no_rates(facts),),
            tables=(_arms(facts),),
        )
    categories = sorted({task.category for task in plan.tasks if task.category is not None})
    tables = [_arms(facts)]
    if categories:
        tables.append(_categories(facts, categories))
    if plan.seeds > 1:
        tables.append(_over_k(facts))
    if plan.seeds > 1 or _copies(facts):
        tables.append(_noise(facts))
    different = changed(plan, facts.tries)
    baselines = " and ".join(each[0] for each in side_by_side(plan))
    rows = [
        cells(task, arm, number(_of(base)), number(_of(mine)), _went(base, mine))
        for task, arm, base, mine in different[:MOST_ROWS]
    ]
    more = f" (the first {MOST_ROWS} of {len(different)})" if len(different) > MOST_ROWS else ""
    worse = sum(_went(base, mine).text == "regressed" for _, _, base, mine in different)
    tables.append(
        table(
            f"Regressions and improvements against {baselines}{more}",
            ("task", "arm", "the baseline", "the arm", "went"),
            rows,
            empty="no task was solved more or less often than with the baseline",
        )
    )
    return Section(
        id="rates",
        title="How often tasks were solved",
        lead=(
            "Unpaired rates of each arm by itself. They are shown, and no claim rests on them: quote the paired endpoints.",
            "pass@1 is the chance that one run solves a task.",
            "Intervals are at the level 0.95: Wilson's with one run a task, Student's over the tasks' shares with repeats.",
            f"Against {baselines}: {plural(worse, 'regression')}, {plural(len(different) - worse, 'improvement')}.",
        ),
        tables=tuple(tables),
    )


def _arms(facts: Facts) -> Table:
    rows, alone = [], one_sided(facts)
    for arm in facts.document.plan.arms:
        mine, found = facts.trials[arm], facts.rates[arm]
        unknown = sum(each.fate != "excluded" for each in mine) - found.scored
        outcomes = [each.row.outcome for each in mine if each.row.outcome is not None]
        ended, skipped = Counter(each.ended for each in outcomes), sum(each.verdict == "skipped" for each in outcomes)
        rows.append(
            (
                Cell(text=arm),
                number(f"{found.passed} of {found.scored}"),
                *(() if facts.few else (_share(found),)),
                number(str(unknown)),
                number(str(ended["error"] + ended["no-result"])),
                number(str(ended["timeout"] + ended["limit"])),
                number(str(skipped)),
                number(_middle(facts, arm, "cost", "USD", len(outcomes)) if alone is None else UNCOMPARED),
                number(_total(facts.document.verdict.arms[arm]) if alone is None else UNCOMPARED),
                number(_middle(facts, arm, "time", "s", len(outcomes))),
                number(_middle(facts, arm, "turns", "turn", len(outcomes))),
                number(_middle(facts, arm, "tool_calls", "", len(outcomes))),
            )
        )
    columns = (
        "arm", "passed", *(() if facts.few else ("pass@1",)), "unknown", "errors", "stopped", "skipped",
        "median cost", "total cost", "median time", "median turns", "median tool calls",
    )  # fmt: skip
    return table("Each arm", columns, rows)


def _categories(facts: Facts, categories: Sequence[str]) -> Table:
    plan = facts.document.plan
    tasks = Counter(task.category for task in plan.tasks)
    rows = []
    for category in (*categories, None):
        if not tasks[category]:
            continue
        row = [Cell(text=category or "no category"), number(str(tasks[category]))]
        for arm in plan.arms:
            found = rate(facts.by_category[arm][category])
            row.append(
                number(
                    f"{found.passed} of {found.scored}"
                    + (f" ({_share(found).text})" if found.tasks >= CARRIES_PERCENT else "")
                )
            )
        rows.append(tuple(row))
    return table("Each category", ("category", "tasks", *plan.arms), rows)


def _over_k(facts: Facts) -> Table:
    rows = []
    for arm in facts.document.plan.arms:
        by_task = facts.tries[arm]
        for k, found in enumerate(facts.over_k[arm], start=1):
            shown = (
                (UNKNOWN, UNKNOWN) if found is None else tuple(amount(each, "share", n=len(by_task)) for each in found)
            )
            rows.append(
                cells(
                    arm,
                    number(str(k)),
                    *(
                        number(text, None if found is None else exact)
                        for text, exact in zip(shown, found or (0, 0), strict=True)
                    ),
                )
            )
    return table(
        "Chance that one of k runs, or that all of k runs, solve a task", ("arm", "k", "pass@k", "pass^k"), rows
    )


def _noise(facts: Facts) -> Table:
    """Set the noise floor and the difference between arms side by side: the same quantity within an arm and across."""
    arms = facts.document.plan.arms
    by_arm = facts.tries
    rows = [
        cells(f"two runs of {arm}", number(_chance(facts.disagreement[arm], len(by_arm[arm]))), "noise floor")
        for arm in (arms if facts.document.plan.seeds > 1 else ())  # of one run a task nothing is known of a second one
    ]
    copies = _copies(facts)
    for one, other in _pairs(facts):
        kind = "noise floor: both arms are the same" if (one, other) in copies else "between arms"
        rows.append(
            cells(
                f"a run of {one} and one of {other}",
                number(_chance(apart(by_arm[one], by_arm[other]), len(by_arm[one]))),
                kind,
            )
        )
    return table(
        "Chance that two runs of a task disagree: a difference between arms counts only above the noise floor",
        ("which runs", "they disagree", "what it is"),
        rows,
    )


def _pairs(facts: Facts) -> list[tuple[str, str]]:
    """Give every two arms that are held against each other, within each level where there are levels."""
    return [pair for arms in side_by_side(facts.document.plan) for pair in combinations(arms, 2)]


def _copies(facts: Facts) -> set[tuple[str, str]]:
    """Find the A/A pairs: arms that differ in nothing but their name."""
    said = {
        arm.name: (arm.agent, arm.provider, arm.flags, tuple(sorted(arm.env.items())), arm.hide_from_path)
        for arm in facts.document.arms
    }
    return {(one, other) for one, other in _pairs(facts) if one in said and said.get(one) == said.get(other)}


def _went(base: Tries, mine: Tries) -> Cell:
    better = Fraction(*mine) > Fraction(*base)
    return Cell(text="improved" if better else "regressed", tone="good" if better else "bad")


def _share(found: Rate) -> Cell:
    if found.share is None:
        return number(UNKNOWN)
    if found.tasks < CARRIES_PERCENT:
        return number("counts only (n < 6)")
    said = amount(found.share, "share", n=found.tasks)
    if found.ends is not None:
        said += f" ({amount(found.ends[0], 'share', n=found.tasks)} to {amount(found.ends[1], 'share', n=found.tasks)})"
    return number(said, found.share)


def _chance(found: float | None, n: int) -> str:
    return UNKNOWN if found is None else amount(found, "share", n=n)


def _of(each: Tries) -> str:
    return f"{each[0]} of {each[1]}"


def _middle(facts: Facts, arm: str, name: str, unit: str, outcomes: int) -> str:
    """Give the median of the known amounts, beside the number of those that nobody knows."""
    known = [found for place, found in facts.measured[arm, name] if place is not None]
    if not known:
        return UNKNOWN if outcomes else NONE
    unknown = outcomes - len(known)
    return amount(middle(sorted(known)), unit, n=9) + (f" ({unknown} unknown)" if unknown else "")


def _total(of: ArmSummary) -> str:
    """Give the cost of every attempt, lost ones too; what is unknown makes it a known subtotal."""
    if of.cost_usd is None:
        return UNKNOWN if of.cost_unknown else NONE
    said = amount(of.cost_usd, "USD", n=9)
    return f"{said} (known subtotal, {of.cost_unknown} unknown)" if of.cost_unknown else said
