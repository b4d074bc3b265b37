"""The ``number`` check: one number that a task had to write, with its unit, against the published one within a fixed tolerance."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from executor.graders.numbers import Measured, Tolerance, Unreadable, inside, number, read_json, read_table, shown
from executor.ports import CheckResult, GradeOrder
from ledger.plain import Plain


class NumberGrader:
    """Reads one number. Without its unit, or as NaN or infinity, it is not within any tolerance."""

    kind: ClassVar[str] = "number"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Compare the number at ``key`` of ``path`` with ``expect``; the unit at ``unit_key`` must be that of ``expect``.

        Facts: ``present`` (there is a finite number), ``within``, and ``difference`` in the unit (unknown without one).
        """
        options = order.check.options
        expected, tolerance = Measured.read(options["expect"]), Tolerance.read(options["tolerance"])
        try:
            said, unit = _read(inside(order.root, str(options["path"])), options)
        except Unreadable as fault:
            return _result(None, within=False, difference=None, detail=str(fault))
        found = number(said)
        if found is None:
            return _result(
                None, within=False, difference=None, detail=f"{options['key']}: {said!r} is no finite number"[:200]
            )
        value = shown(found)
        if unit != expected.unit:
            told = f"the unit is {unit!r}, not {expected.unit!r}"[:200]
            return _result(value, within=False, difference=None, detail=told)
        within = tolerance.within(found, expected.value)
        difference = shown(abs(found - expected.value))
        detail = f"{value} {unit}, {difference} off" + ("" if within else ": not within the tolerance")
        return _result(value, within=within, difference=difference, detail=detail)


def _result(value: str | None, *, within: bool, difference: str | None, detail: str) -> CheckResult:
    facts: dict[str, Plain] = {
        "present": value is not None,
        "within": within,
        "difference": difference,
    }
    return CheckResult(ok=within, facts=facts, detail=detail)


def _read(file: Path, options: Mapping[str, Plain]) -> tuple[object, object]:
    """Give (value, unit). JSON: keys are paths with dots; CSV: keys are columns, and ``row`` says which row."""
    key, unit_key = str(options["key"]), str(options["unit_key"])
    if file.suffix == ".json":
        said = read_json(file)
        return _at(said, key), _at(said, unit_key)
    wanted = options.get("row", {})
    assert isinstance(wanted, Mapping)
    rows = [row for row in read_table(file) if all(str(row.get(name)) == str(value) for name, value in wanted.items())]
    if len(rows) != 1:
        raise Unreadable(f"{file.name} has {len(rows)} such rows, not one")
    return rows[0].get(key), rows[0].get(unit_key)


def _at(said: object, path: str) -> object:
    for step in path.split("."):
        if isinstance(said, dict) and step in said:
            said = said[step]
        elif isinstance(said, list) and step.isdigit() and int(step) < len(said):
            said = said[int(step)]
        else:
            return None
    return said
