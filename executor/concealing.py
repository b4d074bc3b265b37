"""What the ledger may say of an attempt at a private task: amounts, counts, codes and digests; sentences go to the store."""

import re
from dataclasses import replace

from executor.attempt import Observed, TrialOrder
from ledger.canonical import canonical
from ledger.plain import Plain

CONCEALED = "concealed"
"""Name of the artefact that keeps what was left out of the ledger."""

_INSTEAD = "kept in the private store"
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,39}")
"""A reason of a program for stopping (``api_error``); anything longer may be a sentence about the task."""


def conceal(order: TrialOrder, observed: Observed) -> Observed:
    """Leave out of an attempt at a private task whatever may hold a path, a name or a text of it; the rest stays as it is.

    A terminal reason that is no single word becomes unknown, with a reason; it is decided before any registered rule reads it.
    """
    if order.vault is None:
        return observed
    said: dict[str, Plain] = {
        "detail": observed.detail,
        "expected": observed.expected,
        "got": observed.got,
        "reasons": dict(observed.reasons),
        "terminal_reason": observed.measures.get("terminal_reason"),
    }
    measures, reasons = dict(observed.measures), dict.fromkeys(observed.reasons, _INSTEAD)
    terminal = measures.get("terminal_reason")
    if isinstance(terminal, str) and _WORD.fullmatch(terminal) is None:
        measures["terminal_reason"], reasons["terminal_reason"] = None, _INSTEAD
    return replace(
        observed,
        detail=_INSTEAD if observed.detail else "",
        expected=dict.fromkeys(observed.expected, _INSTEAD) if observed.kind == "invalid" else observed.expected,
        got=dict.fromkeys(observed.got, _INSTEAD) if observed.kind == "invalid" else observed.got,
        measures=measures,
        reasons=reasons,
        blobs={**observed.blobs, CONCEALED: order.kept.put(canonical(said))},
    )
