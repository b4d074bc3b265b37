"""The ``trace`` check: rules over what an agent did, in order; an agent whose work is not seen is judged by none of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from executor.graders.trace_events import Moment, is_seen, read_moments
from executor.graders.trace_rules import Broken, judge
from executor.ports import CheckResult, GradeOrder
from ledger.plain import Plain

_COUNTED: Mapping[str, str] = {
    "reads": "read",
    "edits": "edit",
    "shell_calls": "shell",
    "searches": "search",
    "mcp_calls": "mcp",
}


class TraceGrader:
    """Judges the stream of events, never its texts by a model. No text of it stands in what is told: rules, numbers and names of tools."""

    kind: ClassVar[str] = "trace"
    reads_stream: ClassVar[bool] = True

    def grade(self, order: GradeOrder) -> CheckResult:
        """Hold every rule against the stream. Without anything of the agent's own in it the check cannot be told."""
        if not is_seen(order.events):
            return CheckResult(ok=None, detail="the agent's stream is not seen: nothing can be told of what it did")
        moments = read_moments(order.events, order.answer)
        rules = order.check.options["rules"]
        assert isinstance(rules, Sequence)
        broken = [found for rule in rules if isinstance(rule, Mapping) and (found := judge(rule, moments)) is not None]
        facts: dict[str, Plain] = {
            **_counts(moments),
            "failed": len(broken),
            "broken": [{"rule": each.rule, "event": each.at} for each in broken],
        }
        detail = "; ".join(map(str, broken)) or f"{len(rules)} rules hold over {len(order.events)} events"
        return CheckResult(
            ok=not broken, facts=facts, detail=detail, artefacts={"trace": _written(order, moments, broken)}
        )


def _counts(moments: Sequence[Moment]) -> dict[str, Plain]:
    calls = [each for each in moments if each.what == "call" and not each.refused]
    counts: dict[str, Plain] = {name: sum(each.does == does for each in calls) for name, does in _COUNTED.items()}
    reads = [each for each in calls if each.does == "read"]
    return {
        "calls": len(calls),
        **counts,
        "ranged_reads": sum(each.ranged for each in reads),
        "whole_reads": sum(not each.ranged for each in reads),
        "refused": sum(each.what == "refused" for each in moments),
        "cancelled": sum(each.what == "cancelled" for each in moments),
    }


def _written(order: GradeOrder, moments: Sequence[Moment], broken: Sequence[Broken]) -> Path:
    """Write down what was seen, without a text, for whoever wants to follow a rule."""
    number = len(list(order.scratch.glob("trace-*.json"))) + 1
    file = order.scratch / f"trace-{number}.json"
    told = [_plain(each) for each in moments]
    rules = [{"rule": each.rule, "event": each.at, "why": each.why} for each in broken]
    file.write_text(json.dumps({"moments": told, "broken": rules}, indent=1), "utf-8")
    return file


def _plain(moment: Moment) -> dict[str, Plain]:
    if moment.what != "call":
        return {"event": moment.number, "what": moment.what}
    about: dict[str, Plain] = {
        "tool": moment.tool,
        "does": moment.does,
        "refused": moment.refused,
        "failed": moment.failed,
    }
    if moment.does == "read":
        about |= {"path": moment.path, "part": dict(moment.part)}
    return {"event": moment.number, "what": moment.what, **about}
