"""What was known before: pilots stay out of the confirmation, and models that may have read the fixes are named."""

from collections.abc import Iterator
from datetime import date

from compiler.arms import SCRIPTED, resolve
from compiler.checks.subject import Subject, each, fault, quoted
from compiler.contamination import predated_models, task_date
from spec_lang.diagnostics import Diagnostic

CODES = {
    "P370": "a cut-off that is no date",
    "P371": "outcomes were seen, and nothing says where",
    "P372": "a confirmatory spec whose tasks may be the pilot's",
    "P373": "a model without a cut-off",
    "P374": "a cut-off of a model that no arm uses",
    "P375": "a task that a model may have read the fix of",
    "P376": "a confirmatory stage with an agent that is no evidence",
}


def check_foreknowledge(subject: Subject) -> Iterator[Diagnostic]:
    """Foreknowledge is stated so that a reader can weigh it.

    1. Cut-offs are dates, and every model under test has one; a task dated on or before it is flagged by name.
    2. Whoever has seen outcomes lists the pilots, and a confirmatory spec draws none of their tasks.
    3. A simulated or scripted agent is never evidence: it may run under any stage, always labelled.
    """
    yield from _cutoffs(subject)
    yield from _pilots(subject)
    yield from _stage(subject)
    yield from _contamination(subject)


def _cutoffs(subject: Subject) -> Iterator[Diagnostic]:
    cutoffs = subject.spec.foreknowledge.model_cutoffs
    for model in each(cutoffs):
        span = subject.at("foreknowledge", "model_cutoffs", model)
        if _date(cutoffs[model]) is None:
            yield fault("P370", f"`{cutoffs[model]}` is no date", span, hint='"YYYY-MM-DD", in quotes')
    arms = resolve(subject.spec)
    used = {arm.agent.model: arm for arm in arms if arm.agent.model is not None}
    for model in sorted(set(used) - set(cutoffs)):
        if used[model].agent.kind not in SCRIPTED:
            hint = f'foreknowledge: {{model_cutoffs: {{{model}: "YYYY-MM-DD"}}}}'
            summary = f"model `{model}` has no cut-off, so nobody can tell whether it has read the fixes"
            yield fault("P373", summary, subject.key("foreknowledge"), hint=hint, severity="warning")
    for model in sorted(set(cutoffs) - set(used)):
        span = subject.key("foreknowledge", "model_cutoffs", model)
        hint = f"models of the arms: {quoted(sorted(used))}" if used else "no arm names a model"
        yield fault("P374", f"no arm uses model `{model}`", span, hint=hint, severity="warning")


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == len("2026-07-01") else None
    except ValueError:
        return None


def _pilots(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    known = spec.foreknowledge
    if spec.stage != "confirmatory":
        return
    if known.access == "outcomes-seen" and not known.pilots:
        span = subject.at("foreknowledge", "access")
        why = "a confirmation is only worth something on tasks whose outcomes nobody has seen"
        yield fault("P371", "outcomes were seen, and no pilot is listed", span, detail=why, hint="pilots: [DIGEST]")
    for name in each(spec.tasks):
        missing = sorted(set(known.pilots) - set(spec.tasks[name].disjoint_from))
        if spec.tasks[name].use == "decision" and missing:
            yield fault(
                "P372",
                f"set `{name}` may draw tasks of the pilot",
                subject.key("tasks", name),
                detail="confirming a pilot on its own tasks counts its luck twice",
                hint=f"disjoint_from: [{missing[0]}]",
            )


def _stage(subject: Subject) -> Iterator[Diagnostic]:
    kinds = sorted({arm.agent.kind for arm in resolve(subject.spec) if arm.agent.kind in SCRIPTED})
    if subject.spec.stage == "confirmatory" and kinds:
        summary = f"the stage is confirmatory, and agent `{kinds[0]}` can never be evidence"
        why = "every page of the report will say so"
        yield fault("P376", summary, subject.at("stage"), detail=why, severity="warning")


def _contamination(subject: Subject) -> Iterator[Diagnostic]:
    """Flag drawn tasks that a model's training data may hold; one warning a model, naming its tasks."""
    found: dict[str, list[str]] = {}
    for name in each(subject.drawn or {}):
        assert subject.drawn is not None
        for candidate in subject.drawn[name]:
            for model in predated_models(subject.spec, candidate):
                found.setdefault(model, []).append(f"{candidate.id} ({task_date(candidate)})")
    for model in sorted(found):
        cutoff = subject.spec.foreknowledge.model_cutoffs[model]
        count = len(found[model])
        summary = f"{count} {'task is' if count == 1 else 'tasks are'} not newer than the cut-off of `{model}`"
        why = f"its training data, up to {cutoff}, may hold their fixes: {', '.join(sorted(found[model]))}"
        span = subject.at("foreknowledge", "model_cutoffs", model)
        yield fault("P375", summary, span, detail=why, severity="warning")
