"""The types that a spec's own names have: its measures, its endpoints, and the scopes in which its expressions stand."""

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.crossing import levels, pools
from spec_lang.catalog import TRIAL_FACTS
from spec_lang.expr import scope as scopes
from spec_lang.expr.ast import reads
from spec_lang.expr.check import check
from spec_lang.expr.scope import EndpointShape, Scope, per_task_type
from spec_lang.expr.types import BOOL, FAULTY, NUMBER, TASK, TEXT, Type, named, unit_name
from spec_lang.model import Choice, Endpoint, Spec

COLLECTED: Mapping[str, Type] = {"count": NUMBER, "bool": BOOL, "text": TEXT}
"""Types of collected facts."""

COUNTING = frozenset({"majority", "only"})
"""Ways of bringing a task's seeds together that leave a yes or no."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EndpointTypes:
    """Types of one endpoint: its measure (None without one), one arm's value, and the compared estimate (None without)."""

    measure: Type | None
    value: Type
    estimate: Type | None

    @property
    def is_bool(self) -> bool:
        """Whether the measure is a yes or no."""
        return self.measure == BOOL


def collect_types(spec: Spec) -> dict[str, str]:
    """Give the collected facts and how each is read (``count``, ``bool``, ``text``)."""
    return {name: spec.collect[name].type for name in sorted(spec.collect)}


def measure_order(spec: Spec) -> tuple[str, ...]:
    """Give the measures so that each stands behind those it reads; measures in a circle come last, by name."""
    left, done = sorted(spec.measures), list[str]()
    while left:
        ready = [name for name in left if not set(reads(spec.measures[name].tree)) & (set(left) - {name})]
        ready = ready or left
        done += ready
        left = [name for name in left if name not in ready]
    return tuple(done)


def measure_types(spec: Spec) -> dict[str, Type]:
    """Derive the type of every measure; faults are the business of the check of expressions."""
    types: dict[str, Type] = {}
    for name in measure_order(spec):
        types[name], _ = check(spec.measures[name], trial_scope(spec, types))
    return types


def trial_scope(spec: Spec, measures: Mapping[str, Type]) -> Scope:
    """Open the scope of a trial in this spec, with the measures whose types are known already."""
    return scopes.trial(tuple(sorted(spec.arms)), collect_types(spec), measures)


def selection_scope(spec: Spec, kind: str) -> Scope:
    """Open the scope of a selection over one kind of source in this spec."""
    return scopes.selection(
        kind, endpoints=sorted(spec.endpoints), measures=sorted(spec.measures), arms=sorted(spec.arms)
    )


def oracle_scope(checks: Mapping[str, object]) -> Scope:
    """Open the scope of an oracle's conditions."""
    kinds = {name: each.kind if isinstance(each, Choice) else "condition" for name, each in sorted(checks.items())}
    return scopes.oracle(kinds)


def per_arm_scope(spec: Spec, measures: Mapping[str, Type]) -> Scope:
    """Open the scope of a per-arm expression in this spec."""
    return scopes.per_arm(measures, collect_types(spec))


def compare_scope(spec: Spec, of: Type) -> Scope:
    """Open the scope of a comparison of arms in this spec."""
    return scopes.compare(tuple(sorted(spec.arms)), of)


def decision_scope(spec: Spec, endpoints: Mapping[str, EndpointTypes]) -> Scope:
    """Open the scope of the decision rule in this spec."""
    shapes = {
        name: EndpointShape(
            value=types.value,
            estimate=types.estimate,
            test=spec.endpoints[name].test is not None,
            interval=spec.endpoints[name].interval is not None,
            counts=types.is_bool and spec.endpoints[name].per_task in COUNTING,
            pooled=pools(spec.endpoints[name]),
        )
        for name, types in sorted(endpoints.items())
    }
    return scopes.decision(shapes, tuple(sorted(spec.arms)), tuple(levels(spec)))


def endpoint_types(spec: Spec, measures: Mapping[str, Type]) -> dict[str, EndpointTypes]:
    """Derive the types of every endpoint; what is at fault has a type that fits everywhere."""
    return {name: _types(spec, spec.endpoints[name], measures) for name in sorted(spec.endpoints)}


def estimate_unit(endpoint: Endpoint, types: EndpointTypes) -> str:
    """Name the unit of an endpoint's estimate: ``USD``, ``share``, ``pp``, ``count``, ``number`` and the like."""
    kind = types.estimate if types.estimate is not None else types.value
    if endpoint.per_arm is not None and kind in (NUMBER, TASK):
        return "count" if endpoint.per_arm.text.startswith("count(") else "number"
    return unit_name(kind)


def _types(spec: Spec, endpoint: Endpoint, measures: Mapping[str, Type]) -> EndpointTypes:
    measure = measure_type(spec, endpoint.measure, measures) if endpoint.measure else None
    if endpoint.per_arm is not None:
        value, _ = check(endpoint.per_arm, per_arm_scope(spec, measures))
        return EndpointTypes(measure=measure, value=value, estimate=None)
    if measure is None:
        return EndpointTypes(measure=None, value=FAULTY, estimate=None)
    value = per_task_type(measure, endpoint.per_task or "only")
    if endpoint.compare is None:
        return EndpointTypes(measure=measure, value=value, estimate=None)
    estimate, _ = check(endpoint.compare, compare_scope(spec, value))
    return EndpointTypes(measure=measure, value=value, estimate=estimate)


def measure_type(spec: Spec, name: str, measures: Mapping[str, Type]) -> Type:
    """Give the type of what an endpoint measures: a measure, a collected fact or a trial fact; FAULTY when unknown."""
    if name in measures:
        return measures[name]
    if name in spec.collect:
        return COLLECTED[spec.collect[name].type]
    return named(TRIAL_FACTS[name][0]) if name in TRIAL_FACTS else FAULTY
