"""Lock what the author wrote: compile into a registration, or register a change as an amendment."""

from dataclasses import dataclass, replace
from pathlib import Path

from compiler.amend import ACCESS, most_seen
from compiler.amend import amend as register_amendment
from compiler.pipeline import Compiled
from compiler.pool import Pool
from compiler.pool_file import read as read_pool
from compiler.registration import Access
from compiler.registry import Entry, Registry
from ledger.blobs import Blobs
from ledger.errors import Fault, IntegrityFault
from ledger.records import Analysis, Judgment, Line, Outcome, Peek
from prereg import clock, tool
from prereg.case import Case, material
from prereg.current import Written, changes, complete, means_the_same, registered
from prereg.experiment import SPEC, Experiment, RunFolder, experiment_of, spec_at
from prereg.freshness import compile_fresh
from spec_lang.diagnostics import Diagnostic, SpecErrors

CODES = {
    "P932": "no pool: nothing was harvested yet",
    "P933": "a spec to register that is not called spec.yaml",
    "P934": "a spec that means something else than its registration: it has to be amended",
    "P937": "another version of the tool compiles the spec into another plan; the registered one stands",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Locked:
    """A spec and its registration; ``new`` is False when the same spec was registered before.

    ``warnings`` are about the registration; those of the spec are in ``compiled``.
    """

    entry: Entry
    compiled: Compiled
    new: bool
    warnings: tuple[Diagnostic, ...] = ()


def compile_(path: Path) -> Locked:
    """Compile a spec and register it, or give the registration that it already has.

    Raises SpecErrors for faults of the spec, and for a spec that differs from the newest registration (amend it).
    """
    experiment, written, compiled = _compiled(path)
    registry = Registry(experiment.registry)
    newest = registry.newest()
    if newest is None:
        entry = registry.register(
            compiled,
            source_bytes=written.source_bytes,
            inputs=written.inputs,
            tool=tool.identity(),
            now=clock.now(),
            new_id=clock.new_id(),
            access=most_seen(written.loaded.spec.foreknowledge.access, seen(experiment)),
        )
        return Locked(entry=entry, compiled=compiled, new=True)
    if not means_the_same(newest, compiled.spec_digest):
        raise SpecErrors([_amend_instead(newest, written)])
    return Locked(entry=newest, compiled=compiled, new=False, warnings=_other_plan(newest, compiled))


def amend(path: Path, reason: str) -> Locked:
    """Register a changed spec as a child of the newest registration; what had been seen is read from the ledgers.

    Raises SpecErrors when nothing was registered yet, or nothing changed.
    """
    experiment, written, compiled = _compiled(path)
    registry = Registry(experiment.registry)
    newest = registry.newest()
    if newest is not None and means_the_same(newest, compiled.spec_digest):
        raise SpecErrors([_nothing_to_amend(newest)])
    entry = register_amendment(
        registry,
        compiled,
        reason=reason,
        access_floor=seen(experiment),
        stated_access=written.loaded.spec.foreknowledge.access,
        source_bytes=written.source_bytes,
        inputs=written.inputs,
        tool=tool.identity(),
        now=clock.now(),
        new_id=clock.new_id(),
    )
    return Locked(entry=entry, compiled=compiled, new=True)


def pool_of(experiment: Experiment) -> Pool:
    """Read the pool. Raises SpecErrors when nothing was harvested yet."""
    if not experiment.candidates.is_file():
        raise SpecErrors([_no_pool(experiment)])
    return read_pool(experiment.candidates.read_bytes(), where=str(experiment.candidates))


def _compiled(path: Path) -> tuple[Experiment, Written, Compiled]:
    spec = spec_at(path)
    if spec.name != SPEC:
        summary = f"the spec of an experiment folder is called {SPEC}, this one {spec.name}"
        hint = f"rename it, or give it a folder of its own: a registration must be comparable with {SPEC} beside it"
        raise SpecErrors([Diagnostic(code="P933", summary=summary, hint=hint)])
    experiment = experiment_of(spec)
    written = complete(spec, experiment)
    compiled = compile_fresh(written, pool_of(experiment), experiment)
    _refuse_missing_blobs(experiment, compiled)
    return experiment, written, compiled


def seen(experiment: Experiment) -> Access:
    """Read from the ledgers what had been seen at least: nothing run, runs not opened, or outcomes seen."""
    level = 0
    for folder in sorted(experiment.runs.iterdir()) if experiment.runs.is_dir() else ():
        run = RunFolder(root=folder)
        if not run.record.is_file():
            continue
        for line in _lines(run):
            if isinstance(line.record, Outcome):
                level = max(level, 1)
            if isinstance(line.record, Peek | Analysis | Judgment):  # who judged a trial has looked at its result
                level = 2
    return ACCESS[level]


def _lines(run: RunFolder) -> tuple[Line, ...]:
    """Give the lines of a run's ledger; what is wrong with it names the run, as nobody asked for that one."""
    try:
        return Case(run).lines
    except IntegrityFault as fault:
        places = (
            f"runs/{run.name}" if each.where is None else f"runs/{run.name}: {each.where}" for each in fault.reasons
        )
        named = (replace(each, where=place) for each, place in zip(fault.reasons, places, strict=True))
        raise IntegrityFault(*named) from None


def _other_plan(newest: Entry, compiled: Compiled) -> tuple[Diagnostic, ...]:
    """Refuse another plan from the same spec by the same tool; from another build of the tool, say that the old one stands."""
    registered_plan = str(newest.registration.plan["digest"])
    if registered_plan == compiled.plan_digest:
        return ()
    made_by, now = newest.registration.tool, tool.identity()
    if made_by["digest"] == now["digest"]:
        raise IntegrityFault(
            Fault(
                code="plan-differs",
                what=f"the spec of {newest.name} compiles into another plan than the registered one",
                expected=registered_plan,
                got=compiled.plan_digest,
                where=str(newest.folder / "plan.json"),
                hint="the registration was not made by this tool from this spec",
            )
        )
    return (
        Diagnostic(
            code="P937",
            severity="warning",
            summary=f"this prereg {now['version']} compiles the spec into another plan than {newest.name}; the registered plan stands",
            detail=f"it was registered by {made_by['name']} {made_by['version']} ({made_by['digest']})",
        ),
    )


def _nothing_to_amend(newest: Entry) -> Diagnostic:
    summary = f"nothing to amend: the spec means what {newest.name} registered"
    return Diagnostic(code="P906", summary=summary, hint="formatting and comments need no amendment")


def _refuse_missing_blobs(experiment: Experiment, compiled: Compiled) -> None:
    blobs = Blobs(experiment.pool_blobs)
    lost = [
        Fault(
            code="blob-missing",
            what=f"the pool has lost {name} of task {task.id}",
            expected=digest,
            where=str(blobs.path(digest)),
            hint="restore pool/blobs, or harvest again: prereg harvest",
        )
        for task in compiled.plan.run.tasks
        if task.private is None  # whoever compiles a plan again need not have the store
        for name, digest in material(task).items()
        if not blobs.has(digest)
    ]
    if lost:
        raise IntegrityFault(*lost)


def _amend_instead(newest: Entry, written: Written) -> Diagnostic:
    changed = "; ".join(str(each) for each in changes(registered(newest), written))
    return Diagnostic(
        code="P934",
        summary=f"the spec means something else than its registration {newest.name}",
        detail=changed,
        hint="register the change: prereg amend spec.yaml --reason 'why it changes'; or undo it",
    )


def _no_pool(experiment: Experiment) -> Diagnostic:
    return Diagnostic(
        code="P932",
        summary=f"there is no pool of tasks: {experiment.candidates}",
        hint=f"find the tasks first: prereg harvest {experiment.spec}",
    )
