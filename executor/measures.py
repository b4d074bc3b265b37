"""What was measured of one attempt: the agent's numbers, the harness's bracket, the change; unknown is None with a reason."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from executor.ports import AgentEnd, AgentEvent
from ledger.codec import decimal_text
from ledger.plain import Plain

REPORTED = (
    "cost",
    "turns",
    "tokens",
    "input_tokens",
    "output_tokens",
    "cache_read",
    "cache_write",
    "tool_calls",
    "tool_errors",
    "calls_before_first_edit",
    "left_running",
)
"""Facts that only an agent's own record gives."""
_DIGITS = 18
"""So many digits a reported number may have before its point, and zeros behind it: a quintillion of anything is a mistake."""
_TOKENS = ("input_tokens", "output_tokens", "cache_read", "cache_write")
_EDITING = frozenset(
    {
        "apply_patch",
        "edit",
        "file_change",
        "multiedit",
        "notebookedit",
        "replace",
        "str_replace_based_edit_tool",
        "str_replace_editor",
        "write",
        "write_file",
    }
)
"""Names of tools that edit files, in lower case, as headless agents name them."""


def agent_measures(end: AgentEnd, seconds: Decimal) -> tuple[dict[str, Plain], dict[str, str]]:
    """Give (measures, reasons) of an agent's run; ``seconds`` is the harness's bracket around it."""
    found: dict[str, int | Decimal | bool | None] = dict(end.measures)
    for name, count in _counted(end.events).items():
        if found.get(name) is None:
            found[name] = count
    parts = [part for name in _TOKENS if isinstance(part := found.get(name), int)]
    if found.get("tokens") is None and len(parts) == len(_TOKENS):
        found["tokens"] = sum(parts)
    found["time"] = seconds
    measures: dict[str, Plain] = {"terminal_reason": end.terminal_reason, "result_event": end.result_event}
    reasons: dict[str, str] = {}
    for name in dict.fromkeys((*REPORTED, *found)):
        value = found.get(name)
        wrong = None if value is None else _no_amount(name, value)
        if value is None or wrong is not None:
            measures[name] = None
            reasons[name] = wrong or end.reasons.get(name, "the agent does not report it")
        else:
            measures[name] = decimal_text(value) if isinstance(value, Decimal) else value
    if end.terminal_reason is None:
        reasons["terminal_reason"] = end.reasons.get("terminal_reason", "the agent gave no reason for stopping")
    return measures, reasons


def _no_amount(name: str, value: int | Decimal | bool) -> str | None:
    """Say why what an agent reports is no amount; it is unknown then, and never stands in a ledger that nobody could judge."""
    if isinstance(value, bool):
        return f"the agent reports {str(value).lower()}, which is no number" if name in REPORTED else None
    if not _bounded(value):
        return "the agent reports a number that is out of all bounds"
    if value < 0:
        return f"the agent reports {value}, and no amount is negative"
    return None


def _bounded(value: int | Decimal) -> bool:
    if isinstance(value, int):
        return abs(value) < 1 << 53
    small = value == 0 or -_DIGITS <= value.adjusted() < _DIGITS
    return value.is_finite() and small and len(value.as_tuple().digits) <= 2 * _DIGITS


def change_measures(changed: Sequence[str], gold: Sequence[str]) -> dict[str, Plain]:
    """Give what a change shows."""
    return {"files_changed": len(changed), "touched_gold": not set(changed).isdisjoint(gold)}


def unknown_measures(why: str) -> tuple[dict[str, Plain], dict[str, str]]:
    """Give the measures of a trial in which no agent ran: nothing was spent, the rest is unknown."""
    names = ("terminal_reason", "time", *REPORTED, "files_changed", "touched_gold")
    measures: dict[str, Plain] = dict.fromkeys(names)
    measures |= {"result_event": False, "cost": "0"}
    return measures, {name: why for name, value in measures.items() if value is None}


def _counted(events: Sequence[AgentEvent]) -> dict[str, int]:
    """Count tool calls in an agent's own events; nothing when it gives none."""
    calls = [event for event in events if event.kind == "tool_call"]
    if not events:
        return {}
    errors = sum(1 for event in events if event.kind == "tool_result" and event.data.get("error") is True)
    counted = {"tool_calls": len(calls), "tool_errors": errors}
    first = next((n for n, event in enumerate(calls) if edits(event)), None)
    return counted if first is None else {**counted, "calls_before_first_edit": first}


def edits(event: AgentEvent) -> bool:
    """Say whether a tool call edits a file: ``edits`` where the agent's island says so, else by its family, else by the tool's name."""
    said, does = event.data.get("edits"), event.data.get("does")
    if isinstance(said, bool):
        return said
    if does is not None:
        return does == "edit"
    return str(event.data.get("name", "")).lower() in _EDITING


def check_facts(checks: Mapping[str, Mapping[str, Plain]]) -> dict[str, Plain]:
    """Give check results as the flat names that oracle conditions read (``fixed.ok``)."""
    return {f"{name}.{fact}": value for name, facts in checks.items() for fact, value in facts.items()}
