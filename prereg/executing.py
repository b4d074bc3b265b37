"""Carry out a registered plan: open its run folder, hand the plan down with its kit, and see it through or stopped."""

import os
import platform
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compiler.registry import Entry, Registry
from executor.progress import Progress
from executor.run import execute as carry_out
from ledger.blobs import Blobs
from ledger.codec import decimal_text
from ledger.errors import Fault, IntegrityFault, WorldFault
from ledger.plain import Plain
from ledger.records import Opened
from ledger.store import Ledger
from prereg import clock, places, run_record, tool
from prereg.beside import commands, earlier_runs
from prereg.current import check_spec
from prereg.experiment import Experiment, RunFolder
from prereg.freshness import refuse_other_environments
from prereg.kit import kit_for
from prereg.rules import plan_rules
from prereg.run_record import RunRecord
from prereg.stores import refuse_burned


@dataclass(frozen=True, kw_only=True, slots=True)
class Executed:
    """How far a run has come, and where it stands."""

    folder: RunFolder
    entry: Entry
    progress: Progress

    @property
    def counts(self) -> dict[str, Plain]:
        """Trials and attempts in counts, and all money that is known to be spent; nothing of how trials came out."""
        now = self.progress
        return {
            "planned": now.planned,
            "outcomes": now.outcomes,
            "gaps": now.gaps,
            "attempts": now.attempts,
            "retried": now.retried,
            "spent_usd": decimal_text(now.spent),
            "unknown_costs": now.unknown_costs,
        }


def execute(
    where: Path,
    name: str,
    *,
    stop: threading.Event,
    report: Callable[[Progress], None],
    say: Callable[[str], None],
) -> Executed:
    """Carry out a registration (or an experiment's newest) as run ``name``; the same call resumes it.

    Raises WorldFault when something it needs is missing, it was stopped, or another executor has the run; IntegrityFault
    when the run folder belongs to another registration.
    """
    entry, experiment = registration_at(where)
    plan = entry.plan()
    for warning in _spec_warnings(experiment, entry):
        say(f"warning: {warning}")
    refuse_burned(experiment, plan.run)
    refuse_other_environments(entry, plan.run, experiment)
    folder = experiment.run(name)
    _refuse_other_registration(folder, entry)
    kit = kit_for(plan.run, experiment.root.resolve())
    with Ledger.open(folder.root, entry.digest, clock.now) as ledger:
        if not ledger.lines:
            begin(folder, entry, ledger, simulated=plan.run.simulated)
        progress = carry_out(
            plan.run,
            ledger=ledger,
            pool=Blobs(experiment.pool_blobs),
            inputs=Blobs(entry.folder / "inputs"),
            artefacts=Blobs(folder.blobs),
            kit=kit,
            rules=plan_rules(plan.run),
            scratch=places.scratch(),
            report=report,
            stop=stop,
        )
    if not progress.closed:
        raise WorldFault(_unfinished(progress, experiment, name))
    return Executed(folder=folder, entry=entry, progress=progress)


def registration_at(where: Path) -> tuple[Entry, Experiment]:
    """Give the registration at a path: its own folder, or the newest one of an experiment folder.

    Raises WorldFault when there is none.
    """
    if (where / "registration.json").exists():
        experiment = Experiment(root=where.resolve().parent.parent)
        entry = Registry(experiment.registry).find(where.resolve().name)
        if entry is None:
            hint = "give a folder of the experiment's registry, or the experiment folder"
            raise IntegrityFault(Fault(code="no-registration", what=f"{where} is in no registry", hint=hint))
        return entry, experiment
    experiment = Experiment(root=where)
    newest = Registry(experiment.registry).newest() if experiment.registry.is_dir() else None
    if newest is None:
        hint = f"lock the spec first: prereg compile {experiment.spec}"
        raise WorldFault(Fault(code="no-registration", what=f"nothing is registered in {where}", hint=hint))
    return newest, experiment


def _spec_warnings(experiment: Experiment, entry: Entry) -> tuple[str, ...]:
    try:
        return check_spec(experiment, Registry(experiment.registry).entries(), entry)
    except IntegrityFault as fault:
        first = fault.reasons[0]
        return (f"{first.what}; the registered plan is carried out, and analyze will refuse until this is settled",)


def _refuse_other_registration(folder: RunFolder, entry: Entry) -> None:
    if not folder.record.is_file():
        if folder.ledger.is_file() and folder.ledger.stat().st_size:
            hint = "restore run.json, or give the new run another name"
            raise IntegrityFault(
                Fault(code="no-run", what="a ledger without its run.json", where=str(folder.record), hint=hint)
            )
        return
    record = run_record.read(folder)
    if record.registration_digest != entry.digest:
        raise IntegrityFault(
            Fault(
                code="foreign-run",
                what=f"the run {folder.name} belongs to another registration, {record.registration}",
                expected=entry.digest,
                got=record.registration_digest,
                where=str(folder.record),
                hint=f"resume it with prereg execute …/registry/{record.registration}, or give the new run another name",
            )
        )


def begin(folder: RunFolder, entry: Entry, ledger: Ledger, *, simulated: bool) -> None:
    """Write ``run.json`` and the opening of the ledger."""
    registered, made_by = entry.registration, tool.identity()
    record = RunRecord(
        run=folder.name,
        registration=entry.name,
        registration_digest=entry.digest,
        registration_id=registered.registration_id,
        plan_digest=str(registered.plan["digest"]),
        spec_digest=str(registered.spec["digest"]),
        tool=made_by,
        created_at_untrusted=clock.now(),
    )
    run_record.write(folder, record)
    ledger.append(
        Opened(
            run=record.run,
            registration=record.registration,
            registration_id=record.registration_id,
            plan_digest=record.plan_digest,
            spec_digest=record.spec_digest,
            tool=made_by,
            host=_host(),
            simulated=simulated,
            commands=commands(entry.plan().run),
            earlier=earlier_runs(folder),
        )
    )


def _host() -> dict[str, Plain]:
    # What a reader of a run may need to know of the machine; no name of a person or a host.
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
    }


def _unfinished(progress: Progress, experiment: Experiment, name: str) -> Fault:
    return Fault(
        code="stopped",
        what=f"the run is not finished: {progress.outcomes} of {progress.planned} outcomes",
        got=progress.stopped_by,
        hint=f"run again to resume: prereg execute {experiment.root} --run {name}",
    )
