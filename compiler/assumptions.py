"""From what an author assumes of the trials to the worlds that a design is tried in: from a file, or the simulated agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from compiler.checks.rule import endpoint_reads
from compiler.crossing import arm_ids, at_level, level_arms
from compiler.margins import margin_of
from compiler.settings import plain
from compiler.simulation import Profile, read_profile
from compiler.worlds import ASSUMED, GENERATED, GRID, OF_EXISTENCE, Assumed, Variation
from ledger.plain import Plain
from spec_lang.assumptions_file import impossible_rates, read_assumptions
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.expr.ast import reads
from spec_lang.load import Loaded
from spec_lang.model import Role, Spec
from spec_lang.nearest import hint as nearest_hint
from spec_lang.span import Source
from spec_lang.spans import Spans

CODES = {
    "P367": "assumptions that do not fit the arms of the spec",
    "P368": "a spec without assumptions to simulate from",
}

DECIDING: tuple[Role, ...] = ("primary", "co-primary", "effect")


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """Assumptions as read: what they mean, and their content as plain data, which a simulation quotes."""

    assumed: Assumed
    content: Plain
    source: str


def from_file(loaded: Loaded, source: Source) -> Read:
    """Read an assumptions file for a spec.

    Raises:
        SpecErrors: Everything that is wrong with the file, or that does not fit the spec's arms.
    """
    said, spans = read_assumptions(source)
    bag = Bag()
    bag.extend(_misfits(loaded.spec, said, spans))
    bag.raise_errors()
    control, treatment = _sides(loaded, said.get("control"), spans)
    named = {arm: _profile(each) for arm, each in said["arms"].items()}  # type: ignore[union-attr]  # the schema says so
    lacking = [each for each in _controls(loaded.spec, control) if each not in named]
    if lacking:
        why, hint = "an arm that is not named looks like the control", f"arms: {{{lacking[0]}: {{solve: 50 %}}}}"
        summary = f"the control `{lacking[0]}` has no profile"
        raise SpecErrors([Diagnostic(code="P367", summary=summary, span=spans.key("arms"), detail=why, hint=hint)])
    assumed = Assumed(
        profiles=_for_all(loaded.spec, named, control),
        control=control,
        treatment=treatment,
        variations=tuple(_variations(loaded.spec, said, control)),
        grid=tuple(said.get("grid", GRID)),  # type: ignore[arg-type]
        margin=margin_of(loaded.spec, control, treatment),
        existence=_existence(loaded.spec),
        levels=level_arms(loaded.spec),
    )
    return Read(assumed=assumed, content=plain(said), source=source.name)


def from_agent(loaded: Loaded) -> Read:
    """Take the profiles of a simulated agent for the assumptions.

    Raises:
        SpecErrors: The agent is not simulated, or one of its rates cannot be.
    """
    options = loaded.spec.agent.options
    profiles = options.get("profiles")
    if loaded.spec.agent.kind != "simulated" or not isinstance(profiles, Mapping):
        hint = "write assumptions.yaml: `assumptions: 1` and `arms: {ARM: {solve: 80 %, cost: {median: 0.40 USD, spread: 0.5}}}`"
        summary = "nothing says what the trials may look like, so nothing can be simulated"
        raise SpecErrors([Diagnostic(code="P368", summary=summary, span=loaded.spans.key("agent"), hint=hint)])
    bag = Bag()
    for arm in sorted(profiles):
        bag.extend(impossible_rates(profiles[arm], ("agent", "profiles", arm), loaded.spans))
    bag.raise_errors()
    control, treatment = _sides(loaded, None, loaded.spans)
    named = {arm: _profile(each) for arm, each in profiles.items()}
    content: Plain = {"arms": plain(profiles)}
    assumed = Assumed(
        profiles=_for_all(loaded.spec, named, control),
        control=control,
        treatment=treatment,
        margin=margin_of(loaded.spec, control, treatment),
        existence=_existence(loaded.spec),
        levels=level_arms(loaded.spec),
    )
    return Read(assumed=assumed, content=content, source=loaded.source.name)


def _misfits(spec: Spec, said: Mapping[str, Any], spans: Spans) -> Iterator[Diagnostic]:
    arms = list(arm_ids(spec))
    named: list[tuple[str, ...]] = [("arms", arm) for arm in said["arms"]]
    named += [
        ("scenarios", name, "arms", arm)
        for name, each in said.get("scenarios", {}).items()
        for arm in each.get("arms", {})
    ]
    for path in named:
        if path[-1] not in arms:
            hint = nearest_hint(path[-1], arms, what="arms of the spec")
            yield Diagnostic(code="P367", summary=f"no arm `{path[-1]}`", span=spans.key(*path), hint=hint)
    control = said.get("control")
    if control is not None and control not in spec.arms:
        hint = nearest_hint(control, sorted(spec.arms), what="arms of the spec")
        yield Diagnostic(code="P367", summary=f"no arm `{control}`", span=spans.at("control"), hint=hint)
    generated = OF_EXISTENCE if _existence(spec) else GENERATED
    if said.get("scenarios", {}).get(ASSUMED, {}).get("claim") is False:
        summary = f"`{ASSUMED}` is the world in which the claim is true, for the power is told of it"
        hint = "where the claim is false is a world of its own: scenarios: {no_use: {claim: false, arms: …}}"
        span = spans.at("scenarios", ASSUMED, "claim")
        yield Diagnostic(code="P367", summary=summary, span=span, hint=hint)
    for name, each in said.get("scenarios", {}).items():
        if name not in generated and not each.get("arms"):
            hint = nearest_hint(name, generated, what="generated worlds") or "arms: {ARM: {solve: 50 %}}"
            summary = f"`{name}` changes nothing: it names no arm, and is no generated world"
            yield Diagnostic(code="P367", summary=summary, span=spans.key("scenarios", name), hint=hint)


def _variations(spec: Spec, said: Mapping[str, Any], control: str) -> Iterator[Variation]:
    for name, each in sorted(said.get("scenarios", {}).items()):
        changes = each.get("arms")
        profiles = None
        if changes:
            merged = {
                arm: {**said["arms"].get(arm, said["arms"][at_level(control, of.level)]), **changes.get(arm, {})}
                for arm, of in arm_ids(spec).items()
            }
            profiles = {arm: _profile(settings) for arm, settings in merged.items()}
        yield Variation(name=name, claim=each["claim"], says=each.get("says", ""), profiles=profiles)


def _sides(loaded: Loaded, control: object, spans: Spans) -> tuple[str, str]:
    """Find control and treatment: the second and the first arm of the first comparison that decides."""
    spec = loaded.spec
    compared: tuple[str, ...] = ()
    for role in DECIDING:
        for name in sorted(spec.endpoints):
            endpoint = spec.endpoints[name]
            if endpoint.role == role and endpoint.compare is not None and not compared:
                compared = tuple(reads(endpoint.compare.tree))
    if control is None and len(compared) == 2:
        return compared[1], compared[0]
    if control is None and _existence(spec):
        control = min(spec.arms)
    others = [arm for arm in (*compared, *sorted(spec.arms)) if arm != control]
    if isinstance(control, str) and (others or _existence(spec)):
        return control, others[0] if others else control
    summary = "no endpoint that decides compares two arms, so nothing says which is the control"
    raise SpecErrors([Diagnostic(code="P367", summary=summary, span=spans.key("arms"), hint="control: ARM")])


def _existence(spec: Spec) -> bool:
    """Whether the rule claims that something can be done: it counts the tasks of single arms, and compares none."""
    reads_of = [each for text in spec.decision.supported_when for each in endpoint_reads(text, spec.endpoints)]
    return bool(reads_of) and all(
        each.field == "count" and spec.endpoints[each.endpoint].compare is None for each in reads_of
    )


def _for_all(spec: Spec, named: Mapping[str, Profile], control: str) -> dict[str, Profile]:
    """Give every arm a profile: its own, that of the arm it repeats, or the control's; all of them at its own level."""
    return {
        arm: named.get(arm)
        or named.get(at_level(spec.arms[each.name].repeats or "", each.level))
        or named[at_level(control, each.level)]
        for arm, each in arm_ids(spec).items()
    }


def _controls(spec: Spec, control: str) -> list[str]:
    return [arm for arm, each in arm_ids(spec).items() if each.name == control]


def _profile(settings: Any) -> Profile:
    told = plain(settings)
    assert isinstance(told, Mapping)
    return read_profile(told)
