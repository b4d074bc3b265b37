"""The compiler on one page: a spec, its pool and its inputs become a locked plan, or diagnostics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiler.checks.secrets import secrets_in
from compiler.checks.subject import CommandLine, Subject
from compiler.checks.suite import check_spec
from compiler.disjoint import drawn_before
from compiler.draw import draw
from compiler.estimate import Estimate, estimate
from compiler.exclusions import exclusions
from compiler.harvest_plan import harvest_digest, harvest_plan
from compiler.identity import spec_document
from compiler.inputs import input_names
from compiler.lower import SetTasks, analysis_plan, run_plan
from compiler.plan import Plan
from compiler.pool import Pool
from compiler.procedures import procedures
from compiler.prompts import prompts
from compiler.selection import Selected, select
from compiler.task import Candidate
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.load import Loaded
from spec_lang.span import Source

CODES = {
    "P390": "a pool that another spec asked for",
    "P393": "a task that two sets draw",
    "P397": "a candidate that was kept without its material",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Compiled:
    """A spec, locked.

    ``plan_bytes`` and ``spec_bytes`` are the canonical documents that the two digests are of. ``prompts`` holds the whole
    prompt of each drawn task under the digest that the plan names; they have to be kept beside the inputs.
    """

    plan: Plan
    plan_bytes: bytes
    plan_digest: str
    spec_bytes: bytes
    spec_digest: str
    warnings: tuple[Diagnostic, ...]
    estimate: Estimate
    prompts: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Knowledge:
    """What the face knows of plugins and the compiler may not look up; both only add checks, never change a plan.

    ``command_line`` gives an arm's command line, ``reported`` the trial facts that each kind of agent can report.
    """

    command_line: CommandLine | None = None
    reported: Mapping[str, frozenset[str]] = field(default_factory=dict)


def check_loaded(loaded: Loaded, knowledge: Knowledge | None = None) -> tuple[Diagnostic, ...]:
    """Check a spec without its pool: give every error and warning, loading's warnings first; nothing is raised."""
    return (*loaded.warnings, *check_spec(_subject(loaded, knowledge, None)))


def compile_spec(
    loaded: Loaded, pool: Pool, inputs: Mapping[str, bytes], *, knowledge: Knowledge | None = None
) -> Compiled:
    """Lock a spec over its pool; the same bytes in give the same bytes out.

    ``inputs``: file name as written in the spec → bytes, ``pool/candidates.jsonl``, and ``registration:NAME`` → bytes of
    that registration's plan.json for each NAME in ``disjoint_from``.

    The passes: check → match the pool → select → exclude → draw → check again with what was drawn → prompts → lower.

    Raises:
        SpecErrors: Everything found wrong by the first pass that finds an error.
    """
    bag = Bag()
    bag.extend(check_loaded(loaded, knowledge))
    bag.extend(_secrets(loaded, inputs))
    bag.raise_errors()
    _match(loaded, pool)
    sets = _tasks(loaded, select(loaded, pool), inputs)
    drawn = {each.selected.name: each.candidates for each in sets}
    known = set(bag.diagnostics)
    bag.extend(each for each in check_spec(_subject(loaded, knowledge, drawn)) if each not in known)
    bag.raise_errors()
    spec_bytes = spec_document(loaded.spec, inputs)
    run = run_plan(loaded, sets, inputs)
    plan = Plan(
        spec_digest=digest(spec_bytes),
        run=run,
        analysis=analysis_plan(loaded, sets),
        procedures=procedures(loaded.spec),
    )
    plan_bytes = canonical(to_plain(plan))
    return Compiled(
        plan=plan,
        plan_bytes=plan_bytes,
        plan_digest=digest(plan_bytes),
        spec_bytes=spec_bytes,
        spec_digest=plan.spec_digest,
        warnings=bag.warnings,
        estimate=estimate(run),
        prompts={prompt.digest: prompt.data for each in sets for prompt in each.prompts},
    )


