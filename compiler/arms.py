"""Arms, fully resolved: the spec's agent under each arm's overlay, as plans hold them."""

from collections.abc import Mapping

from compiler.plan import AgentPlan, ArmPlan, LimitsPlan
from compiler.settings import chosen, plain_settings
from ledger.plain import Plain
from spec_lang.model import Arm, Limits, Spec

SCRIPTED = frozenset({"simulated", "reference", "noop", "replay"})
"""Kinds of agents that can never be evidence: they read the answer, do nothing, repeat a record, or draw numbers."""

OVERLAY = ("kind", "version", "model")
"""Keys of an arm's ``agent`` that replace the spec's own; every other key but ``limits`` is an option of the kind."""


def resolve(spec: Spec) -> tuple[ArmPlan, ...]:
    """Resolve every arm, sorted by name.

    An arm that ``repeats`` another is that arm under another name. What any arm hides from PATH is hidden from all,
    so that a host's own copy of a treatment reaches no arm and hiding it is never a difference between arms.
    """
    hidden = tuple(sorted({name for arm in spec.arms.values() for name in arm.hide_from_path}))
    return tuple(_resolve_one(spec, name, hidden) for name in sorted(spec.arms))


def limits_plan(limits: Limits) -> LimitsPlan:
    """Give limits in base units (s, USD, bytes)."""
    return LimitsPlan(
        time_s=limits.time.base,
        cost_usd=limits.cost.base if limits.cost else None,
        turns=limits.turns,
        memory_bytes=int(limits.memory.base) if limits.memory else None,
        processes=limits.processes,
        output_bytes=int(limits.output.base) if limits.output else None,
    )


def is_scripted(arms: tuple[ArmPlan, ...]) -> bool:
    """Tell whether any arm's agent is simulated or scripted, so that nothing of the run is evidence."""
    return any(arm.agent.kind in SCRIPTED for arm in arms)


def original(spec: Spec, name: str) -> Arm:
    """Follow ``repeats`` to the arm that says something; a dangling or circular one is a fault of the checks, so stop there."""
    seen: set[str] = set()
    arm = spec.arms[name]
    while arm.repeats is not None and arm.repeats in spec.arms and arm.repeats not in seen:
        seen.add(arm.repeats)
        arm = spec.arms[arm.repeats]
    return arm


def _resolve_one(spec: Spec, name: str, hidden: tuple[str, ...]) -> ArmPlan:
    arm = original(spec, name)
    return ArmPlan(
        name=name,
        agent=_agent(spec, arm),
        provider=chosen(arm.provider),
        flags=arm.flags,
        env={key: arm.env[key] for key in sorted(arm.env)},
        hide_from_path=hidden,
        expect=plain_settings(arm.expect),
    )


def _agent(spec: Spec, arm: Arm) -> AgentPlan:
    said = plain_settings(arm.agent)
    # Options belong to a kind: an arm that names another kind starts from none.
    same = said.get("kind", spec.agent.kind) == spec.agent.kind
    inherited: Mapping[str, Plain] = plain_settings(spec.agent.options) if same else {}
    options = {**inherited, **{key: said[key] for key in said if key not in (*OVERLAY, "limits")}}
    return AgentPlan(
        kind=str(said.get("kind", spec.agent.kind)),
        version=_text(said.get("version", spec.agent.version)),
        model=_text(said.get("model", spec.agent.model)),
        limits=limits_plan(spec.agent.limits),
        options={key: options[key] for key in sorted(options)},
    )


def _text(value: Plain) -> str | None:
    return None if value is None else str(value)
