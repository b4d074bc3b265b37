"""Put together what a plan needs: each named kind loaded, and refused by name when this machine cannot do it."""

from typing import cast

from compiler.plan import Chosen, HarvestPlan, RunPlan
from executor.kit import Kit
from executor.ports import Sandbox, Source
from ledger.errors import Fault, WorldFault
from prereg import plugins

SANDBOXES = ("bubblewrap", "local")
"""Where a spec names no sandbox: the first that this machine can do. The run records which one it was."""


def sandbox_for(asked: Chosen | None) -> Sandbox:
    """Give the sandbox that was asked for, or the strongest this machine can do. Raises WorldFault when it cannot."""
    kinds = (asked.kind,) if asked else SANDBOXES
    found = [cast("Sandbox", plugins.load("sandboxes", kind)) for kind in kinds]
    why = {each.kind: each.unavailable() for each in found}
    usable = next((each for each in found if why[each.kind] is None), None)
    if usable is None:
        told = "; ".join(f"{kind}: {reason}" for kind, reason in why.items())
        hint = "prereg doctor says what this machine can do; another sandbox needs an amended spec"
        raise WorldFault(Fault(code="sandbox", what="the sandbox cannot work on this machine", got=told, hint=hint))
    return usable


def sources_for(plan: HarvestPlan) -> dict[str, Source]:
    """Give the sources that a harvest names."""
    return cast("dict[str, Source]", plugins.load_all("sources", (each.source.kind for each in plan.sets)))
