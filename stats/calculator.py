"""The auditor's calculator: one procedure by name on plain inputs, its result as plain data, or a refusal with the reason."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from stats.inputs import Inputs
from stats.number import StatError
from stats.procedures import PROCEDURES


def calculate(procedure: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one procedure of ``PROCEDURES``.

    ``inputs`` is what a JSON document holds: numbers (int, float or Decimal), decimal strings, lists, words. Numbers are read as
    written; where a procedure takes ``arithmetic: float64`` they are read as doubles instead. The result holds finite numbers,
    words, lists and null only. What must not be computed gives ``{"refuse": true, "reason": …}``; nothing is raised for inputs.
    """
    carry_out = PROCEDURES.get(procedure)
    if carry_out is None:
        near = get_close_matches(procedure, PROCEDURES, n=1)
        return _refusal(f"unknown procedure {procedure!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
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
