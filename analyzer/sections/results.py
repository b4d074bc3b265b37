"""The results: the decision rule condition by condition, the endpoints with their picture, the breakdowns."""

from collections.abc import Iterator, Mapping, Sequence

from analyzer.document import Facts
from analyzer.page import Cell, Section, Strip, Table, cells, code, number, table
from analyzer.verdict import Condition, Estimate, Shown
from analyzer.wording import CARRIES_PERCENT, NONE, amount, figure, plural, probability

_HOLDS = {True: Cell(text="holds", tone="good"), False: Cell(text="does not hold", tone="bad")}
_UNTOLD = frozenset(
    {"mean", "median", "arms", "counts", "signs", "level", "n_used", "n_zero", "attainable_p", "achieved_level"}
)
"""Values that are unknown whenever the estimate is; their reason need not be told again."""
_OPEN = Cell(text="cannot be decided", tone="open")


def decision(facts: Facts) -> Section:
    """Show the registered rule, each condition with the values it read."""
    verdict = facts.document.verdict
    tables = [
        table(
            "Supported only when all of these hold",
            ("condition", "what it read", "result"),
            [_condition(each, verdict.endpoints) for each in verdict.conditions],
        )
    ]
    if verdict.decidable:
        rows = [_condition(each, verdict.endpoints) for each in verdict.decidable]
        tables.insert(0, table("Decided only when all of these hold", ("condition", "what it read", "result"), rows))
    if verdict.gaps:
        rows = [cells(trial, why) for trial, why in verdict.gaps.items()]
        tables.append(
            table("Gaps: trials without a usable outcome; any of them means no verdict", ("trial", "why"), rows)
        )
    return Section(
        id="decision",
        title="Decision rule",
        lead=("The rule was registered before the run and is applied mechanically.",),
        tables=tuple(tables),
    )


def endpoints(facts: Facts) -> Section:
    """Show every endpoint: estimate, interval, p, n, the median beside the mean, and what to beware of."""
    estimated = facts.document.verdict.endpoints
    found = [estimated[each.name] for each in facts.document.plan.endpoints]
    compared = [each for each in found if "estimate" in each.values]
    single = [each for each in found if "estimate" not in each.values]
    tables = [
        table(
            "Compared between arms, one value a task",
            ("endpoint", "role", "estimate", "interval", "p", "n", "mean", "median"),
            [_compared(each) for each in compared],
            empty="no endpoint compares arms",
        )
    ]
    arms = facts.document.plan.arms
    if any("counts" in each.values for each in found):
        rows = [_counts(each, arms) for each in found if isinstance(each.values.get("counts"), Mapping)]
        tables.append(table("Tasks with a yes", ("endpoint", *arms, "arms differ on"), rows))
    if single:
        tables.append(
            table(
                "Each arm by itself; unpaired, no claim rests on it",
                ("endpoint", "role", *arms),
                [_single(each, arms) for each in single],
            )
        )
    tables += [_breakdown(each) for each in found if each.by]
    asked = {each.name for each in facts.document.plan.endpoints if each.show == "each-task"}
    tables += [
        _each_task(each, [task.id for task in facts.document.plan.tasks]) for each in found if each.name in asked
    ]
    return Section(
        id="endpoints",
        title="Endpoints",
        lead=("The interval first, the p-value second.",),
        points=tuple(f"{each.name}: {note}" for each in found for note in (*each.notes, *_reasons(each))),
        tables=tuple(tables),
        strips=tuple(strip for each in compared if (strip := _strip(each)) is not None),
    )


def _condition(each: Condition, endpoints: Mapping[str, Estimate]) -> tuple[Cell, ...]:
    read = []
    for name, value in sorted(each.values.items(), key=lambda item: each.text.find(item[0])):
        if value is None:
            endpoint, _, field = name.partition(".")
            reason = endpoints[endpoint].reasons.get(field) if endpoint in endpoints else None
            read.append(f"{name} is unknown" + (f" ({reason})" if reason else ""))
        else:
            read.append(f"{name} = {_exactly(value)}")
    return (
        code(each.text),
        Cell(text="; ".join(read)),
        _HOLDS.get(each.holds, _OPEN) if each.holds is not None else _OPEN,
    )


def _exactly(value: Shown) -> str:
    """Write what a condition read so that it can be checked: all digits."""
    return repr(value) if isinstance(value, float) else str(value)


def _compared(each: Estimate) -> tuple[Cell, ...]:
    values = each.values
    n = _whole(values.get("n"))
    p = values.get("p")
    said = probability(p) if "p" in values else NONE
    if "p_adjusted" in values:
        said += f" (Holm: {probability(values['p_adjusted'])})"
    return (
        code(each.name),
        Cell(text=each.role),
        number(_estimate(each, n)),
        number(_interval(values, each.unit, n)),
        number(said),
        number(_n(values)),
        number(amount(values.get("mean"), each.unit, n=n, signed=True)),
        number(amount(values.get("median"), each.unit, n=n, signed=True)),
    )


