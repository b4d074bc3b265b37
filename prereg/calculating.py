"""The auditor's calculator as a line in and a line out: the procedures of ``stats``, and an arm's registered expression."""

import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from analyzer.reading import tree, value
from ledger.errors import IntegrityFault
from spec_lang.expr.ast import reads
from spec_lang.expr.values import UNKNOWN, Column, Value
from stats.calculator import calculate
from stats.number import RATIO, StatError, exact

_KEYS = {"procedure", "inputs"}
_SHAPE = 'a line is {"procedure": "…", "inputs": {…}}, with "of" beside them for a name that the answer repeats'


def answer(line: str) -> dict[str, Any]:
    """Compute one line; what must not be computed gives ``{"refuse": true, "reason"}``. ``of`` stands in the answer as given."""
    try:
        asked = json.loads(line, parse_float=Decimal, parse_constant=_refuse)
    except ValueError as fault:
        return _refusal(f"not a JSON line: {fault}")
    if not isinstance(asked, Mapping) or set(asked) - {"of"} != _KEYS or not isinstance(asked["inputs"], Mapping):
        return _refusal(_SHAPE)
    if not isinstance(asked.get("of", ""), str):
        return _refusal("of is a name")
    procedure, inputs = asked["procedure"], asked["inputs"]
    found = _per_arm(inputs) if procedure == "per_arm" else calculate(str(procedure), inputs)
    return {"of": asked["of"], **found} if "of" in asked else found


def _per_arm(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Compute an expression over columns, one value a trial or an attempt each: ``sum(cost) / count(solved)``."""
    expression, columns = inputs.get("expression"), inputs.get("columns")
    if set(inputs) != {"expression", "columns"} or not isinstance(expression, str) or not isinstance(columns, Mapping):
        return _refusal("per_arm takes an expression and its columns")
    try:
        node = tree(expression)
        if set(reads(node)) != set(columns):
            return _refusal(f"the expression reads {', '.join(reads(node)) or 'nothing'}")
        found = value(node, {name: Column(tuple(map(_cell, column))) for name, column in columns.items()})
    except IntegrityFault as fault:
        return _refusal(f"not an expression: {fault.reasons[0].got}")
    except (StatError, TypeError) as fault:
        return _refusal(str(fault))
    if found is None:
        return _refusal("it is unknown: a value is, or it divides by zero")
    if isinstance(found, Fraction):
        return {"value": float(found), "exact": f"{found.numerator}/{found.denominator}"}
    return {"value": found}


def _cell(written: Any) -> Value:
    """Read a value: null is unknown, and of texts ``1/3`` alone is a number."""
    if written is None:
        return UNKNOWN
    if isinstance(written, bool) or (isinstance(written, str) and not RATIO.fullmatch(written)):
        return written
    return exact(written)


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _refusal(reason: str) -> dict[str, Any]:
    return {"refuse": True, "reason": reason}
