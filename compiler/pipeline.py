"""The compiler on one page: a spec, its pool and its inputs become a locked plan, or diagnostics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from compiler.burned import BURNED
from compiler.checks.secrets import secrets_in
from compiler.checks.subject import CommandLine, CostRoutes, Environment, Reported, Subject, Untaken
from compiler.checks.suite import check_spec
from compiler.estimate import Estimate, estimate
from compiler.harvest_plan import harvest_digest, harvest_plan
from compiler.identity import spec_document
from compiler.inputs import input_names
from compiler.lower import SetTasks, analysis_plan, run_plan
from compiler.overhead import check_overhead, overheads
from compiler.own_terms import own_fixture
from compiler.plan import Plan
from compiler.pool import Pool
from compiler.prices import unpriced_models
from compiler.procedures import procedures
from compiler.rehearsed import check_simulation
from compiler.reported import with_report
from compiler.sets import draw_sets
from compiler.taking import Lacking, Unrepairable, Unseen, check_repair_text, check_repairs, check_steps, check_streams
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.load import Loaded
from spec_lang.span import Source

CODES = {"P390": "a pool that another spec asked for"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Compiled:
    """A spec, locked.

    ``plan_bytes`` and ``spec_bytes`` are the canonical documents that the two digests are of. ``prompts`` holds the whole
    prompt of each drawn task, the turns after it and its fixture under the digests that the plan names; they have to be kept
    beside the inputs.
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

    ``command_line`` and ``environment`` give an arm's command line and variables, ``untaken`` what its provider hands over and its
    agent does not take, ``reported`` the trial facts that it can report, ``cost_routes`` by which routes an arm's costs
    can be measured.
    """

    command_line: CommandLine | None = None
    environment: Environment | None = None
    untaken: Untaken | None = None
    reported: Reported | None = None
    cost_routes: CostRoutes | None = None
    lacking: Lacking | None = None
    unrepairable: Unrepairable | None = None
    unseen: Unseen | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A spec on its way: what was handed in, what was found wrong so far, and what the passes have made of it."""

    loaded: Loaded
    pool: Pool
    inputs: Mapping[str, bytes]
    knowledge: Knowledge
    bag: Bag
    sets: tuple[SetTasks, ...] = ()
    spec_bytes: bytes = b""
    plan: Plan | None = None


def compile_spec(
    loaded: Loaded, pool: Pool, inputs: Mapping[str, bytes], *, knowledge: Knowledge | None = None
) -> Compiled:
    """Lock a spec over its pool; the same bytes in give the same bytes out.

    ``inputs``: file name as written in the spec → bytes, ``pool/candidates.jsonl``, and ``registration:NAME`` → bytes of
    that registration's plan.json for each NAME in ``disjoint_from``.

    Raises:
        SpecErrors: Everything found wrong up to the first pass that finds an error.
    """
    draft = Draft(loaded=loaded, pool=pool, inputs=inputs, knowledge=knowledge or Knowledge(), bag=Bag())
    for run in PASSES:
        draft = run(draft)
        draft.bag.raise_errors()
    assert draft.plan is not None  # the last pass makes it
    plan_bytes = canonical(to_plain(draft.plan))
    return Compiled(
        plan=draft.plan,
        plan_bytes=plan_bytes,
        plan_digest=digest(plan_bytes),
        spec_bytes=draft.spec_bytes,
        spec_digest=draft.plan.spec_digest,
        warnings=draft.bag.warnings,
        estimate=estimate(draft.plan.run),
        prompts=_told(draft.sets),
    )


def _told(sets: Sequence[SetTasks]) -> dict[str, bytes]:
    """Give all texts that tasks bring to their agents: every turn, and the fixtures, by digest."""
    fixtures = [own_fixture(candidate) for each in sets for candidate in each.candidates]
    told = {digest(each.data): each.data for each in fixtures if each is not None}
    return told | {name: data for each in sets for prompt in each.prompts for name, data in prompt.blobs.items()}


def check_loaded(loaded: Loaded, knowledge: Knowledge | None = None) -> tuple[Diagnostic, ...]:
    """Check a spec without its pool: give every error and warning, loading's warnings first; nothing is raised."""
    known = knowledge or Knowledge()
    subject = Subject(
        loaded=loaded,
        command_line=known.command_line,
        environment=known.environment,
        untaken=known.untaken,
        reported=known.reported,
        cost_routes=known.cost_routes,
    )
    repairs = check_repairs(loaded, known.unrepairable)
    return (*loaded.warnings, *check_spec(subject), *check_overhead(loaded), *repairs)


def check(draft: Draft) -> Draft:
    """Check what the author wrote: the spec, and the files beside it for secrets, as every registration holds them."""
    draft.bag.extend(check_loaded(draft.loaded, draft.knowledge))
    draft.bag.extend(check_repair_text(draft.loaded, draft.inputs))
    for name in (*input_names(draft.loaded.spec), BURNED):
        text = draft.inputs.get(name, b"").decode("utf-8", errors="replace")
        draft.bag.extend(secrets_in(Source(name=name, text=text)))
    return draft


def match(draft: Draft) -> Draft:
    """Refuse a pool that another harvest left."""
    asked, got = harvest_digest(harvest_plan(draft.loaded)), draft.pool.head.harvest
    if asked != got:
        draft.bag.add(
            Diagnostic(
                code="P390",
                summary="the pool belongs to another harvest than this spec asks for",
                span=draft.loaded.spans.key("tasks"),
                detail=f"the spec asks for {asked}, the pool answers {got}",
                hint="source, where, stability or environment changed: harvest again",
            )
        )
    return draft


def take(draft: Draft) -> Draft:
    """Select, exclude, draw and prompt the tasks of every set."""
    return replace(draft, sets=draw_sets(draft.loaded, draft.pool, draft.inputs))


def check_taken(draft: Draft) -> Draft:
    """Check the spec again, now that its tasks are known: their number, and what the models may have read."""
    subject = Subject(
        loaded=draft.loaded,
        drawn={each.selected.name: each.candidates for each in draft.sets},
        command_line=draft.knowledge.command_line,
        environment=draft.knowledge.environment,
        untaken=draft.knowledge.untaken,
        reported=draft.knowledge.reported,
        cost_routes=draft.knowledge.cost_routes,
    )
    said = set(draft.bag.diagnostics)
    draft.bag.extend(each for each in check_spec(subject) if each not in said)
    draft.bag.extend(check_steps(draft.loaded, draft.sets, draft.knowledge.lacking))
    draft.bag.extend(check_streams(draft.loaded, draft.sets, draft.knowledge.unseen))
    return draft


def hold(draft: Draft) -> Draft:
    """Hold what is claimed of the design against the simulation that the spec names."""
    draft.bag.extend(check_simulation(draft.loaded, draft.sets, draft.inputs))
    return draft


def lower(draft: Draft) -> Draft:
    """Write the plans."""
    spec_bytes = spec_document(draft.loaded.spec, draft.inputs)
    run = run_plan(draft.loaded, draft.sets, draft.inputs)
    draft.bag.extend(unpriced_models(draft.loaded, run.routes))
    analysis = analysis_plan(draft.loaded, draft.sets, overheads(draft.loaded, draft.inputs))
    plan = Plan(
        spec_digest=digest(spec_bytes),
        run=run,
        analysis=with_report(analysis, draft.loaded.spec, run),
        procedures=procedures(draft.loaded.spec),
    )
    return replace(draft, spec_bytes=spec_bytes, plan=plan)


PASSES: tuple[Callable[[Draft], Draft], ...] = (check, match, take, check_taken, hold, lower)
"""The passes, in their order."""
