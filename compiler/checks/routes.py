"""Routes of cost: one for all arms, which every arm's agent can deliver; and nothing that nobody scores is measured after all."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from compiler.arms import SCRIPTED, resolve
from compiler.checks.endpoints import facts_behind
from compiler.checks.subject import Subject, each, fault, quoted
from compiler.plan import ArmPlan
from spec_lang.diagnostics import Diagnostic, Severity
from spec_lang.expr.ast import reads
from spec_lang.model import Endpoint
from spec_lang.span import Span

CODES = {
    "P335": "an endpoint or measure of what nothing scores",
    "P340": "a route of cost that an arm's agent cannot deliver",
    "P346": "prices without a route that needs them, or the other way round",
}

DEFAULT = "agent-result"


def check_routes(subject: Subject) -> Iterator[Diagnostic]:
    """Costs are measured by one route in every arm.

    1. Prices are named where the route prices tokens: always for a price table; never for what agents say themselves;
       without them a provider must state costs itself.
    2. The agent of every arm can deliver the route, where any endpoint reads costs.
    3. What is declared unscored is named by no endpoint and no measure.
    """
    yield from _prices(subject)
    yield from _deliverable(subject)
    yield from _different_tools(subject)
    yield from _unscored(subject)


def _prices(subject: Subject) -> Iterator[Diagnostic]:
    routes = subject.spec.routes
    if routes is None:
        return
    if routes.cost == "price-table" and routes.prices is None:
        hint = "prices: prices.yaml"
        yield fault("P346", "a price table is the route, and none is named", subject.at("routes", "cost"), hint=hint)
    if routes.cost == "provider-usage" and routes.prices is None:
        why = "then only the provider's own word on a cost counts (usage.cost), and most providers state none"
        span = subject.at("routes", "cost")
        yield fault("P346", "no prices are named", span, detail=why, hint="prices: prices.yaml", severity="warning")
    if routes.cost == DEFAULT and routes.prices is not None:
        why = "what an agent says that it cost is taken as it is"
        hint = "cost: price-table, or leave the prices out"
        span = subject.at("routes", "prices")
        yield fault("P346", "prices are named, and the route needs none", span, detail=why, hint=hint)


def _deliverable(subject: Subject) -> Iterator[Diagnostic]:
    if subject.cost_routes is None:
        return
    asked = subject.spec.routes.cost if subject.spec.routes else DEFAULT
    priced = costly(subject)
    if subject.spec.routes is None and not priced:
        return
    arms = [arm for arm in resolve(subject.spec) if not _repeats(subject, arm)]
    able = {arm.name: subject.cost_routes(arm) for arm in arms}
    lacking = [arm for arm in arms if asked not in able[arm.name]]
    if not lacking:
        return
    shared = sorted(frozenset.intersection(*able.values()))
    severity: Severity = "error" if priced else "warning"
    yield fault(
        "P340",
        f"the agent of {_listed(lacking)} cannot deliver the route `{asked}`",
        _place(subject, priced),
        detail=f"{_WHY[asked]}; routes never mix, so the costs of these arms would all be unknown",
        hint=f"routes that every arm can deliver: {quoted(shared)}"
        if shared
        else "measure no cost, or leave an arm out",
        severity=severity,
    )


_WHY: Mapping[str, str] = {
    "agent-result": "its result states no cost",
    "provider-usage": "its requests do not go through the harness's proxy (network: model, and `api` says where to)",
    "price-table": "its result does not state tokens read, written, and read from a cache",
}


def _different_tools(subject: Subject) -> Iterator[Diagnostic]:
    """Warn where what several tools say of themselves is set side by side; scripted ones are no evidence anyhow."""
    asked = subject.spec.routes.cost if subject.spec.routes else DEFAULT
    priced = costly(subject)
    programs = [_program(arm) for arm in resolve(subject.spec) if arm.agent.kind not in SCRIPTED]
    if asked != "provider-usage" and priced and any(one != other for one, other in pairwise(programs)):
        summary = "the costs of different tools are compared by what each says of itself"
        hint = "routes: {cost: provider-usage, prices: prices.yaml}"
        span = _place(subject, priced)
        yield fault("P340", summary, span, hint=hint, severity="warning")


def _program(arm: ArmPlan) -> tuple[str, str]:
    run = arm.agent.options.get("run")
    return arm.agent.kind, str(run[0]) if isinstance(run, list) and run and arm.agent.kind == "command" else ""


def _repeats(subject: Subject, arm: ArmPlan) -> bool:
    said = subject.spec.arms.get(arm.name)
    return said is not None and said.repeats is not None


def _place(subject: Subject, priced: Sequence[str]) -> Span:
    if subject.spec.routes is not None:
        return subject.at("routes", "cost")
    return subject.key("endpoints", priced[0])


def _listed(arms: Sequence[ArmPlan]) -> str:
    return quoted(f"{arm.name}" for arm in arms)


def costly(subject: Subject) -> tuple[str, ...]:
    """Name the endpoints that stand on costs, through whatever measures."""
    endpoints = subject.spec.endpoints
    return tuple(name for name in sorted(endpoints) if "cost" in facts_behind(subject, _asked(endpoints[name])))


def _asked(endpoint: Endpoint) -> frozenset[str]:
    named = {endpoint.measure} if endpoint.measure else set[str]()
    return frozenset(named | (set(reads(endpoint.per_arm.tree)) if endpoint.per_arm else set[str]()))


def _unscored(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    for section, names in (("measures", spec.measures), ("collect", spec.collect), ("endpoints", spec.endpoints)):
        for name in each(names):
            if name in spec.unscored:
                yield _scored_after_all(subject, name, subject.key(section, name))
    for name in each(spec.endpoints):
        named = sorted(_asked(spec.endpoints[name]) & set(spec.unscored) - {name})
        path = "measure" if spec.endpoints[name].measure else "per_arm"
        for dimension in named:
            yield _scored_after_all(subject, dimension, subject.at("endpoints", name, path))


def _scored_after_all(subject: Subject, name: str, span: Span) -> Diagnostic:
    why = f"it is declared unscored: {subject.spec.unscored[name]}"
    return fault(
        "P335", f"`{name}` is measured, and nothing scores it", span, detail=why, hint="give up one of the two"
    )
