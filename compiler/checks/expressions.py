"""Every expression of a spec has a type in the scope where it stands."""

from collections.abc import Iterable, Iterator

from compiler.checks.subject import Subject, each, fault
from compiler.rewrite import LATEST_CUTOFF, latest_cutoff
from compiler.typed import (
    compare_scope,
    decision_scope,
    endpoint_types,
    measure_type,
    measure_types,
    oracle_scope,
    per_arm_scope,
    selection_scope,
    trial_scope,
)
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Expression, Name, walk
from spec_lang.expr.check import check
from spec_lang.expr.scope import Scope
from spec_lang.expr.types import BOOL, NumberType, describe
from spec_lang.model import Endpoint

CODES = {
    "P310": "an expression that is no number where one is needed",
    "P311": "the latest cut-off is read, and no model has one",
}


def check_expressions(subject: Subject) -> Iterator[Diagnostic]:
    """Selections, oracles, measures, missing-data rules, endpoints and the decision are well typed, each in its scope."""
    yield from _selections(subject)
    yield from _oracles(subject)
    yield from _trials(subject)
    yield from _endpoints(subject)
    yield from _decision(subject)


def _conditions(conditions: Iterable[Expression], scope: Scope) -> Iterator[Diagnostic]:
    for condition in conditions:
        yield from check(condition, scope, BOOL)[1]


def _selections(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    for name in each(spec.tasks):
        tasks = spec.tasks[name]
        yield from _conditions(tasks.where, selection_scope(spec, tasks.source.kind))
        yield from _cutoff(subject, tasks.where)


def _cutoff(subject: Subject, conditions: Iterable[Expression]) -> Iterator[Diagnostic]:
    if latest_cutoff(subject.spec) is not None:
        return
    for condition in conditions:
        for node in walk(condition.tree):
            if isinstance(node, Name) and node.text == LATEST_CUTOFF:
                summary = f"`{LATEST_CUTOFF}` is read, and no model has a cut-off"
                hint = 'foreknowledge: {model_cutoffs: {MODEL: "YYYY-MM-DD"}}'
                yield fault("P311", summary, condition.where(node), hint=hint)


def _oracles(subject: Subject) -> Iterator[Diagnostic]:
    for name in each(subject.spec.tasks):
        oracle = subject.spec.tasks[name].oracle
        scope = oracle_scope(oracle.checks)
        # A check that is a condition reads the others, never one like itself: no order among them has to be found.
        plain = oracle_scope({key: kind for key, kind in oracle.checks.items() if not isinstance(kind, Expression)})
        for key in each(oracle.checks):
            condition = oracle.checks[key]
            if isinstance(condition, Expression):
                yield from check(condition, plain, BOOL)[1]
        yield from _conditions((*oracle.pass_, *oracle.partial), scope)


def _trials(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    measures = measure_types(spec)
    scope = trial_scope(spec, measures)
    for name in each(measures):
        yield from check(spec.measures[name], scope)[1]
    for rule in spec.missing.rules:
        yield from check(rule.when, scope, BOOL)[1]
        for name in each(rule.value or {}):
            assert rule.value is not None
            yield from check(rule.value[name], scope, measure_type(spec, name, measures))[1]


def _endpoints(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    measures = measure_types(spec)
    types = endpoint_types(spec, measures)
    for name in each(spec.endpoints):
        endpoint = spec.endpoints[name]
        yield from _endpoint_where(subject, endpoint)
        if endpoint.compare is not None and endpoint.per_arm is None:
            yield from _number(endpoint.compare, compare_scope(spec, types[name].value))
        if endpoint.per_arm is not None:
            yield from _number(endpoint.per_arm, per_arm_scope(spec, measures))


def _endpoint_where(subject: Subject, endpoint: Endpoint) -> Iterator[Diagnostic]:
    yield from _cutoff(subject, endpoint.where)
    for kind in sorted({tasks.source.kind for tasks in subject.spec.tasks.values()}):
        found = list(_conditions(endpoint.where, selection_scope(subject.spec, kind)))
        if found:
            yield from found
            return


def _number(expression: Expression, scope: Scope) -> Iterator[Diagnostic]:
    kind, found = check(expression, scope)
    yield from found
    if not found and not isinstance(kind, NumberType):
        summary = f"`{expression.text}` is {describe(kind)}; a number is needed here"
        yield fault("P310", summary, expression.span, hint="aggregate it: count(…), share(…), sum(…), mean(…)")


def _decision(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    scope = decision_scope(spec, endpoint_types(spec, measure_types(spec)))
    yield from _conditions((*spec.decision.supported_when, *spec.decision.decidable_when), scope)
