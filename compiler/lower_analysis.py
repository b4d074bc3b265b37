"""The parts of an analysis plan: endpoints, missing-data rules, decision, and the facts that an endpoint may read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from compiler.contamination import day_text
from compiler.crossing import at_level, levels, pools, within_level
from compiler.plan import Chosen, DecisionPlan, EndpointPlan, MissingPlan
from compiler.rewrite import condition_texts, substitute
from compiler.settings import chosen
from compiler.typed import endpoint_types, estimate_unit, measure_types
from ledger.plain import Plain
from spec_lang.catalog import SOURCE_FACTS
from spec_lang.expr.ast import Call, Name, Node, reads, walk
from spec_lang.expr.unparse import unparse
from spec_lang.model import Choice, Endpoint, Family, Role, Spec

ORDER: tuple[str, ...] = get_args(Role)
"""Endpoints stand in a plan by role, then by name: a map in the spec carries no order."""

DEFAULTS: Mapping[str, Mapping[str, Plain]] = {
    "bootstrap-percentile": {"quantile": "inverted-cdf"},
    "bootstrap-bca": {"quantile": "inverted-cdf"},
}
"""What a procedure leaves open and an author may leave out: written into the plan, so that no tool chooses later."""

NEVER = "false"
"""Condition of a rule that is never decided."""


def endpoint_plans(spec: Spec) -> tuple[EndpointPlan, ...]:
    """Give all endpoints, primary ones first, with the unit of each estimate."""
    types = endpoint_types(spec, measure_types(spec))
    names = sorted(spec.endpoints, key=lambda name: (ORDER.index(spec.endpoints[name].role), name))
    return tuple(
        each
        for name in names
        for each in _within(
            spec, _endpoint(spec, name, spec.endpoints[name], estimate_unit(spec.endpoints[name], types[name]))
        )
    )


def _within(spec: Spec, plan: EndpointPlan) -> Iterator[EndpointPlan]:
    """Repeat a comparison within each level; over all levels together it stands first, where its procedures allow that.

    What compares nothing has one value for each arm at each level already.
    """
    compare = spec.endpoints[plan.name].compare
    if not spec.across or compare is None:
        yield plan
        return
    if pools(spec.endpoints[plan.name]):
        yield replace(plan, pooled=tuple(levels(spec)))
    for level in levels(spec):
        crossed: dict[str, Node] = {arm: Name(parts=(at_level(arm, level),)) for arm in spec.arms}
        text = unparse(substitute(compare.tree, crossed))
        yield replace(plan, name=within_level(plan.name, level), compare=text, level=level)


def _endpoint(spec: Spec, name: str, endpoint: Endpoint, unit: str) -> EndpointPlan:
    return EndpointPlan(
        name=name,
        role=endpoint.role,
        unit=unit,
        measure=endpoint.measure,
        where=condition_texts(spec, endpoint.where),
        per_task=endpoint.per_task,
        k=endpoint.k,
        compare=endpoint.compare.text if endpoint.compare else None,
        statistic=endpoint.statistic,
        test=_pinned(endpoint.test),
        interval=_pinned(endpoint.interval),
        by=endpoint.by,
        show=endpoint.show,
        per_arm=endpoint.per_arm.text if endpoint.per_arm else None,
        over="attempts" if endpoint.over == "attempts" else None,
    )


def _pinned(choice: Choice | None) -> Chosen | None:
    if choice is None:
        return None
    plan = chosen(choice)
    return replace(plan, options={**DEFAULTS.get(plan.kind, {}), **plan.options})


def missing_plans(spec: Spec) -> tuple[MissingPlan, ...]:
    """Give the missing-data rules in their order; the first that matches counts."""
    return tuple(
        MissingPlan(
            rule=rule.rule,
            when=rule.when.text,
            retry=rule.retry,
            value={name: rule.value[name].text for name in sorted(rule.value)} if rule.value is not None else None,
            exclude=rule.exclude,
            keep=rule.keep,
        )
        for rule in spec.missing.rules
    )


def decision_plan(spec: Spec) -> DecisionPlan:
    """Give the registered rule. A smoke run checks the harness and never decides: its rule is never decidable."""
    decision = spec.decision
    decidable = tuple(each.text for each in decision.decidable_when)
    family = decision.family
    return DecisionPlan(
        claim=decision.claim,
        supported_when=tuple(each.text for each in decision.supported_when),
        wording={
            "supported": decision.wording.supported,
            "not_supported": decision.wording.not_supported,
            "no_verdict": decision.wording.no_verdict,
        },
        decidable_when=(*decidable, NEVER) if spec.stage == "smoke" else decidable,
        tasks=tuple(sorted(decision.tasks)),
        family=_family(family),
        correction=family.correction if family else None,
    )


def _family(family: Family | None) -> tuple[str, ...]:
    """Give the members; their order carries meaning only where they are tested one after the other."""
    if family is None:
        return ()
    return family.members if family.correction == "fixed-sequence" else tuple(sorted(family.members))


def read_facts(spec: Spec, kind: str, facts: Mapping[str, Plain]) -> dict[str, Plain]:
    """Give the facts of a task that some endpoint selects, groups or clusters by, dates cut to their day; nothing more is told."""
    conditions = [each for endpoint in spec.endpoints.values() for each in endpoint.where]
    wanted = {name for each in conditions for name in reads(each.tree)}
    wanted |= {fact for endpoint in spec.endpoints.values() for fact in endpoint.by}
    wanted |= {
        str(each.interval.options["by"])
        for each in spec.endpoints.values()
        if each.interval and "by" in each.interval.options
    }
    calls = {node.name.text for each in conditions for node in walk(each.tree) if isinstance(node, Call)}
    wanted |= {"changed"} & calls
    dates = {name for name, (of, _) in SOURCE_FACTS.get(kind, {}).items() if of == "date"}
    return {name: _fact(name, facts[name], dates) for name in sorted(wanted) if facts.get(name) is not None}


def _fact(name: str, value: Plain, dates: set[str]) -> Plain:
    if name in dates:
        return day_text(value)
    if name == "changed" and isinstance(value, Sequence) and not isinstance(value, str):
        return [str(each["path"]) if isinstance(each, Mapping) else str(each) for each in value]
    return value
