"""Arms, fully resolved: the spec's agent under each arm's overlay, as plans hold them."""

from collections.abc import Iterator, Mapping, Sequence

from compiler.crossing import arm_ids, levels
from compiler.plan import AgentPlan, ArmPlan, LimitsPlan
from compiler.settings import chosen, plain_settings
from ledger.plain import Plain
from spec_lang.model import Arm, Limits, Settings, Spec

SCRIPTED = frozenset({"simulated", "reference", "noop", "replay"})
"""Kinds of agents that can never be evidence: they read the answer, do nothing, repeat a record, or draw numbers."""

OVERLAY = ("kind", "version", "model")
"""Keys of an arm's ``agent`` that replace the spec's own; every other key but ``limits`` is an option of the kind."""


def resolve(spec: Spec) -> tuple[ArmPlan, ...]:
    """Resolve every arm, at every level of ``across``, sorted by name.

    A level changes the spec's agent, an arm what the level left of it.
    An arm that ``repeats`` another is that arm under another name. What any arm hides from PATH is hidden from all,
    so that a host's own copy of a treatment reaches no arm and hiding it is never a difference between arms.
    """
    hidden = tuple(sorted({name for arm in spec.arms.values() for name in arm.hide_from_path}))
    return tuple(_resolve_one(spec, name, each.name, each.level, hidden) for name, each in arm_ids(spec).items())


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


def _resolve_one(spec: Spec, name: str, said: str, level: str | None, hidden: tuple[str, ...]) -> ArmPlan:
    arm = original(spec, said)
    overlays = (arm.agent,) if level is None else (levels(spec)[level], arm.agent)
    return ArmPlan(
        name=name,
        level=level,
        agent=_agent(spec, overlays),
        provider=chosen(arm.provider),
        flags=arm.flags,
        env={key: arm.env[key] for key in sorted(arm.env)},
        hide_from_path=hidden,
        expect=plain_settings(arm.expect),
    )


def _agent(spec: Spec, overlays: Sequence[Settings]) -> AgentPlan:
    kind, version, model = spec.agent.kind, spec.agent.version, spec.agent.model
    options = plain_settings(spec.agent.options)
    for said in map(plain_settings, overlays):
        # Options belong to a kind: an overlay that names another kind starts from none.
        inherited: Mapping[str, Plain] = options if said.get("kind", kind) == kind else {}
        options = {**inherited, **{key: said[key] for key in said if key not in (*OVERLAY, "limits")}}
        kind = str(said.get("kind", kind))
        version, model = _text(said.get("version", version)), _text(said.get("model", model))
    return AgentPlan(
        kind=kind,
        version=version,
        model=model,
        limits=limits_plan(spec.agent.limits),
        options={key: options[key] for key in sorted(options)},
    )


def _text(value: Plain) -> str | None:
    return None if value is None else str(value)


def differing(one: ArmPlan, other: ArmPlan) -> list[str]:
    """Give the key paths in which what two arms do differs, sorted."""
    first, second = leaves(one), leaves(other)
    return sorted(path for path in {*first, *second} if first.get(path) != second.get(path))


def leaves(arm: ArmPlan) -> dict[str, Plain]:
    """Flatten what an arm does into key path → value; options of a kind stand directly under their part, as in the spec."""
    agent = {"kind": arm.agent.kind, "version": arm.agent.version, "model": arm.agent.model, **arm.agent.options}
    provider = {"kind": arm.provider.kind, **arm.provider.options}
    whole: Mapping[str, Plain] = {"agent": agent, "provider": provider, "flags": list(arm.flags), "env": dict(arm.env)}
    return dict(_walk(whole, ""))


def _walk(value: Mapping[str, Plain], prefix: str) -> Iterator[tuple[str, Plain]]:
    for key, inner in value.items():
        path = f"{prefix}{key}"
        if isinstance(inner, Mapping) and inner:
            yield from _walk(inner, f"{path}.")
        elif inner != {} and inner != []:
            yield path, inner
