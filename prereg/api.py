"""What prereg does, one function a verb, for programs; the command line is a thin layer over it."""

import inspect
import shutil
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, cast

from analyzer.powers import Powered
from compiler.difference import Change
from compiler.registry import Registry
from executor.harvest import Step
from executor.ports import Agent
from executor.progress import Progress
from ledger.errors import WorldFault
from prereg import audit as auditing
from prereg import (
    calculating,
    checking,
    commands,
    comparing,
    executing,
    harvesting,
    judging,
    judgment_views,
    locking,
    overhead,
    peeking,
    plugins,
    powering,
    published,
    recording,
    scaffold,
    sides,
    simulating,
    starters,
    stores,
)
from prereg import doctor as doctoring
from prereg import dry_run as planning
from prereg import (
    judgments as human,
)
from prereg import status as counting
from prereg.audited import Asked, Audited
from prereg.case import Case
from prereg.experiment import experiment_of, run_at, spec_at
from spec_lang.judgments_file import Entry
from spec_lang.schema import extended_schema


def init(folder: Path, starter: str) -> list[str]:
    """Lay a starter out in a new or empty folder; gives its files. Raises WorldFault when the folder is in use."""
    starters.lay(starter, folder)
    return sorted(each.relative_to(folder).as_posix() for each in folder.iterdir())


def check(spec: Path) -> checking.Checked:
    """Read a spec, with its pool where there is one. Raises SpecErrors with everything that is wrong."""
    return checking.check(spec)


def schema() -> dict[str, Any]:
    """Give the JSON Schema of a spec, with the options of every kind."""
    return extended_schema(plugins.described_kinds(None))


def harvest(spec: Path, *, report: Callable[[Step], None] = lambda _: None) -> harvesting.Harvested:
    """Find the spec's tasks, prove them, and write the pool."""
    return harvesting.harvest(spec, report=report)


def validate(
    spec: Path, *, only: Collection[str] = (), report: Callable[[Step], None] = lambda _: None
) -> harvesting.Validated:
    """Prove the pool's tasks afresh, or only those named, for which no pool is needed; nothing is written."""
    return harvesting.validate(spec, only=only, report=report)


def simulate(
    spec: Path,
    *,
    experiments: int = simulating.EXPERIMENTS,
    seed: int = 1,
    assumptions: Path | None = None,
    resamples: int = simulating.RESAMPLES,
    workers: int | None = None,
    out: Path | None = None,
    tasks: int | None = None,
    report: Callable[[int, int], None] = lambda _done, _all: None,
) -> simulating.Simulated:
    """Work out the operating characteristics of a spec's decision rule, and write simulation.json beside it."""
    asked = simulating.Asked(
        experiments=experiments,
        seed=seed,
        resamples=resamples,
        workers=workers,
        assumptions=assumptions,
        out=out,
        tasks=tasks,
    )
    return simulating.simulate(spec, asked, report=report)


def compile_(spec: Path) -> locking.Locked:
    """Lock a spec, or give the registration it has."""
    return locking.compile_(spec)


def amend(spec: Path, reason: str) -> locking.Locked:
    """Register a changed spec as a child of the newest registration."""
    return locking.amend(spec, reason)


def diff(before: Path, after: Path | None = None) -> tuple[Change, ...]:
    """Say field by field what differs between two registrations or specs, or since the registration before."""
    return sides.diff(before, after)


