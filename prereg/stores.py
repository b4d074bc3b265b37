"""Private stores, seen from the face: what one keeps of a task, and burning what leaked."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from compiler.burned import BURNED, burned
from compiler.plan import RunPlan
from compiler.private import private_env
from compiler.registry import Registry
from compiler.task import Candidate
from executor.vault import Vault, open_vault
from ledger.codec import to_plain
from ledger.disk import write_whole
from ledger.errors import Fault, WorldFault
from prereg import clock
from prereg.experiment import Experiment, experiment_of, spec_at
from prereg.locking import pool_of
from prereg.reading import load_spec
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.nearest import hint as nearest_hint

CODES = {"P950": "a task to look up or to burn that is not there, or cannot be"}


def resolve(spec: Path, task: str) -> dict[str, Any]:
    """Give all that is known of a candidate: of a private one what its store keeps, for whoever has the store.

    Raises SpecErrors when the pool has no such candidate, WorldFault when its store is not here.
    """
    experiment = experiment_of(spec_at(spec))
    candidate = _candidate(experiment, task)
    found: Any = to_plain(candidate)
    if candidate.private is None:
        return dict(found)
    return dict(open_vault(_env(spec, candidate)).record(candidate.private))


def burn(spec: Path, task: str, reason: str) -> dict[str, Any]:
    """Mark a task as leaked: in ``burned.yaml``, which is an input of every later compile, and in the store of a private one.

    Raises SpecErrors when nothing knows the task, or it is burned already; WorldFault when its store is not here.
    """
    experiment = experiment_of(spec_at(spec))
    file = experiment.root / BURNED
    before = file.read_bytes() if file.is_file() else b""
    if task in burned(before or None):
        raise SpecErrors([_fault(f"task {task} is burned already", "once is enough")])
    vault = _vault_of(spec, experiment, task)
    at = clock.now()
    line = json.dumps({"task": task, "reason": reason, "at": at}, ensure_ascii=False)
    after = before + f"- {line}\n".encode()
    burned(after)  # what cannot be read again is not written
    if vault is not None and task not in vault.burned():
        vault.burn(task, reason, at)
    write_whole(file, after)
    return {"task": task, "reason": reason, "at": at, "private": vault is not None, "file": str(file)}


def burned_in(experiment: Experiment) -> dict[str, str]:
    """Give the burned tasks of an experiment folder with their reasons. Raises SpecErrors when the list is faulty."""
    file = experiment.root / BURNED
    return burned(file.read_bytes() if file.is_file() else None)


def refuse_inside(experiment: Experiment, envs: Iterable[str]) -> None:
    """Refuse a store that lies in the experiment folder, which anybody may be given. Raises WorldFault (``store-inside``)."""
    for env in envs:
        if open_vault(env).root.is_relative_to(experiment.root.resolve()):
            what = f"the private store ${env} lies in the experiment folder, and whoever is given that has it too"
            hint = f"move the store out of the experiment, into a folder that no agent is given, and export {env} anew"
            raise WorldFault(Fault(code="store-inside", what=what, where=f"${env}", hint=hint))


def refuse_burned(experiment: Experiment, plan: RunPlan) -> None:
    """Refuse a plan that holds a burned task. Raises SpecErrors; WorldFault when the store of a private task is not here."""
    leaked = burned_in(experiment)
    envs = sorted({task.private.store_env for task in plan.tasks if task.private is not None})
    refuse_inside(experiment, envs)
    for env in envs:
        leaked = {**open_vault(env).burned(), **leaked}
    found = [task.id for task in plan.tasks if task.id in leaked]
    if found:
        hint = "prereg amend draws the next task in its place: prereg amend spec.yaml --reason 'a task leaked'"
        raise SpecErrors(_fault(f"the registered task {task} is burned: {leaked[task]}", hint) for task in found)


def _vault_of(spec: Path, experiment: Experiment, task: str) -> Vault | None:
    """Give the store of a task that the pool or a registration knows; None for a public one."""
    plans = [entry.plan() for entry in Registry(experiment.registry).entries()]
    registered = next((each for plan in reversed(plans) for each in plan.run.tasks if each.id == task), None)
    if registered is not None:
        return None if registered.private is None else open_vault(registered.private.store_env)
    candidate = _candidate(experiment, task)
    return open_vault(_env(spec, candidate)) if candidate.private is not None else None


def _env(spec: Path, candidate: Candidate) -> str:
    """Give the variable that leads to a private candidate's store. Raises SpecErrors when the spec names none for its set."""
    tasks = load_spec(spec_at(spec)).spec.tasks.get(candidate.set)
    env = None if tasks is None else private_env(tasks.source)
    if env is None:
        what = f"the pool says that {candidate.id} is private, and the spec names no store for `{candidate.set}`"
        raise SpecErrors([_fault(what, "the pool belongs to another spec: harvest again")])
    return env


def _candidate(experiment: Experiment, task: str) -> Candidate:
    known = {each.id: each for each in pool_of(experiment).candidates}
    if task not in known:
        hint = nearest_hint(task, known, what="tasks") or "prereg tasks --all lists the candidates"
        raise SpecErrors([_fault(f"the pool has no task {task}", hint)])
    return known[task]


def _fault(summary: str, hint: str) -> Diagnostic:
    return Diagnostic(code="P950", summary=summary, hint=hint)
