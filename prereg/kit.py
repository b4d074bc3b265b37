"""Put together what a plan needs: each named kind loaded, and refused by name when this machine cannot do it."""

from pathlib import Path
from typing import cast

from compiler.plan import Chosen, HarvestPlan, RunPlan
from executor.kit import Kit
from executor.ports import Agent, Grader, Provider, Sandbox, Scheduler, Source
from executor.reading import ReadsExports, ReadsTaskFiles
from ledger.errors import Fault, WorldFault
from prereg import places, plugins
from prereg.issue_files import ExportFiles
from prereg.task_files import READERS

SANDBOXES = ("bubblewrap", "local")
"""Where a spec names no sandbox, or ``first-available``: the first that this machine can do. The run records which one it was."""

FIRST_AVAILABLE = "first-available"
SCHEDULER = "local"


def sandbox_for(asked: Chosen | None) -> Sandbox:
    """Give the sandbox that was asked for, or the strongest this machine can do. Raises WorldFault when it cannot."""
    kinds = SANDBOXES if asked is None or asked.kind == FIRST_AVAILABLE else (asked.kind,)
    found = [cast("Sandbox", plugins.load("sandboxes", kind)) for kind in kinds]
    why = {each.kind: each.unavailable() for each in found}
    usable = next((each for each in found if why[each.kind] is None), None)
    if usable is None:
        told = "; ".join(f"{kind}: {reason}" for kind, reason in why.items())
        hint = "prereg doctor says what this machine can do; another sandbox needs an amended spec"
        raise WorldFault(Fault(code="sandbox", what="the sandbox cannot work on this machine", got=told, hint=hint))
    return usable


def sources_for(plan: HarvestPlan) -> dict[str, Source]:
    """Give the sources that a harvest names; those that read an author's task files get the reader of this floor."""
    sources = cast("dict[str, Source]", plugins.load_all("sources", (each.source.kind for each in plan.sets)))
    for source in sources.values():
        if isinstance(source, ReadsTaskFiles):
            source.read = READERS[source.task_files]
        if isinstance(source, ReadsExports):
            source.exports = ExportFiles()
    return sources


def graders() -> dict[str, Grader]:
    """Give every installed grader: which of them tasks ask for is known only when their files were read."""
    return cast("dict[str, Grader]", plugins.load_all("graders", plugins.installed("graders")))


def kit_for(plan: RunPlan, base: Path) -> Kit:
    """Load every plugin that a run plan names, and find its sandbox; nothing has been written yet when one is missing."""
    checks = {
        check.kind for oracle in plan.oracles.values() for check in oracle.checks.values() if isinstance(check, Chosen)
    }
    sandbox = sandbox_for(plan.sandbox)
    return Kit(
        agents=cast("dict[str, Agent]", plugins.load_all("agents", (arm.agent.kind for arm in plan.arms))),
        providers=cast("dict[str, Provider]", plugins.load_all("providers", (arm.provider.kind for arm in plan.arms))),
        sandboxes={sandbox.kind: sandbox},
        graders=cast("dict[str, Grader]", plugins.load_all("graders", checks)),
        schedulers=cast("dict[str, Scheduler]", plugins.load_all("schedulers", (SCHEDULER,))),
        base=base,
        cache=places.cache(),
        scheduler=SCHEDULER,
    )
