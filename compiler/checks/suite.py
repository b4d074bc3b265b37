"""All checks in their order, and the table of their codes."""

from collections.abc import Mapping

from compiler.checks import (
    arms,
    carries,
    decision,
    design,
    endpoints,
    expressions,
    family,
    foreknowledge,
    inputs,
    levels,
    missing,
    names,
    private,
    reach,
    routes,
    secrets,
)
from compiler.checks.subject import Check, Subject
from spec_lang.diagnostics import Bag, Diagnostic

CHECKS: tuple[tuple[Check, ...], ...] = (
    (secrets.check_secrets, names.check_names, inputs.check_inputs, arms.check_arms),
    (expressions.check_expressions, missing.check_missing),
    (
        endpoints.check_endpoints,
        decision.check_decision,
        family.check_family,
        foreknowledge.check_foreknowledge,
        design.check_sample_size,
        private.check_private,
        routes.check_routes,
        carries.check_carries,
    ),
    (reach.check_reach,),
)
"""Groups of checks. A group is run only when those before it found no error: what rests on a fault would only repeat it."""

CODES: Mapping[str, str] = {
    code: meaning
    for module in (
        secrets,
        names,
        inputs,
        levels,
        arms,
        expressions,
        missing,
        endpoints,
        decision,
        family,
        foreknowledge,
        design,
        private,
        routes,
        carries,
        reach,
    )
    for code, meaning in module.CODES.items()
}
"""Every code of a check and what it means."""


def check_spec(subject: Subject) -> tuple[Diagnostic, ...]:
    """Run all checks and give what they found, errors and warnings; nothing is raised."""
    bag = Bag()
    for group in CHECKS:
        for check in group:
            bag.extend(check(subject))
        if any(each.severity == "error" for each in bag.diagnostics):
            break
    return bag.diagnostics