def _estimate(each: Estimate, n: int) -> str:
    values = each.values
    found = values.get("estimate")
    known = values.get("known")
    if found is None and isinstance(known, Mapping):
        return f"unknown; known tasks alone: {amount(known.get('estimate'), each.unit, n=n, signed=True)}"
    if n < CARRIES_PERCENT and isinstance(values.get("counts"), Mapping) and isinstance(found, int | float):
        return f"{round(found * n):+d} of {n} tasks"
    return amount(found, each.unit, n=n, signed=True)


def _interval(values: Mapping[str, Shown], unit: str, n: int) -> str:
    if "lower" not in values:
        return NONE
    lower, upper, level = values["lower"], values["upper"], values.get("level")
    if lower is None or upper is None:
        return "unknown"
    if n < CARRIES_PERCENT and unit in ("share", "pp"):
        return "counts only (n < 6)"
    share = f", {figure(float(level) * 100)} %" if isinstance(level, int | float) else ""
    return f"{amount(lower, unit, n=n, signed=True)} to {amount(upper, unit, n=n, signed=True)}{share}"


def _n(values: Mapping[str, Shown]) -> str:
    said = str(values.get("n"))
    for key, word in (("unknown", "unknown"), ("left_out", "left out")):
        if values.get(key):
            said += f", {values[key]} {word}"
    return said


def _counts(each: Estimate, arms: tuple[str, ...]) -> tuple[Cell, ...]:
    counts = each.values["counts"]
    assert isinstance(counts, Mapping)
    n = each.values.get("n")
    shown = [number(f"{counts[arm]} of {n}" if counts.get(arm) is not None else "unknown") for arm in arms]
    discordant = each.values.get("discordant")
    return (code(each.name), *shown, number(plural(discordant, "task") if isinstance(discordant, int) else NONE))


def _single(each: Estimate, arms: tuple[str, ...]) -> tuple[Cell, ...]:
    values, known = each.values.get("arms"), each.values.get("known")
    n = _whole(each.values.get("n"))
    row: list[Cell] = [code(each.name), Cell(text=each.role)]
    for arm in arms:
        found = values.get(arm) if isinstance(values, Mapping) else None
        said = amount(found, each.unit, n=n)
        if found is None and isinstance(known, Mapping):
            part = known.get("arms")
            if isinstance(part, Mapping) and part.get(arm) is not None:
                said = f"unknown; known trials alone: {amount(part[arm], each.unit, n=n)}"
        bounds = each.values.get("intervals")
        if isinstance(bounds, Mapping) and isinstance(ends := bounds.get(arm), Mapping) and n >= CARRIES_PERCENT:
            said += f" ({amount(ends['lower'], each.unit, n=n)} to {amount(ends['upper'], each.unit, n=n)})"
        row.append(number(said))
    return tuple(row)


def _breakdown(each: Estimate) -> Table:
    rows = []
    for level, values in each.by.items():
        n = _whole(values.get("n"))
        notes = values.get("notes")
        part = Estimate(name=level, role="", unit=each.unit, values=values)
        rows.append(
            (
                Cell(text=level),
                number(_estimate(part, n)),
                number(_interval(values, each.unit, n)),
                number(probability(values["p"]) if "p" in values else NONE),
                number(_n(values)),
                Cell(text="; ".join(str(note) for note in notes) if isinstance(notes, list) else ""),
            )
        )
    return table(f"{each.name} within each level", ("level", "estimate", "interval", "p", "n", "notes"), rows)


def _each_task(each: Estimate, order: Sequence[str]) -> Table:
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
        shown = [number(amount(row.get(name), "", n=1)) for name in names]
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


def _strip(each: Estimate) -> Strip | None:
    """Lay an endpoint out on a line of its own unit, from the smallest to the largest of all that is shown.

    Where the arms say yes or no, a task's difference is -1, 0 or 1; their counts say more than three dots.
    """
    values = each.values
    differences = [] if "counts" in values else [row.get("difference") for row in each.tasks.values()]
    dots = [float(found) for found in differences if isinstance(found, int | float)]
    ends = [float(found) for key in ("estimate", "lower", "upper") if isinstance(found := values.get(key), int | float)]
    if not dots and not ends:
        return None
    low, high = min([*dots, *ends, 0.0]), max([*dots, *ends, 0.0])
    if low == high:
        return None
    n = _whole(values.get("n"))

    def place(found: Shown) -> float | None:
        return (float(found) - low) / (high - low) if isinstance(found, int | float) else None

    interval = _interval(values, each.unit, n)
    return Strip(
        label=each.name,
        says=f"{each.name}: estimate {_estimate(each, n)}, interval {interval}, {plural(n, 'task')}",
        dots=tuple(sorted(place(dot) or 0.0 for dot in dots)),
        zero=place(0.0),
        estimate=place(values.get("estimate")),
        lower=place(values.get("lower")),
        upper=place(values.get("upper")),
        left=amount(low, each.unit, n=n, signed=True),
        right=amount(high, each.unit, n=n, signed=True),
    )


def _whole(value: Shown) -> int:
    return value if isinstance(value, int) else 0