def _subject(loaded: Loaded, knowledge: Knowledge | None, drawn: Mapping[str, tuple[Candidate, ...]] | None) -> Subject:
    known = knowledge or Knowledge()
    return Subject(loaded=loaded, drawn=drawn, command_line=known.command_line, reported=known.reported)


def _secrets(loaded: Loaded, inputs: Mapping[str, bytes]) -> Iterator[Diagnostic]:
    """Look for secrets in the files that the author wrote: they are copied into every registration, like the spec."""
    for name in input_names(loaded.spec):
        text = inputs.get(name, b"").decode("utf-8", errors="replace")
        yield from secrets_in(Source(name=name, text=text))


def _match(loaded: Loaded, pool: Pool) -> None:
    asked = harvest_digest(harvest_plan(loaded))
    if pool.head.harvest != asked:
        raise SpecErrors(
            [
                Diagnostic(
                    code="P390",
                    summary="the pool belongs to another harvest than this spec asks for",
                    span=loaded.spans.key("tasks"),
                    detail=f"the spec asks for {asked}, the pool answers {pool.head.harvest}",
                    hint="source, where, stability or environment changed: harvest again",
                )
            ]
        )


def _tasks(loaded: Loaded, chosen: Sequence[Selected], inputs: Mapping[str, bytes]) -> tuple[SetTasks, ...]:
    """Exclude, draw and prompt every set; all sets are looked at before anything is raised."""
    bag = Bag()
    sets: list[SetTasks] = []
    for selected in chosen:
        try:
            sets.append(_one_set(loaded, selected, inputs))
        except SpecErrors as found:
            bag.extend(found.diagnostics)
    bag.raise_errors()
    bag.extend(_drawn_twice(loaded, sets))
    bag.raise_errors()
    return tuple(sets)


def _one_set(loaded: Loaded, selected: Selected, inputs: Mapping[str, bytes]) -> SetTasks:
    name = selected.name
    how = loaded.spec.tasks[name].draw
    # Exclusions are read before the draw, from the file alone: nothing of the draw can reach them.
    excluded = exclusions(loaded, selected, inputs)
    passed_over = {task: f"drawn by {earlier}" for task, earlier in drawn_before(loaded, name, inputs).items()}
    passed_over |= {task: f"excluded: {reason}" for task, reason in excluded.items()}
    passed_over |= {task: f"gate: {reason.code}" for task, reason in selected.gated.items()}
    drawn = draw(selected.eligible, how, passed_over, span=loaded.spans.at("tasks", name, "draw"))
    candidates = tuple(selected.candidates[task] for task in drawn.taken)
    bag = Bag()
    bag.extend(_without_material(loaded, name, candidates))
    bag.raise_errors()
    return SetTasks(
        selected=selected,
        excluded=excluded,
        drawn=drawn,
        candidates=candidates,
        prompts=prompts(loaded, name, candidates, inputs),
    )


def _without_material(loaded: Loaded, name: str, candidates: Sequence[Candidate]) -> Sequence[Diagnostic]:
    span = loaded.spans.key("tasks", name)
    return [
        Diagnostic(
            code="P397", summary=f"the pool keeps `{each.id}` without its files", span=span, hint="harvest again"
        )
        for each in candidates
        if each.material is None
    ]


def _drawn_twice(loaded: Loaded, sets: Sequence[SetTasks]) -> Sequence[Diagnostic]:
    seen: dict[str, str] = {}
    found = []
    for each in sets:
        for task in each.drawn.taken:
            if task in seen:
                summary = f"task `{task}` is drawn by `{seen[task]}` and by `{each.selected.name}`"
                span = loaded.spans.key("tasks", each.selected.name)
                found.append(
                    Diagnostic(code="P393", summary=summary, span=span, hint="make the conditions exclude each other")
                )
            seen[task] = each.selected.name
    return found
