"""What a spec says of its own simulation: that it is of this design, and that the power and the rate of false claims stand in it."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from compiler.design import design, design_digest
from compiler.lower import SetTasks
from compiler.operating import Rate, Simulation, decode
from ledger.errors import IntegrityFault
from spec_lang.diagnostics import Diagnostic, Severity
from spec_lang.load import Loaded
from spec_lang.span import Span

CODES = {
    "P377": "a simulation of another design",
    "P378": "a claim that its simulation does not bear out",
    "P379": "a file that is no simulation",
}

FEWEST = 1000
"""Fewer experiments carry no claim: at 80 % their standard error is above 1.2 points."""

ALLOWED = 2
"""Standard errors by which a simulated rate may fall short of what is claimed; beyond them the claim is refused."""


def check_simulation(loaded: Loaded, sets: Sequence[SetTasks], inputs: Mapping[str, bytes]) -> tuple[Diagnostic, ...]:
    """Hold a spec's claims of power and false positives against the simulation that it names."""
    return tuple(_check(loaded, sets, inputs))


def _check(loaded: Loaded, sets: Sequence[SetTasks], inputs: Mapping[str, bytes]) -> Iterator[Diagnostic]:
    name = loaded.spec.sample_size.simulation
    if name is None or name not in inputs:
        return  # a file that is not there is told by whoever reads it
    span = loaded.spans.at("sample_size", "simulation")
    try:
        found = decode(inputs[name], where=name)
    except IntegrityFault as fault:
        said = fault.reasons[0]
        hint = "write it anew: prereg simulate; it is never edited by hand"
        yield Diagnostic(
            code="P379", summary=f"{name} is no simulation: {said.what}", span=span, detail=said.where, hint=hint
        )
        return
    expected = design_digest(design(loaded, sets, inputs=inputs))
    if found.design != expected:
        why = f"it is for {found.design} ({found.experiment}), this design is {expected}"
        summary = f"{name} simulates another design than this one"
        yield Diagnostic(code="P377", summary=summary, span=span, detail=why, hint="simulate this one: prereg simulate")
        return
    yield from _claims(loaded, found)


def _claims(loaded: Loaded, found: Simulation) -> Iterator[Diagnostic]:
    size = loaded.spec.sample_size
    for key, claimed, shown, least in (
        ("power", size.power, found.power, True),
        ("false_positive", size.false_positive, found.false_positives, False),
    ):
        if claimed is not None:
            where = "where the assumption is true" if least else f"in the world {found.worst}"
            yield from _claim(loaded.spans.at("sample_size", key), key, claimed, shown, where, least=least)


def _claim(span: Span, key: str, claimed: Decimal, shown: Rate, where: str, *, least: bool) -> Iterator[Diagnostic]:
    if shown.of < FEWEST or shown.rate is None or shown.error is None:
        why = f"the standard error of a rate over {shown.of} experiments is {shown.error}"
        hint = f"prereg simulate --experiments {2 * FEWEST}"
        summary = f"{shown.of} experiments are too few to claim a {key.replace('_', ' ')} with"
        yield Diagnostic(code="P378", summary=summary, span=span, detail=why, hint=hint)
        return
    short = claimed - shown.rate if least else shown.rate - claimed
    if short <= 0:
        return
    severity: Severity = "error" if short > ALLOWED * shown.error else "warning"
    word = "at least" if least else "at most"
    said = f"{key.replace('_', ' ')} of {word} {claimed} is claimed, and the simulation shows {shown.rate:.4f}"
    why = f"{shown.count} of {shown.of} experiments end supported {where}; standard error {shown.error:.4f}"
    hint = "register more tasks, or claim less" if least else "make the rule stricter, or claim less"
    yield Diagnostic(code="P378", summary=said, span=span, severity=severity, detail=why, hint=hint)
