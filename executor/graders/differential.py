"""The ``differential`` check: columns that a task computed, row by row against those of a reference implementation on the same input."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

from executor.graders.jobs import copied, job, new_place
from executor.graders.numbers import Tolerance, Unreadable, inside, number, read_table, shown
from executor.ports import CheckResult, GradeOrder
from ledger.plain import Plain

Table = list[dict[str, object]]


class DifferentialGrader:
    """Compares two tables, CSV or JSON. What is no finite number on the task's side is not within any tolerance."""

    kind: ClassVar[str] = "differential"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Run ``run``, where given, in a copy of the graded tree; read ``path`` there, and compare it with ``reference``.

        Rows are joined by the columns of ``by``, or by their order. Facts: ``present`` (there is a table with these columns),
        ``within``, ``difference`` (the largest, as a multiple of its tolerance; unknown without one), ``count`` of compared
        values and ``failed`` ones.
        """
        place = new_place(order, "differential")
        with copied(order) as tree:
            try:
                _run(order, tree, place)
                found = read_table(inside(tree, str(order.check.options["path"])))
                # The reference is a held-out file: it is read from the tree that no program of the task has run in.
                wanted = read_table(inside(order.root, str(order.check.options["reference"])))
                compared = _compare(found, wanted, order.check.options)
            except Unreadable as fault:
                facts: dict[str, Plain] = {
                    "present": False,
                    "within": False,
                    "difference": None,
                    "count": 0,
                    "failed": 0,
                }
                return CheckResult(ok=False, facts=facts, detail=str(fault), artefacts=_printed(place))
        return _result(compared, _printed(place))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Value:
    where: str
    off: Fraction | None  # as a multiple of the tolerance; None: no number, or off where no difference is tolerated
    within: bool


def _run(order: GradeOrder, tree: Path, place: Path) -> None:
    """Carry ``run`` out, where given. What an earlier run left must not stand in for the result of this one."""
    run = order.check.options.get("run")
    if run is None:
        return
    inside(tree, str(order.check.options["path"])).unlink(missing_ok=True)
    end = order.sandbox.run(job(order, run, tree, place))
    if end.stopped_by is not None:
        raise Unreadable(f"stopped: over its limit of {end.stopped_by}")
    if end.exit_code != 0:
        raise Unreadable(f"exit status {end.exit_code}")


def _compare(found: Table, wanted: Table, options: Mapping[str, Plain]) -> list[_Value]:
    columns, by = options["columns"], options.get("by", ())
    assert isinstance(columns, Mapping)
    assert isinstance(by, Sequence)
    keys = [str(each) for each in by]
    missing = [name for name in (*keys, *columns) if any(name not in row for row in found)]
    if missing or not found:
        raise Unreadable(f"there is no column {missing[0]}" if missing else "there are no rows")
    here, there = _by_key(found, keys), _by_key(wanted, keys)
    tolerances = {name: Tolerance.read(said) for name, said in columns.items()}
    values = []
    for key in sorted(here.keys() | there.keys()):
        for name, tolerance in tolerances.items():
            where = f"{' '.join(key)} {name}"
            one, other = here.get(key), there.get(key)
            if one is None or other is None:
                values.append(
                    _Value(
                        where=f"{where}: {'missing' if one is None else 'not in the reference'}", off=None, within=False
                    )
                )
            else:
                values.append(_value(where, number(one[name]), number(other[name]), tolerance))
    return values


def _by_key(rows: Table, keys: list[str]) -> dict[tuple[str, ...], dict[str, object]]:
    named = {
        tuple(str(row[key]) for key in keys) if keys else (f"row {place:06}",): row for place, row in enumerate(rows, 1)
    }
    if len(named) != len(rows):
        raise Unreadable(f"{', '.join(keys)} does not tell rows apart")
    return named


def _value(where: str, found: Fraction | None, wanted: Fraction | None, tolerance: Tolerance) -> _Value:
    if found is None or wanted is None:
        return _Value(where=f"{where}: no finite number", off=None, within=False)
    within, width = tolerance.within(found, wanted), tolerance.width(wanted)
    off = abs(found - wanted) / width if width else None if found != wanted else Fraction(0)
    return _Value(where=f"{where}: {shown(found)}, the reference has {shown(wanted)}", off=off, within=within)


def _result(values: list[_Value], printed: Mapping[str, Path]) -> CheckResult:
    bad = [each for each in values if not each.within]
    known = [each.off for each in values if each.off is not None]
    facts: dict[str, Plain] = {
        "present": True,
        "within": not bad,
        "difference": shown(max(known)) if len(known) == len(values) else None,
        "count": len(values),
        "failed": len(bad),
    }
    told = "; ".join([*(each.where for each in bad[:10]), *([f"and {len(bad) - 10} more"] if len(bad) > 10 else [])])
    return CheckResult(ok=not bad, facts=facts, detail=told or f"all {len(values)} values agree", artefacts=printed)


def _printed(place: Path) -> dict[str, Path]:
    return {name: place / name for name in ("stdout", "stderr") if (place / name).is_file()}
