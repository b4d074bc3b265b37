"""The auditor's calculator: one procedure by name on plain inputs, its result as plain data, or a refusal with the reason."""

from collections.abc import Mapping
from typing import Any

from stats.inputs import Inputs, hint
from stats.number import StatError
from stats.procedures import PROCEDURES


def calculate(procedure: object, inputs: object) -> dict[str, Any]:
    """Carry out one procedure of ``PROCEDURES``, given by name.

    ``inputs`` is what a JSON document holds: numbers (int, float or Decimal), decimal strings, lists, words. Numbers are read as
    written; where a procedure takes ``arithmetic: float64`` they are read as doubles instead. The result holds finite numbers,
    words, lists and null only. What must not be computed gives ``{"refuse": true, "reason": …}``; nothing is raised for inputs.
    """
    if not isinstance(procedure, str) or not isinstance(inputs, Mapping):
        return _refusal("a calculation is a procedure's name and an object of inputs")
    carry_out = PROCEDURES.get(procedure)
    if carry_out is None:
        return _refusal(f"unknown procedure {procedure!r}{hint(procedure, PROCEDURES)}")
    given = Inputs(inputs)
    try:
        result = carry_out(given)
        given.refuse_unread()
    except StatError as refusal:
        return _refusal(str(refusal))
    except OverflowError:
        return _refusal("out of range of the doubles")
    return result


def _refusal(reason: str) -> dict[str, Any]:
    return {"refuse": True, "reason": reason}
