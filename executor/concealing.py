"""What the ledger may say of an attempt at a private task: amounts, counts, codes and digests; sentences go to the store."""

import re
from dataclasses import replace

from compiler.plan import RunPlan
from executor.attempt import Observed, TrialOrder
from ledger.canonical import canonical
from ledger.plain import Plain

CONCEALED = "concealed"
"""Name of the artefact that keeps what was left out of the ledger."""

_INSTEAD = "kept in the private store"
REASONS = frozenset(
    {
        "aborted_streaming",
        "aborted_tools",
        "api_error",
        "budget_exhausted",
        "completed",
        "diverged",
        "error",
        "error_during_execution",
        "format_error",
        "loop_detected",
        "max_turns",
        "prompt_too_long",
        "time_exhausted",
    }
)
"""The reasons for stopping that the shipped agents give, whatever the task."""

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def conceal(order: TrialOrder, observed: Observed, plan: RunPlan) -> Observed:
    """Leave out of an attempt at a private task whatever may hold a path, a name or a text of it; the rest stays as it is.

    An agent may call its reason for stopping what it likes, a word of the task too: one that is neither a common one nor
    asked for by a registered rule becomes unknown, with a reason. It is decided before any rule reads it.
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
    if isinstance(terminal, str) and terminal not in REASONS | _asked_for(plan):
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


def _asked_for(plan: RunPlan) -> frozenset[str]:
    """Give the texts that registered rules and measures compare with: whoever has the plan can read them already."""
    texts = (*(rule.when for rule in plan.rules), *plan.measures.values())
    return frozenset(found[1] for text in texts for found in _LITERAL.finditer(text))
