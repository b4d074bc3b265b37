"""Compare two verdict documents: words exactly, numbers to 1e-9."""

import json
import math
from collections.abc import Iterator
from typing import Any

from ledger.errors import Fault

NEARNESS = 1e-9
"""Relative, and absolute near zero; libraries differ in the last bits between machines."""


def apart(stored: bytes, again: bytes) -> tuple[Fault, ...]:
    """List what differs between the stored verdict and the one computed again; nothing when they are near enough."""
    if stored == again:
        return ()
    return tuple(
        Fault(
            code="another-result",
            what=f"computing the verdict again gives another {where}",
            expected=json.dumps(old, ensure_ascii=False),
            got=json.dumps(new, ensure_ascii=False),
            where=f"verdict.json: {where}",
        )
        for where, old, new in _apart(json.loads(stored), json.loads(again), "")
    )


def near(one: float, other: float) -> bool:
    """Say whether two numbers are the same to 1e-9."""
    return math.isclose(one, other, rel_tol=NEARNESS, abs_tol=NEARNESS)


def _apart(old: Any, new: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _apart(old.get(key), new.get(key), f"{where}.{key}" if where else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _apart(left, right, f"{where}[{place}]")
    elif _number(old) and _number(new):
        if not near(old, new):
            yield where, old, new
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield where, old, new


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