def execute(
    where: Path,
    run: str,
    *,
    stop: threading.Event | None = None,
    report: Callable[[Progress], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> executing.Executed:
    """Carry out a registration as a run, or resume it; ``stop`` asks it to end cleanly."""
    return executing.execute(where, run, stop=stop or threading.Event(), report=report, say=say)


def dry_run(where: Path) -> planning.DryRun:
    """Say what a registration would run: every trial in order, with its command line."""
    return planning.dry_run(where)


def status(run: Path) -> counting.Status:
    """Count a run's attempts and outcomes, blind to how they came out."""
    return counting.status(Case(run_at(run)))


def judge(run: Path, file: Path, *, reason: str | None = None) -> human.JudgedTrials:
    """Record what a file says people judge of trials; on an open run that is a look at outcomes, and needs its reason."""
    return human.judge_from_file(Case(run_at(run)), file, reason=reason)


def judge_trial(run: Path, entry: Entry) -> human.JudgedTrials:
    """Record what one person judges of one trial; a path of evidence is seen from here."""
    return human.judge_single(Case(run_at(run)), entry)


def judgments(run: Path) -> human.JudgedTrials:
    """Give the judgments that stand; nothing is written."""
    return human.standing(Case(run_at(run)))


def judgment_template(run: Path, *, blind: bool) -> str:
    """Write a judgments file to fill in; nothing is recorded."""
    return judgment_views.template(Case(run_at(run)), blind=blind)


def look(run: Path, reason: str) -> peeking.Looked:
    """Look at the outcomes of an open run; the ledger remembers it, with the reason, before anything is given."""
    return peeking.look(Case(run_at(run)), reason)


def analyze(run: Path) -> judging.Judged:
    """Apply the registered decision rule to a closed run and write its verdict and reports."""
    return judging.analyze(run_at(run))


def report(run: Path, *, into: Path | None = None) -> judging.Judged:
    """Render the reports again from the stored verdict; ``into`` is a page that gets the summary between its markers."""
    judged = judging.report(run_at(run))
    if into is not None:
        published.inject(into, (run / "report.md").read_text(encoding="utf-8"), run=judged.folder.root.resolve().name)
    return judged


def power(
    run: Path | None,
    *,
    spec: Path | None = None,
    assumptions: Path | None = None,
    experiments: int = powering.EXPERIMENTS,
    seed: int = 1,
    workers: int | None = None,
    report: Callable[[int, int], None] = lambda _done, _all: None,
) -> Powered:
    """Size the next run: from an analyzed pilot, or (without a run) from a spec's assumptions."""
    asked = simulating.Asked(experiments=experiments, seed=seed, workers=workers, assumptions=assumptions)
    if run is not None:
        return powering.from_run(run_at(run), asked, report=report)
    return powering.from_assumptions(spec or Path("spec.yaml"), asked, report=report)


def compare(one: Path, other: Path | None = None, *, arm: str | None = None) -> comparing.Comparison:
    """Compare two runs arm by arm, or, without a second one, the odd seeds of a run with its even ones."""
    if other is None:
        return comparing.compare_halves(run_at(one), arm)
    return comparing.compare_runs(run_at(one), run_at(other), arm)


def audit(run: Path, *, expect: str | None = None, page: Path | None = None) -> Audited:
    """Derive everything again; gives every check instead of raising. ``page`` publishes numbers to be compared."""
    return auditing.audit(Case(run_at(run)), Asked(expect=expect, published=page))


def audit_commands(run: Path) -> tuple[str, ...]:
    """Give the stock commands that repeat the audit's checks of bytes."""
    return commands.audit_commands(Case(run_at(run)))


def stat(line: str) -> dict[str, Any]:
    """Compute one line ``{"procedure", "inputs"}``; what must not be computed gives ``{"refuse": true, "reason": …}``."""
    return calculating.answer(line)


def agents() -> list[dict[str, Any]]:
    """List the installed agents."""
    return _listed("agents")


def record_run(run: Path, into: Path, *, trial: str | None = None) -> tuple[recording.Written, ...]:
    """Write recordings of what the agents of a closed run did. Raises as ``prereg.recording.record_run``."""
    return recording.record_run(run_at(run), into, trial=trial)


def providers() -> list[dict[str, Any]]:
    """List the installed providers."""
    return _listed("providers")


def new_provider(kind: str, into: Path) -> list[str]:
    """Lay a provider out as a package of its own; gives its files. Raises WorldFault for a name or a folder that is taken."""
    return scaffold.new_provider(kind, into)


def measure_overhead(
    spec: Path, *, replicates: int = 3, report: Callable[[int, int], None] = lambda _done, _all: None
) -> overhead.Measured:
    """Measure what every arm of a spec costs before it does anything; writes ``overhead.json`` beside the spec."""
    return overhead.measure(spec, replicates=replicates, report=report)


def tasks(spec: Path) -> list[dict[str, Any]]:
    """List the pool's candidates, with their reasons, and whether the newest registration drew them."""
    experiment = experiment_of(spec_at(spec))
    newest = Registry(experiment.registry).newest()
    drawn = {task.id for task in newest.plan().run.tasks} if newest else set()
    leaked = stores.burned_in(experiment)
    return [
        {
            "id": each.id,
            "set": each.set,
            "status": each.status,
            "drawn": each.id in drawn,
            "burned": leaked.get(each.id),
            "category": each.category,
            "title": str(each.facts.get("issue.title") or each.facts.get("subject") or each.facts.get("title") or ""),
            "reasons": [f"{reason.code}: {reason.what} {reason.detail}".rstrip() for reason in each.reasons],
        }
        for each in locking.pool_of(experiment).candidates
    ]


def resolve_task(spec: Path, task: str) -> dict[str, Any]:
    """Give all that is known of a candidate; of a private one from its store."""
    return stores.resolve(spec, task)


def burn_task(spec: Path, task: str, reason: str) -> dict[str, Any]:
    """Mark a task as leaked, so that no later draw takes it and no run uses it."""
    return stores.burn(spec, task, reason)


def doctor() -> tuple[doctoring.Finding, ...]:
    """Say what this machine can and cannot do."""
    return doctoring.examine()


def starter_names() -> Sequence[str]:
    """Name the starters that ``init`` can lay out."""
    return starters.names()


def starter_about(name: str) -> str:
    """Say in a line what a starter is."""
    return starters.about(name)


def _listed(slot: plugins.Slot) -> list[dict[str, Any]]:
    return [_described(each) for each in plugins.installed(slot).values()]


def _described(plugin: plugins.Plugin) -> dict[str, Any]:
    """Describe a plugin; one that cannot be loaded is listed with why."""
    found: dict[str, Any] = {"kind": plugin.kind, "distribution": plugin.distribution, "version": plugin.version}
    try:
        made = plugins.load(plugin.slot, plugin.kind)
    except WorldFault as fault:
        return found | {"doc": f"BROKEN: {fault.reasons[0].got}", "broken": True}
    found |= {"doc": (inspect.getdoc(type(made)) or "").split("\n", 1)[0], "broken": False}
    if plugin.slot == "agents":
        agent = cast("Agent", made)
        program = getattr(agent, "program", None)
        found |= {"simulated": agent.simulated, "measures": sorted(agent.measures), "program": program}
        found |= {"installed": None if program is None else shutil.which(program) is not None}
    return found
