"""The decision rule, condition by condition: what each read, and whether it holds."""

from collections.abc import Mapping
from decimal import Decimal

from analyzer.document import Facts
from analyzer.figures.gauges import decision as gauges
from analyzer.page import Cell, Section, cells, code, table
from analyzer.reading import tree, value
from analyzer.verdict import Condition, Estimate, Shown, read_of
from analyzer.wording import CARRIES_PERCENT, SMOKE, TOLD, decidable, never_decided, probability, suffix
from stats.number import exact

_HOLDS = {True: Cell(text="holds", tone="good"), False: Cell(text="does not hold", tone="bad")}
_AMOUNTS = frozenset({"estimate", "lower", "upper", "mean", "median"})
"""Values of an endpoint that are in its unit."""
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
    if asked := decidable(verdict):
        rows = [_condition(each, verdict.endpoints) for each in asked]
        tables.insert(0, table("Decided only when all of these hold", ("condition", "what it read", "result"), rows))
    if verdict.gaps:
        rows = [cells(trial, why) for trial, why in verdict.gaps.items()]
        tables.append(
            table("Gaps: trials without a usable outcome; any of them means no verdict", ("trial", "why"), rows)
        )
    return Section(
        id="decision",
        title="Decision rule",
        lead=(
            *((SMOKE,) if never_decided(verdict) else ()),
            "The rule was registered before the run and is applied mechanically.",
            "Numbers are rounded for reading; all their digits stand in verdict.json.",
        ),
        tables=tuple(tables),
        figures=gauges(verdict),
        commands=(f"{facts.document.command}  # judges the ledger again and compares every number",)
        if facts.document.command
        else (),
    )


def _condition(each: Condition, endpoints: Mapping[str, Estimate]) -> tuple[Cell, ...]:
    read, digits = [], []
    rounded = _rounded(each)
    for name, found in sorted(each.values.items(), key=lambda item: each.text.find(item[0])):
        of = read_of(name, endpoints)
        if found is None:
            reason = of.reasons.get(name.rpartition(".")[2]) if of is not None else None
            read.append(f"{name} is unknown" + (f" ({reason})" if reason else ""))
        else:
            tiny = name.endswith(".p") and isinstance(found, float) and found < TOLD
            read.append(f"{name} is {probability(found)}" if tiny else f"{name} = {_in_unit(name, rounded[name], of)}")
            digits.append(f"{name} = {found!r}" if isinstance(found, float) else "")
    return (
        code(each.text),
        Cell(text="; ".join(read), exact="; ".join(filter(None, digits))),
        _HOLDS.get(each.holds, _OPEN) if each.holds is not None else _OPEN,
    )


def _in_unit(name: str, written: str, of: Estimate | None) -> str:
    """Write what a condition read with its unit; of a share that enough tasks carry, in percent as well, as conditions are written."""
    if of is None or name.rpartition(".")[2] not in _AMOUNTS:
        return written
    if of.unit not in ("share", "pp"):
        return f"{written}{suffix(of.unit, float(written))}"
    n, sign = of.values.get("n"), "pp" if of.unit == "pp" else "%"
    return (
        f"{written} ({Decimal(written).scaleb(2):f} {sign})"
        if (isinstance(n, int) and n >= CARRIES_PERCENT)
        else written
    )


def _rounded(each: Condition) -> dict[str, str]:
    """Round what a condition read, to as many digits as it takes for the rounded numbers to give the same answer."""
    for digits in (4, 6, 9):
        shown = {name: _digits(found, digits) for name, found in each.values.items()}
        known = {
            name: None if found is None else exact(shown[name]) if isinstance(found, float) else exact(found)
            for name, found in each.values.items()
            if found is None or isinstance(found, int | float)
        }
        if len(known) == len(each.values) and value(tree(each.text), known) is each.holds:
            return shown
    return {name: repr(found) if isinstance(found, float) else str(found) for name, found in each.values.items()}


def _digits(found: Shown, digits: int) -> str:
    if not isinstance(found, float):
        return str(found)
    return f"{found:.{digits}g}"
