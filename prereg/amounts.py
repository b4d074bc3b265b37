"""One amount of one arm, read out of a ledger for the calculator; what a ledger says is believed here, and checked by the audit."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prereg.calculating import answer

ENDS = ("outcome", "infrastructure", "invalid_environment")
"""The kinds of line that end an attempt."""


def amounts(ledger: Path, arm: str, measure: str, *, attempts: bool) -> dict[str, Any]:
    """Summarize a measure over the trials of an arm, or over all attempts at them; ``unknown`` counts those that do not tell.

    A trial without an outcome tells what its last attempt told. Where it was skipped no agent ran, so it is no attempt.
    Gives ``{"refuse": true, "reason"}`` where there is nothing to summarize.
    """
    arms: dict[str, str] = {}
    told: list[Any] = []
    last: dict[str, Any] = {}
    ended: list[Any] = []
    try:
        for line in _lines(ledger):
            kind, trial = line["kind"], str(line.get("trial"))
            if kind == "claimed":
                arms[trial] = line["arm"]
            if kind not in ENDS or arms.get(trial) != arm:
                continue
            value = line["measures"].get(measure)
            last[trial] = value
            if kind == "outcome":
                ended.append(value)
            if line.get("verdict") != "skipped":
                told.append(value)
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        return {"refuse": True, "reason": f"not a ledger: {fault}"}
    found = told if attempts else list(last.values())
    known = [each for each in found if each is not None]
    if arm not in arms.values():
        return {
            "refuse": True,
            "reason": f"no trial of {arm} in it; its arms: {', '.join(sorted(set(arms.values()))) or 'none'}",
        }
    if not known:
        return {"refuse": True, "reason": f"no {'attempt' if attempts else 'trial'} of {arm} tells {measure}"}
    summed = answer(json.dumps({"procedure": "summary", "inputs": {"x": known}}))
    if "refuse" in summed:
        return summed
    return {**summed, "unknown": len(found) - len(known), **({} if attempts else _drift(ended))}


def _drift(ended: list[Any]) -> dict[str, Any]:
    """Say how the measure drifted over the trials that ended, in their order; nothing where it does not vary."""
    known = [each for each in ended if each is not None]
    found = answer(json.dumps({"procedure": "drift", "inputs": {"x": known}}))
    return {} if "refuse" in found else {"drift": found["rho"]}


def _lines(ledger: Path) -> Iterator[dict[str, Any]]:
    with ledger.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
