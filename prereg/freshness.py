"""Refuse a pool that was harvested from other files than the author has now: when it is compiled over, and when it is run."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from compiler.harvest_plan import harvest_digest, harvest_plan
from compiler.inputs import POOL
from compiler.pipeline import Compiled, compile_spec
from compiler.plan import RunPlan
from compiler.pool import Pool
from compiler.pool_file import read_head
from compiler.registry import Entry
from executor.own_files import environment_files, own_files
from ledger.errors import Fault, IntegrityFault
from prereg.current import Written
from prereg.experiment import Experiment
from prereg.kit import sources_for
from prereg.knowledge import knowledge
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.load import Loaded

CODES = {"P935": "files that a set was harvested from were edited since: its pool holds the old ones"}

_SHOWN = 5


def compile_fresh(written: Written, pool: Pool, experiment: Experiment) -> Compiled:
    """Compile what is written over its pool; here alone, as only an author has the files that the pool was made of.

    Raises SpecErrors with all that is wrong with the spec and with every set that was edited since its harvest.
    """
    stale = tuple(edited_since(written.loaded, pool, experiment))
    try:
        compiled = compile_spec(written.loaded, pool, written.inputs, knowledge=knowledge())
    except SpecErrors as found:
        raise SpecErrors((*stale, *found.diagnostics)) from None
    if stale:
        raise SpecErrors(stale)
    return compiled


def edited_since(loaded: Loaded, pool: Pool, experiment: Experiment) -> Iterator[Diagnostic]:
    """Say of each set whose files are here, and are not those that it was harvested from, which they are.

    Where none of a set's files is here, as with an auditor, there is nothing to compare. A pool that answers another
    harvest is the compiler's to refuse. Raises WorldFault when a file cannot be read, or a source is not installed.
    """
    plan = harvest_plan(loaded)
    if pool.head.harvest != harvest_digest(plan):
        return
    sources = sources_for(plan)
    for each in plan.sets:
        if each.name not in pool.head.files:  # of a version that did not write them down
            continue
        now = own_files(each, sources[each.source.kind], experiment.root)
        found = _differences(pool.head.files[each.name], now)
        if not found:
            continue
        more = [f"{len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        yield Diagnostic(
            code="P935",
            summary=f"`{each.name}` was harvested from other files than are here now: {', '.join(found[:_SHOWN] + more)}",
            span=loaded.spans.key("tasks", each.name),
            detail="the pool holds the files as they were harvested, and these would be registered",
            hint=f"harvest again: prereg harvest {experiment.spec}; or undo the change",
        )


def refuse_other_environments(entry: Entry, run: RunPlan, experiment: Experiment) -> None:
    """Refuse to run in an environment made of other files than the tasks were proved in.

    Raises:
        IntegrityFault: Such a file was edited since the harvest (``environment-changed``).
    """
    files = read_head(entry.input(POOL), where=f"registry/{entry.name}, {POOL}").files
    made_of: dict[str, Fault] = {}
    for tasks, environment in {task.set: task.environment for task in run.tasks}.items():
        was = files.get(tasks, {})
        for name, now in environment_files(environment, experiment.root).items():
            if was.get(name, now) != now:
                made_of[name] = Fault(
                    code="environment-changed",
                    what=f"{name} is not what the tasks of `{tasks}` were harvested with",
                    expected=was[name],
                    got=now,
                    where=str(experiment.root / name),
                    hint="undo the change; or harvest again, and register that: prereg amend",
                )
    if made_of:
        raise IntegrityFault(*(made_of[name] for name in sorted(made_of)))


def _differences(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Say what was edited, is new and is gone; where a whole folder is not here, nothing of it is compared."""
    here = {PurePosixPath(name).parent for name in now}
    words = {name: "was edited" if name in was else "is new" for name in now if was.get(name) != now[name]}
    words |= {name: "is gone" for name in was if name not in now and PurePosixPath(name).parent in here}
    return [f"{name} {words[name]}" for name in sorted(words)]
