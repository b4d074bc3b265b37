"""Find the tasks of a spec and freeze them in a pool, or prove a pool's tasks afresh."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from compiler.harvest_plan import harvest_plan
from compiler.plan import HarvestPlan
from compiler.pool import Pool
from compiler.pool_file import write
from compiler.private import private_env
from compiler.selection import SELECTING
from compiler.settings import chosen
from compiler.task import Candidate
from executor.harvest import HarvestReport, Step
from executor.harvest import harvest as carry_out
from ledger.blobs import Blobs
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from ledger.disk import disk_faults, write_whole
from prereg import places
from prereg.experiment import Experiment, experiment_of, spec_at
from prereg.kit import graders, sandbox_for, sources_for
from prereg.locking import pool_of
from prereg.reading import load_spec
from prereg.rules import keep_predicate, own_verdict
from prereg.stores import refuse_inside
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.load import Loaded

CODES = {
    "P936": "a task of the pool that no longer passes its gate, or no longer proves the same",
    "P939": "a task to validate that no source of the spec knows",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Harvested:
    """A pool that was written, and how its harvest went."""

    spec: Path
    file: Path
    pool: Pool
    report: HarvestReport

    @property
    def document(self) -> dict[str, Any]:
        """Its counts by set and by reason, as JSON."""
        sets = {
            name: {
                "origin": each.origin,
                "found": each.found,
                "proved": each.proved,
                "kept": each.kept,
                "dropped": dict(each.dropped),
                "conditions": self._conditions(name),
            }
            for name, each in self.report.sets.items()
        }
        return {
            "pool": str(self.file),
            "pool_digest": digest(write(self.pool)),
            "harvest": self.pool.head.harvest,
            "seconds": float(self.report.seconds),
            "sets": sets,
        }

    def _conditions(self, name: str) -> dict[str, int]:
        """Count the candidates of a set by the first condition that does not hold."""
        first = (each.reasons[0] for each in self.pool.candidates if each.set == name and each.reasons)
        return dict(sorted(Counter(reason.what for reason in first if reason.code in SELECTING).items()))


@dataclass(frozen=True, kw_only=True, slots=True)
class Validated:
    """The tasks that passed their gate. ``as_in_pool``: they are those of the pool, and proved what stands in it again."""

    tasks: tuple[str, ...]
    as_in_pool: bool


def harvest(path: Path, *, report: Callable[[Step], None]) -> Harvested:
    """Harvest what a spec asks for into ``pool/``; an earlier pool is replaced only when the new one is whole.

    Raises SpecErrors for faults of the spec, WorldFault when a repository or a program it needs is not there.
    """
    loaded, experiment = _loaded(path)
    with disk_faults(experiment.pool_blobs):
        experiment.pool_blobs.mkdir(parents=True, exist_ok=True)
    pool, told = _carry_out(loaded, experiment, experiment.pool_blobs, report)
    write_whole(experiment.candidates, write(pool))
    # How it went on this machine, with timings; nothing is derived from it.
    write_whole(experiment.candidates.with_name("harvest.json"), canonical(to_plain(told)))
    return Harvested(spec=spec_at(path), file=experiment.candidates, pool=pool, report=told)


def validate(path: Path, *, only: Collection[str] = (), report: Callable[[Step], None]) -> Validated:
    """Harvest again without writing, and compare every kept task's gate with the pool's.

    ``only`` names the tasks to prove; it needs no pool, so that a task can be tried while it is written.
    Raises SpecErrors with one diagnostic for each task that no longer passes, or proves something else.
    """
    loaded, experiment = _loaded(path)
    if only:
        return _validate_some(loaded, experiment, frozenset(only), report)
    kept = [each for each in pool_of(experiment).candidates if each.status == "kept"]
    with TemporaryDirectory(prefix="prereg-validate-") as folder:
        again, _ = _carry_out(
            loaded, experiment, Path(folder), report, only={each.id for each in kept}, sealed=Path(folder, "sealed")
        )
    now = {(each.set, each.id): each for each in again.candidates}
    faults = [found for each in kept if (found := compare(each, now.get((each.set, each.id))))]
    if not kept:
        faults = [
            Diagnostic(
                code="P936", summary="the pool keeps no task", hint="prereg tasks --all says why each was dropped"
            )
        ]
    if faults:
        raise SpecErrors(faults)
    return Validated(tasks=tuple(each.id for each in kept), as_in_pool=True)


def _validate_some(
    loaded: Loaded, experiment: Experiment, only: frozenset[str], report: Callable[[Step], None]
) -> Validated:
    with TemporaryDirectory(prefix="prereg-validate-") as folder:
        proved, _ = _carry_out(loaded, experiment, Path(folder), report, only=only, sealed=Path(folder, "sealed"))
    faults = []
    for name in sorted(only - {each.id for each in proved.candidates}):
        hint = "prereg tasks --all lists the candidates of a harvest"
        faults.append(Diagnostic(code="P939", summary=f"no source of the spec knows a task {name}", hint=hint))
    for each in proved.candidates:
        if each.status == "dropped":
            why = "; ".join(f"{reason.code}: {reason.what} {reason.detail}".strip() for reason in each.reasons)
            faults.append(Diagnostic(code="P936", summary=f"{each.id} fails its gate: {why}"))
    if faults:
        raise SpecErrors(faults)
    return Validated(tasks=tuple(each.id for each in proved.candidates), as_in_pool=False)


def _loaded(path: Path) -> tuple[Loaded, Experiment]:
    spec = spec_at(path)
    return load_spec(spec), experiment_of(spec)


def _carry_out(
    loaded: Loaded,
    experiment: Experiment,
    blobs: Path,
    report: Callable[[Step], None],
    only: Collection[str] | None = None,
    sealed: Path | None = None,
) -> tuple[Pool, HarvestReport]:
    plan: HarvestPlan = harvest_plan(loaded)
    spec = loaded.spec
    refuse_inside(experiment, sorted({env for each in spec.tasks.values() if (env := private_env(each.source))}))
    return carry_out(
        plan,
        base=experiment.root,
        sources=sources_for(plan),
        graders=graders(),
        sandbox=sandbox_for(chosen(spec.sandbox) if spec.sandbox else None),
        blobs=Blobs(blobs),
        keep=keep_predicate(plan),
        own_verdict=own_verdict,
        scratch=places.scratch(),
        cache=places.cache(),
        report=report,
        workers=spec.trials.concurrency,
        only=only,
        sealed=sealed,
    )


def compare(before: Candidate, now: Candidate | None) -> Diagnostic | None:
    """Compare a kept candidate with what its gate says now; a task that selection alone drops is still named."""
    hint = "harvest again and compile anew (prereg harvest), or find out what changed on this machine"
    if now is None:
        return Diagnostic(code="P936", summary=f"{before.id} is no longer found", hint=hint)
    if now.status == "dropped":
        why = "; ".join(f"{each.code}: {each.what} {each.detail}".strip() for each in now.reasons)
        return Diagnostic(code="P936", summary=f"{before.id} fails its gate: {why}", hint=hint)
    if (now.material, now.evidence, now.private) != (before.material, before.evidence, before.private):
        detail = f"evidence was {dict(before.evidence)}, is {dict(now.evidence)}"
        summary = f"{before.id} passes its gate, and proves something else than in the pool"
        return Diagnostic(code="P936", summary=summary, detail=detail, hint=hint)
    return None
