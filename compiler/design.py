"""The design of a spec: what its operating characteristics depend on, and nothing else; it needs no pool where no fact is read."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from compiler.lower import SetTasks, analysis_plan
from compiler.overhead import overheads
from compiler.plan import AnalysisPlan, DecisionPlan, EndpointPlan, TaskFacts
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from ledger.plain import Plain
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.expr.ast import reads
from spec_lang.expr.parse import parse
from spec_lang.load import Loaded

CODES = {"P369": "a design whose tasks nobody can count yet"}

TYPE = "prereg.design/v1"


def design(
    loaded: Loaded,
    sets: Sequence[SetTasks] | None = None,
    *,
    tasks: int | None = None,
    inputs: Mapping[str, bytes] | None = None,
) -> AnalysisPlan:
    """Give the analysis of a spec without its prose: the endpoints that decide, have an interval or size the next run, and its tasks.

    Tasks are numbered stand-ins, as many as ``take`` says, or as were drawn (``sets``). ``tasks`` puts another number in
    place of each deciding set's, and leaves out endpoints that read facts and decide nothing. Where an endpoint reads facts
    of tasks, the drawn tasks stand themselves. ``inputs`` hold the file of measured overheads where the spec names one; without
    them what an arm costs before it does anything is unknown.

    Raises:
        SpecErrors: The number of tasks, or the facts that an endpoint reads, are known only once there is a pool; or the
            overheads are at fault.
    """
    full = analysis_plan(loaded, sets or (), overheads(loaded, inputs) if inputs is not None else None)
    sized = loaded.spec.sample_size.next.endpoint if loaded.spec.sample_size.next else None
    endpoints = tuple(
        each if _by_level(each, full) else replace(each, by=())
        for each in full.endpoints
        if each.name == sized or each.interval is not None or each.name in _deciding(full)
    )
    if tasks is not None:
        deciding = _deciding(full) | {sized}
        endpoints = tuple(each for each in endpoints if each.name in deciding or not _factual(each))
    factual = [each.name for each in endpoints if _factual(each)]
    if factual and (sets is None or tasks is not None):
        summary = f"`{factual[0]}` reads facts of the tasks, which only a pool can tell"
        span = loaded.spans.key("endpoints", factual[0])
        raise SpecErrors([Diagnostic(code="P369", summary=summary, span=span, hint="prereg harvest first")])
    return replace(
        full,
        question="",
        simulated=True,
        tasks=full.tasks if factual else tuple(_stand_ins(loaded, sets, tasks)),
        endpoints=endpoints,
        decision=replace(full.decision, claim="", wording={}),
        sample_size={},
        threats=(),
        does_not_show="",
        foreknowledge={},
        selection={},
    )


def design_digest(plan: AnalysisPlan) -> str:
    """Give the digest of a design, by which a simulation says what it is for.

    What is empty is left out, so that a later version of the tool that can say more does not give an old design another name.
    """
    content: Plain = {"type": TYPE, "design": _said(to_plain(plan))}
    return digest(canonical(content))


def _said(value: Plain) -> Plain:
    if isinstance(value, Mapping):
        told = {key: _said(each) for key, each in value.items()}
        return {key: each for key, each in told.items() if each is not None and each not in ("", {}, [])}
    if isinstance(value, list | tuple):
        return [_said(each) for each in value]
    return value


def _deciding(full: AnalysisPlan) -> set[str]:
    """Name the endpoints that the rule reads: of ``solved.gpt.lower`` the longest beginning that is one."""
    named = {each.name for each in full.endpoints}
    read = {_endpoint_of(name, named) for name in _read(full.decision)}
    return read | set(full.decision.family)


def _endpoint_of(name: str, named: Container[str]) -> str:
    parts = name.split(".")
    found = (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return next((each for each in found if each in named), parts[0])


def _read(decision: DecisionPlan) -> set[str]:
    """Give what the rule reads: ``E.p``, ``E.LEVEL.lower``, ``E.count(ARM)``."""
    conditions = (*decision.supported_when, *decision.decidable_when)
    return {name for text in conditions for name in reads(parse(text).tree)}


def _by_level(endpoint: EndpointPlan, full: AnalysisPlan) -> bool:
    """Tell whether the rule reads an endpoint within a level of what it is broken down by; else that is for reading alone."""
    named = {each.name for each in full.endpoints}
    return any(
        _endpoint_of(name, named) == endpoint.name and name.removeprefix(f"{endpoint.name}.").count(".") > 0
        for name in _read(full.decision)
    )


def _factual(endpoint: EndpointPlan) -> bool:
    """Tell whether an endpoint reads facts of tasks that a stand-in does not have; its set it has."""
    named = {name for text in endpoint.where for name in reads(parse(text).tree)}
    return bool(endpoint.by) or not named <= {"set"} or any("changed(" in text for text in endpoint.where)


def _stand_ins(loaded: Loaded, sets: Sequence[SetTasks] | None, tasks: int | None) -> Iterable[TaskFacts]:
    deciding = set(loaded.spec.decision.tasks) or {
        name for name, each in loaded.spec.tasks.items() if each.use == "decision"
    }
    drawn = {each.selected.name: len(each.candidates) for each in sets or ()}
    for name in sorted(loaded.spec.tasks):
        said = loaded.spec.tasks[name]
        count = drawn.get(name)
        if tasks is not None and name in deciding:
            count = tasks
        if count is None and isinstance(said.draw.take, int) and not said.draw.at_most:
            count = said.draw.take
        if count is None:
            summary = f"how many tasks `{name}` has is known only once there is a pool"
            span = loaded.spans.at("tasks", name, "draw")
            hint = "prereg harvest first, or say how many: take: 20"
            raise SpecErrors([Diagnostic(code="P369", summary=summary, span=span, hint=hint)])
        yield from (TaskFacts(id=f"{name}-{number:05}", set=name, use=said.use) for number in range(1, count + 1))
