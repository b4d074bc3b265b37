"""The results: the endpoints with their picture, the breakdowns, the tasks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.document import Facts
from analyzer.figures.estimates import estimates
from analyzer.page import Cell, Section, Table, code, number, table
from analyzer.sections.costs import one_sided
from analyzer.sections.worked import measured_in, terms, worked
from analyzer.verdict import Estimate, Shown
from analyzer.wording import (
    CARRIES_PERCENT,
    NONE,
    amount,
    figure,
    plural,
    probability,
)

_UNTOLD = frozenset(
    {
        "mean",
        "median",
        "arms",
        "counts",
        "signs",
        "level",
        "n_used",
        "n_zero",
        "attainable_p",
        "p_method",
        "achieved_level",
    }
)
"""Values that are unknown whenever the estimate is; their reason need not be told again."""
_CORRECTIONS = {"holm": "Holm", "fixed-sequence": "fixed sequence"}


def endpoints(facts: Facts) -> Section:
    """Show every endpoint: estimate, interval, p, n, the median beside the mean, and what to beware of."""
    estimated, post_hoc = facts.document.verdict.endpoints, facts.document.verdict.post_hoc
    found = [_labelled(estimated[each.name], post_hoc) for each in facts.document.plan.endpoints]
    compared = [each for each in found if "estimate" in each.values]
    single = [each for each in found if "estimate" not in each.values]
    tables = [
        table(
            "Compared between arms, one value a task",
            ("endpoint", "role", "estimate", "interval", "p", "n", "mean", "median"),
            [_compared(each, facts.document.plan.decision.correction) for each in compared],
            empty="no endpoint compares arms",
        )
    ]
    arms = facts.document.plan.arms
    if counted := [each for each in found if isinstance(each.values.get("counts"), Mapping)]:
        paired = any(isinstance(each.values.get("discordant"), int) for each in counted)
        headings = ("endpoint", *arms, *(("arms differ on",) if paired else ()))
        tables.append(table("Tasks with a yes", headings, [_counts(each, arms, paired=paired) for each in counted]))
    hidden = facts.document.verdict.not_compared if one_sided(facts) is not None else {}
    if single:
        tables.append(
            table(
                "Each arm by itself; unpaired, no claim rests on it",
                ("endpoint", "role", *arms),
                [_single(each, arms, shown=each.name not in hidden) for each in single],
            )
        )
    tables += [_breakdown(each) if "estimate" in each.values else _by_arm(each, arms) for each in found if each.by]
    shown = [each for each in facts.document.plan.endpoints if each.show == "each-task" and each.name not in hidden]
    asked, order = {each.name: measured_in(each) for each in shown}, [task.id for task in facts.document.plan.tasks]
    tables += [_each_task(each, order, asked[each.name]) for each in found if each.name in asked]
    tables.append(worked(facts))
    return Section(
        id="endpoints",
        title="Endpoints",
        lead=tuple(terms(compared)),
        points=(
            *(f"{name}: post hoc, {why}" for name, why in post_hoc.items()),
            *(f"{each.name}: {note}" for each in found for note in (*each.notes, *_reasons(each))),
        ),
        tables=tuple(tables),
        figures=estimates(compared),
    )


def _compared(each: Estimate, correction: str | None) -> tuple[Cell, ...]:
    values = each.values
    n = _whole(values.get("n"))
    p = values.get("p")
    said = probability(p) if "p" in values else NONE
    if "p_adjusted" in values:
        said += f" ({_CORRECTIONS.get(str(correction), 'adjusted')}: {probability(values['p_adjusted'])})"
    return (
        code(each.name),
        Cell(text=each.role),
        number(estimated(each, n), values.get("estimate")),
        Cell(text=interval_of(values, each.unit, n), tone="number", exact=_exact_ends(values)),
        number(said, p),
        number(_n(values)),
        number(amount(values.get("mean"), each.unit, n=n, signed=True), values.get("mean")),
        number(amount(values.get("median"), each.unit, n=n, signed=True), values.get("median")),
    )


def estimated(each: Estimate, n: int) -> str:
    """Write an estimate, or what is known of it; where few tasks carry no share, as a count."""
    values = each.values
    found = values.get("estimate")
    known = values.get("known")
    if found is None and isinstance(known, Mapping) and known.get("estimate") is not None:
        return f"unknown; known tasks alone: {amount(known.get('estimate'), each.unit, n=n, signed=True)}"
    if n < CARRIES_PERCENT and isinstance(values.get("counts"), Mapping) and isinstance(found, int | float):
        return f"{round(found * n):+d} of {n} tasks"
    return amount(found, each.unit, n=n, signed=True)


def interval_of(values: Mapping[str, Shown], unit: str, n: int) -> str:
    """Write an interval with its level."""
    if "lower" not in values:
        return NONE
    lower, upper, level = values["lower"], values["upper"], values.get("level")
    if lower is None or upper is None:
        return "unknown"
    if n < CARRIES_PERCENT and unit in ("share", "pp"):
        return "counts only (n < 6)"
    share = f", {figure(float(level) * 100)} %" if isinstance(level, int | float) else ""
    return f"{amount(lower, unit, n=n, signed=True)} to {amount(upper, unit, n=n, signed=True)}{share}"


def _exact_ends(values: Mapping[str, Shown]) -> str:
    ends = [values.get("lower"), values.get("upper")]
    return " to ".join(repr(end) for end in ends) if all(isinstance(end, float) for end in ends) else ""


def _n(values: Mapping[str, Shown]) -> str:
    said = str(values.get("n"))
    for key, word in (("unknown", "unknown"), ("left_out", "left out")):
        if values.get(key):
            said += f", {values[key]} {word}"
    return said


def _counts(each: Estimate, arms: tuple[str, ...], *, paired: bool) -> tuple[Cell, ...]:
    """Show how many tasks each arm has a yes on; on how many two arms differ is worked out only where an endpoint compares them."""
    counts = each.values["counts"]
    assert isinstance(counts, Mapping)
    n = each.values.get("n")
    said = {arm: "unknown" if count is None else f"{count} of {n}" for arm, count in counts.items()}
    shown = [number(said.get(arm, NONE)) for arm in arms]
    discordant = each.values.get("discordant")
    differ = plural(discordant, "task") if isinstance(discordant, int) else "not compared"
    return (code(each.name), *shown, *((number(differ),) if paired else ()))


def _labelled(each: Estimate, post_hoc: Mapping[str, str]) -> Estimate:
    return replace(each, role=f"{each.role}, post hoc") if each.name in post_hoc else each


def _single(each: Estimate, arms: tuple[str, ...], *, shown: bool = True) -> tuple[Cell, ...]:
    if not shown:  # one arm alone has a measured cost: it is set beside nothing
        return (code(each.name), Cell(text=each.role), *(number("not compared") for _ in arms))
    values, known = each.values.get("arms"), each.values.get("known")
    n = _whole(each.values.get("n"))
    counts = each.values.get("counts")
    row: list[Cell] = [code(each.name), Cell(text=each.role)]
    for arm in arms:
        found = values.get(arm) if isinstance(values, Mapping) else None
        said = amount(found, each.unit, n=n)
        if n < CARRIES_PERCENT and isinstance(counts, Mapping) and counts.get(arm) is not None:
            said = f"{counts[arm]} of {n}"
        if found is None and isinstance(known, Mapping):
            part = known.get("arms")
            if isinstance(part, Mapping) and part.get(arm) is not None:
                said = f"unknown; known {_part(known, arm)} alone: {amount(part[arm], each.unit, n=n)}"
                yes = known.get("counts")
                if n < CARRIES_PERCENT and isinstance(yes, Mapping) and yes.get(arm) is not None:
                    said = f"unknown; of the known trials {yes[arm]} with a yes"
        bounds = each.values.get("intervals")
        if isinstance(bounds, Mapping) and isinstance(ends := bounds.get(arm), Mapping) and n >= CARRIES_PERCENT:
            said += f" ({amount(ends['lower'], each.unit, n=n)} to {amount(ends['upper'], each.unit, n=n)})"
        row.append(number(said))
    return tuple(row)


def _part(known: Mapping[str, Shown], arm: str) -> str:
    """Say what a known part is of: all trials that are known, or so many attempts at so many trials."""
    attempts, trials = known.get("attempts"), known.get("trials")
    if not isinstance(attempts, Mapping) or not isinstance(trials, Mapping):
        return "trials"
    return f"{plural(_whole(attempts[arm]), 'attempt')} at {plural(_whole(trials[arm]), 'trial')}"


def _breakdown(each: Estimate) -> Table:
    rows = []
    for level, values in each.by.items():
        n = _whole(values.get("n"))
        notes = values.get("notes")
        part = Estimate(name=level, role="", unit=each.unit, values=values)
        rows.append(
            (
                Cell(text=level),
                number(estimated(part, n)),
                number(interval_of(values, each.unit, n)),
                number(probability(values["p"]) if "p" in values else NONE),
                number(_n(values)),
                Cell(text="; ".join(str(note) for note in notes) if isinstance(notes, list) else ""),
            )
        )
    return table(f"{each.name}, broken down", ("of", "estimate", "interval", "p", "n", "notes"), rows)


def _by_arm(each: Estimate, arms: tuple[str, ...]) -> Table:
    rows = []
    for group, values in each.by.items():
        part = Estimate(name=group, role="", unit=each.unit, values=values)
        rows.append((Cell(text=group), number(_n(values)), *_single(part, arms)[2:]))
    return table(f"{each.name}, broken down", ("of", "n", *arms), rows)


def _each_task(each: Estimate, order: Sequence[str], unit: str) -> Table:
    """Lay an endpoint out task by task; what changed between the arms stands in the last column."""
    tasks = [task for task in order if task in each.tasks]
    names = [
        name
        for name in dict.fromkeys(name for task in tasks for name in sorted(each.tasks[task]))
        if name not in ("difference", "why")
    ]
    compared = any("difference" in each.tasks[task] for task in tasks)
    rows = []
    for task in tasks:
        row = each.tasks[task]
        shown = [number(amount(row.get(name), unit, n=1)) for name in names]
        if compared:
            why = f" ({row['why']})" if "why" in row else ""
            shown.append(number(amount(row.get("difference"), "", n=1, signed=True) + why))
        rows.append((Cell(text=task), *shown))
    return table(f"{each.name}, task by task", ("task", *names, *(("difference",) if compared else ())), rows)


def _reasons(each: Estimate) -> Iterator[str]:
    """Say each reason once, for those of its values that a reader looks for."""
    names: dict[str, dict[str, None]] = {}
    for name in sorted(each.reasons):
        word = {"lower": "interval", "upper": "interval", "p_adjusted": "adjusted p"}.get(name, name)
        if name in _UNTOLD:
            continue
        names.setdefault(each.reasons[name], {})[word] = None
    for reason, those in names.items():
        yield f"no {', '.join(those)}: {reason}"


def _whole(value: Shown) -> int:
    return value if isinstance(value, int) else 0
