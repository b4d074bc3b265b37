"""Steps and repairs that an arm's agent can be taken through: refused before anything is locked where it cannot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from compiler.arms import resolve
from compiler.checks.subject import quoted
from compiler.inputs import text_of
from compiler.lower import SetTasks
from compiler.own_terms import own_oracle
from compiler.plan import ArmPlan, Chosen
from compiler.steps import StepPlan
from spec_lang.catalog import OF_REPAIRS
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.expr.ast import reads
from spec_lang.load import Loaded
from spec_lang.model import Choice, Spec

_TRACE = "trace"
_SHOWN = 5
CODES = {
    "P307": "a task that an arm's agent cannot be tried on: a step or a check is beyond it",
    "P308": "a fact of repairs is read, and there are none",
    "P309": "repairs that cannot be told: an agent that takes none, or a text that says nothing",
}

Lacking: TypeAlias = Callable[[ArmPlan, Sequence[StepPlan]], str | None]
"""Says which of some steps an arm's agent cannot be taken through, as the rest of a sentence, or None; injected by the face."""

Unseen: TypeAlias = Callable[[ArmPlan], bool]
"""Says whether an arm's agent shows nothing of what it does."""

Unrepairable: TypeAlias = Callable[[ArmPlan], bool]
"""Says whether an arm's agent cannot be told that its result does not pass."""


def check_steps(loaded: Loaded, sets: Sequence[SetTasks], lacking: Lacking | None) -> Iterator[Diagnostic]:
    """Every arm's agent can be taken through all steps of every drawn task: half a task would be another task."""
    arms = () if lacking is None else resolve(loaded.spec)
    said: dict[tuple[str, Sequence[StepPlan]], str | None] = {}  # thousands of tasks have few kinds of steps among them
    for each in sets:
        beyond: dict[str, list[tuple[str, str]]] = {}  # what an agent cannot, and which tasks in which arms ask for it
        for prompt in each.prompts:
            for arm in arms:
                assert lacking is not None
                if (arm.name, prompt.steps) not in said:
                    said[arm.name, prompt.steps] = lacking(arm, prompt.steps)
                why = said[arm.name, prompt.steps]
                if why is not None:
                    beyond.setdefault(f"its agent, `{arm.agent.kind}`, {why}", []).append((prompt.task, arm.name))
        hint = (
            "leave the task out, or give the arm another kind of agent; docs/agents.md says which takes what; "
            "a task's file that was changed is harvested again"
        )
        yield from _untried(loaded, each, beyond, hint)


def check_streams(loaded: Loaded, sets: Sequence[SetTasks], unseen: Unseen | None) -> Iterator[Diagnostic]:
    """Where a drawn task is judged by what its agent did, every arm's agent shows that: else the check could never be told."""
    blind = [arm for arm in resolve(loaded.spec) if unseen(arm)] if unseen is not None else []
    for each in sets if blind else ():
        beyond: dict[str, list[tuple[str, str]]] = {}
        for task, kind in _checks(loaded.spec, each):
            for arm in blind if kind == _TRACE else ():
                why = f"a check of kind `{_TRACE}` reads what the agent did, and `{arm.agent.kind}` does not show it"
                beyond.setdefault(why, []).append((task, arm.name))
        hint = "leave the task out, or give the arm an agent whose stream is read; docs/traces.md says more"
        yield from _untried(loaded, each, beyond, hint)


def _untried(
    loaded: Loaded, each: SetTasks, beyond: Mapping[str, Sequence[tuple[str, str]]], hint: str
) -> Iterator[Diagnostic]:
    """Say once why tasks of a set cannot be tried, however many they are, in however many arms at however many levels."""
    for why, found in beyond.items():
        tasks = tuple(dict.fromkeys(task for task, _ in found))
        arms = tuple(dict.fromkeys(arm for _, arm in found))
        yield Diagnostic(
            code="P307",
            summary=f"{_listed('task', tasks)} cannot be tried in {_listed('arm', arms)}: {why}",
            span=loaded.spans.key("tasks", each.selected.name),
            hint=hint,
        )


def _listed(noun: str, names: Sequence[str]) -> str:
    """Name some things, the first of them where they are many: ``tasks `a`, `b` and 7 more``."""
    shown = quoted(names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{noun}{'s' if len(names) > 1 else ''} {shown}{more}"


def _checks(spec: Spec, each: SetTasks) -> Iterator[tuple[str, str]]:
    """Give (task, kind) of every check of the drawn tasks."""
    shared = spec.tasks[each.selected.name].oracle
    for candidate in each.candidates:
        checks: Mapping[str, object] = own_oracle(candidate).checks if shared.from_ == "task" else shared.checks
        for check in checks.values():
            if isinstance(check, Chosen | Choice):
                yield candidate.id, check.kind


def check_repairs(loaded: Loaded, unrepairable: Unrepairable | None) -> Iterator[Diagnostic]:
    """Repairs reach the agent of every arm; their facts are read only where there are any."""
    repairs = loaded.spec.trials.repairs
    if repairs is None:
        yield from _read_in_vain(loaded)
        return
    deaf: dict[str, list[str]] = {}
    for arm in resolve(loaded.spec) if unrepairable is not None else ():
        assert unrepairable is not None
        if unrepairable(arm):
            deaf.setdefault(arm.agent.kind, []).append(arm.name)
    for kind, arms in deaf.items():
        yield Diagnostic(
            code="P309",
            summary=f"in {_listed('arm', arms)} the agent, `{kind}`, cannot be told that its result does not pass",
            span=loaded.spans.at("trials", "repairs"),
            hint="leave `repairs` out, or name another agent",
        )


def check_repair_text(loaded: Loaded, inputs: Mapping[str, bytes]) -> Iterator[Diagnostic]:
    """What is said of a result that does not pass is a text that says something."""
    repairs = loaded.spec.trials.repairs
    if repairs is None:
        return
    span = loaded.spans.at("trials", "repairs", "say")
    try:
        text = text_of(repairs.say, inputs, span)
    except SpecErrors as found:
        yield from found.diagnostics
        return
    if not text.strip():
        yield Diagnostic(
            code="P309", summary=f"{repairs.say} says nothing, so the agent would be told nothing", span=span
        )


def _read_in_vain(loaded: Loaded) -> Iterator[Diagnostic]:
    spec = loaded.spec
    read: dict[tuple[str | int, ...], frozenset[str]] = {}
    for name, measure in sorted(spec.measures.items()):
        read["measures", name] = frozenset(reads(measure.tree))
    for name, endpoint in sorted(spec.endpoints.items()):
        read["endpoints", name] = frozenset({str(endpoint.measure)})
    for place, rule in enumerate(spec.missing.rules):
        read["missing", "rules", place, "when"] = frozenset(reads(rule.when.tree))
    for path, names in read.items():
        wanted = sorted(names & OF_REPAIRS)
        if wanted:
            summary = f"`{wanted[0]}` is read, and the spec has no repairs"
            hint = "trials: {repairs: {at_most: 1, say: repair.md}}"
            yield Diagnostic(code="P308", summary=summary, span=loaded.spans.at(*path), hint=hint)
