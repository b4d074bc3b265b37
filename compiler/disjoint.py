"""Tasks that an earlier registration drew are passed over by a later draw."""

from collections.abc import Mapping

from compiler.inputs import EARLIER
from compiler.plan import Plan
from ledger.canonical import parse
from ledger.codec import from_plain
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.load import Loaded

CODES = {"P398": "an earlier registration whose plan was not given"}


def drawn_before(loaded: Loaded, name: str, inputs: Mapping[str, bytes]) -> dict[str, str]:
    """Give the tasks that the registrations in one set's ``disjoint_from`` drew, each with the registration.

    So a confirmatory draw walks past the pilot's tasks, by the same rule and, if the author likes, the same seed.
    Raises SpecErrors when a registration's plan is not among the inputs, IntegrityFault when its bytes are no plan.
    """
    plans = earlier_plans(loaded, name, inputs)
    return {task.id: registration for registration, plan in plans.items() for task in plan.run.tasks}


def earlier_plans(loaded: Loaded, name: str, inputs: Mapping[str, bytes]) -> dict[str, Plan]:
    """Give the plans of the registrations in one set's ``disjoint_from``. Raises as ``drawn_before``."""
    bag = Bag()
    found: dict[str, Plan] = {}
    for place, registration in enumerate(loaded.spec.tasks[name].disjoint_from):
        data = inputs.get(f"{EARLIER}{registration}")
        if data is None:
            span = loaded.spans.at("tasks", name, "disjoint_from", place)
            hint = "it has to be one of this folder: sha256sum registry/*/registration.json"
            summary = f"registration `{registration}` was not found"
            bag.add(Diagnostic(code="P398", summary=summary, span=span, hint=hint))
            continue
        where = f"plan.json of {registration}"
        found[registration] = from_plain(Plan, parse(data, where=where), where=where)
    bag.raise_errors()
    return found
