"""Missing-data rules: no choice by outcome, and no value put in that is not registered."""

from collections.abc import Iterator

from compiler.checks.subject import Subject, each, fault
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Call, Comparison, Expression, Name, Node, Text, children, reads
from spec_lang.expr.evaluate import evaluate
from spec_lang.expr.values import Value
from spec_lang.model import MissingRule, Spec

CODES = {
    "P331": "a missing-data rule that reads an outcome",
    "P332": "a cost put in by a limit that is not registered",
    "P333": "a missing-data rule whose case an earlier rule takes",
    "P334": "a retry of a trial that used up its limits",
}

OUTCOMES = frozenset(
    {
        "verdict", "judgment", "cost", "time", "turns", "tokens", "input_tokens", "output_tokens", "cache_read",
        "cache_write", "tool_calls", "tool_errors", "calls_before_first_edit", "files_changed", "touched_gold",
    }
)  # fmt: skip
"""Trial facts that say how well the trial went. How it stopped, and whether the harness worked, are not among them."""

ABSENT = {"verdict": "skipped", "judgment": "unjudged"}
"""The one value of an outcome that says there is none."""


def check_missing(subject: Subject) -> Iterator[Diagnostic]:
    """Rules say what a gap means before anybody sees one.

    1. ``when`` reads no outcome: a rule that retries or drops trials by how they went makes any result.
       ``known(x)`` may be asked of anything; so may ``verdict == "skipped"`` and ``judgment == "unjudged"``.
    2. ``limits.cost`` and ``limits.turns`` are read only where the agent has that limit.
    3. A rule that asks how the attempt stopped retries none that used up its limits: that is a result, and a second try of it another
       experiment (seed row F8).
    4. No rule about a way of stopping stands behind a retry that takes it first: a timeout, say, has no result event, so
       ``not result_event`` before ``stop == "timeout"`` would repeat what the author wants counted (seed row N13).
    """
    outcomes = outcome_names(subject.spec)
    for rule in subject.spec.missing.rules:
        yield from _outcome(subject, rule, outcomes)
        yield from _limits(subject, rule)
        yield from _second_try(rule)
    yield from _taken_before(subject)


def outcome_names(spec: Spec) -> frozenset[str]:
    """Give every name a trial condition must not read: outcomes, what endpoints measure, and measures built on either.

    What only a manipulation check measures (did the treatment run?) says nothing of how well the trial went.
    """
    found = set(OUTCOMES)
    for endpoint in spec.endpoints.values():
        if endpoint.role != "manipulation-check":
            read = (endpoint.measure,) if endpoint.measure else ()
            per_arm = reads(endpoint.per_arm.tree) if endpoint.per_arm else ()
            found |= {name for name in (*read, *per_arm) if name in spec.collect or name in spec.measures}
    growing = True
    while growing:
        more = {
            name for name in spec.measures if name not in found and set(read_names(spec.measures[name].tree)) & found
        }
        found |= more
        growing = bool(more)
    return frozenset(found)


def read_names(node: Node) -> tuple[str, ...]:
    """Give the names whose values a condition reads, leaving out what only asks whether a value is there."""
    return tuple(dict.fromkeys(name.text for name in _read(node)))


def _read(node: Node) -> Iterator[Name]:
    match node:
        case Name():
            yield node
        case Call(name=name) if name.text == "known":
            return
        case Comparison(sign="==" | "!=", left=Name() as name, right=Text(value=value)) if (
            ABSENT.get(name.text) == value
        ):
            return
        case _:
            for part in children(node):
                yield from _read(part)


def _outcome(subject: Subject, rule: MissingRule, outcomes: frozenset[str]) -> Iterator[Diagnostic]:
    endpoints = set(subject.spec.endpoints)
    for name in _read(rule.when.tree):
        first = name.parts[0]
        if name.text in outcomes or (first in endpoints and len(name.parts) > 1):
            kind = "the outcome" if name.text in outcomes else "the endpoint"
            yield fault(
                "P331",
                f"missing-data rule `{rule.rule}` reads {kind} `{name.text if name.text in outcomes else first}`",
                rule.when.where(name),
                detail="a rule that treats trials by how they went can make any result",
                hint="ask how the attempt stopped (stop, terminal_reason, result_event, environment_ok), or known(x)",
            )
            return


def _limits(subject: Subject, rule: MissingRule) -> Iterator[Diagnostic]:
    limits = subject.spec.agent.limits
    absent = {f"limits.{key}" for key in ("cost", "turns") if getattr(limits, key) is None}
    said: list[Expression] = [rule.when, *((rule.value or {})[name] for name in each(rule.value or {}))]
    for expression in said:
        for node in _read(expression.tree):
            if node.text in absent:
                key = node.parts[1]
                summary = f"`{node.text}` is read, and the agent has no {key} limit"
                hint = f"add agent: {{limits: {{{key}: …}}}}"
                yield fault("P332", summary, expression.where(node), hint=hint)


def _second_try(rule: MissingRule) -> Iterator[Diagnostic]:
    if rule.retry is None or "stop" not in read_names(rule.when.tree):
        return
    for stop in ("timeout", "limit"):
        for told in (False, True):
            facts: dict[str, Value] = {"stop": stop, "result_event": told, "environment_ok": True}
            if evaluate(rule.when.tree, facts) is True:
                yield fault(
                    "P334",
                    f"rule `{rule.rule}` retries a trial that stopped by {stop}",
                    rule.when.span,
                    detail="an agent that used up its limits has had its one scored attempt: a second one is another experiment",
                    hint="retry what was no attempt of the agent: not result_event, environment_ok, terminal_reason",
                )
                return


STOPS = ("timeout", "limit", "error", "cancelled", "no-result")
"""The ways of stopping that leave no result event behind."""


def _taken_before(subject: Subject) -> Iterator[Diagnostic]:
    rules = subject.spec.missing.rules
    for stop in STOPS:
        facts: dict[str, Value] = {"stop": stop, "result_event": False, "environment_ok": True}
        matching = [(n, rule) for n, rule in enumerate(rules) if evaluate(rule.when.tree, facts) is True]
        first = matching[0][1] if matching else None
        if first is None or first.retry is None:
            continue
        for n, rule in matching[1:]:
            if rule.retry is None and "stop" in read_names(rule.when.tree):
                yield fault(
                    "P333",
                    f"rule `{rule.rule}` never sees a trial that stopped by {stop}",
                    subject.at("missing", "rules", n, "when"),
                    detail=f"rules are tried in order, and `{first.rule}` takes it first: it has no result event, and is retried",
                    hint=f"put `{rule.rule}` before `{first.rule}`",
                    severity="warning",
                )
                return
