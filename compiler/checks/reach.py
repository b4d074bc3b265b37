"""Every verdict is in reach: the rule is tried on all that could be observed, before anything is."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from compiler.checks.design import designs
from compiler.checks.intervals import Bounds, World, can_be, narrowed
from compiler.checks.rule import Read, deciding_sets, endpoint_reads
from compiler.checks.subject import Subject, fault, quoted
from compiler.checks.supports import Design, Reading, smallest_p, worlds
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Expression
from stats.number import log10

CODES = {
    "P351": "the claim can never be supported",
    "P352": "the claim is supported whatever happens",
    "P353": "a condition that cannot fail",
    "P354": "the rule can never be decided",
}

Worlds = Mapping[str, tuple[World, ...]]
"""The possible worlds of each endpoint, by its name."""

_COUNTED = 40
"""Up to so many tasks the number of sign patterns is written out."""

LARGEST = 60
"""How many more tasks are tried when saying how many would do."""


def check_reach(subject: Subject) -> Iterator[Diagnostic]:
    """Each verdict can still happen with the registered number of tasks.

    The rule is tried on everything that can be observed: every table of a small paired yes/no endpoint, ranges for the rest;
    and the claim on what is left of that where the rule decides at all. A verdict out of reach is refused with its
    arithmetic. A smoke run decides nothing, so nothing is asked of it.
    """
    known = designs(subject, deciding_sets(subject))
    if known is None or subject.spec.stage == "smoke":
        return
    conditions, first = subject.spec.decision.supported_when, subject.spec.decision.decidable_when
    everything = _worlds(subject, (*first, *conditions), known)
    never = [each for each in conditions if not _can_hold(subject, each, everything)]
    for condition in never:
        yield _unreachable(subject, condition, known, everything)
    undecidable = [each for each in first if not _can_hold(subject, each, everything)]
    for condition in undecidable:
        summary = f"`{condition.text}` can never hold, so nothing is ever decided"
        why = _shown(subject, (condition,), everything)
        yield fault("P354", summary, condition.span, detail=why, hint="register more tasks")
    decided = _left(subject, first, everything)
    if decided is None and not undecidable:
        yield _contradiction(subject, "P354", first, everything)
    if decided is not None and not never and _left(subject, conditions, decided) is None:
        yield _contradiction(subject, "P351", (*first, *conditions), everything)
    yield from _always(subject, conditions, everything if decided is None else decided)


def _can_hold(subject: Subject, condition: Expression, everything: Worlds) -> bool:
    return any(can_be(condition.tree, world).true for world in _seen_by(subject, condition, everything))


def _worlds(
    subject: Subject, conditions: tuple[Expression, ...], known: Mapping[str, Design]
) -> dict[str, tuple[World, ...]]:
    """Give the possible worlds of each endpoint that the conditions read."""
    found: dict[str, list[Read]] = {}
    for condition in conditions:
        for read in endpoint_reads(condition, subject.endpoints):
            found.setdefault(read.endpoint, []).append(read)
    return {name: worlds(known[name], _reading(found[name])) for name in sorted(found)}


def _reading(found: list[Read]) -> Reading:
    return Reading(
        fields={each.text: each.field for each in found if each.arm is None},
        counts={each.text: each.arm for each in found if each.arm is not None and each.field == "count"},
        arms={each.text: each.arm for each in found if each.arm is not None and each.field == "arm"},
    )


def _seen_by(subject: Subject, condition: Expression, everything: Worlds) -> tuple[World, ...]:
    """Give the worlds in which a condition is tried: all of one endpoint, or the hull of several."""
    names = sorted({read.endpoint for read in endpoint_reads(condition, subject.endpoints)})
    if len(names) == 1:
        return everything[names[0]]
    whole: dict[str, Bounds] = {}
    for name in names:
        whole |= _hull(everything[name])
    return (whole,)


def _hull(possible: tuple[World, ...]) -> dict[str, Bounds]:
    """Give the smallest ranges that hold every one of some worlds."""
    texts = possible[0].keys() if possible else ()
    hull: dict[str, Bounds] = {}
    for text in texts:
        lows, highs = [world[text].low for world in possible], [world[text].high for world in possible]
        low = None if None in lows else min(each for each in lows if each is not None)
        high = None if None in highs else max(each for each in highs if each is not None)
        hull[text] = Bounds(low=low, high=high)
    return hull


def _left(subject: Subject, conditions: tuple[Expression, ...], everything: Worlds) -> Worlds | None:
    """Give the worlds in which all conditions can hold at once; None where there are none.

    Each endpoint keeps the worlds that its own conditions allow; conditions over several endpoints are tried on what is left.
    """
    left = dict(everything)
    several: list[Expression] = []
    for condition in conditions:
        names = sorted({read.endpoint for read in endpoint_reads(condition, subject.endpoints)})
        if len(names) != 1:
            several.append(condition)
            continue
        kept = [narrowed(condition.tree, world) for world in left[names[0]] if can_be(condition.tree, world).true]
        left[names[0]] = tuple(world for world in kept if _sound(world, names[0]))
    if not all(left.values()):
        return None
    whole: World = {text: bounds for name in left for text, bounds in _hull(left[name]).items()}
    for condition in several:
        if not can_be(condition.tree, whole).true:
            return None
        whole = narrowed(condition.tree, whole)
    if any(bounds.empty for bounds in whole.values()):
        return None
    cut = {
        name: [{text: each.met(whole[text]) for text, each in world.items()} for world in left[name]] for name in left
    }
    return {name: tuple(world for world in cut[name] if _sound(world, name)) for name in cut}


def _contradiction(subject: Subject, code: str, conditions: tuple[Expression, ...], everything: Worlds) -> Diagnostic:
    """Name the two conditions that exclude each other, or all where it takes more than two."""
    so = "so the claim can never be supported" if code == "P351" else "so nothing is ever decided"
    for one, other in combinations(conditions, 2):
        if _left(subject, (one, other), everything) is None:
            summary = f"`{one.text}` and `{other.text}` can never hold together, {so}"
            return fault(code, summary, other.span, detail=_shown(subject, (one, other), everything))
    span = subject.at("decision", "supported_when" if code == "P351" else "decidable_when")
    why = _shown(subject, conditions, everything)
    return fault(code, f"the conditions can never hold together, {so}", span, detail=why)


def _sound(world: World, endpoint: str) -> bool:
    """Tell whether a narrowed world can be: no empty range, and a lower end that does not pass the upper one."""
    lower, upper = world.get(f"{endpoint}.lower"), world.get(f"{endpoint}.upper")
    if lower is not None and upper is not None and Bounds(low=lower.low, high=upper.high).empty:
        return False
    return not any(bounds.empty for bounds in world.values())


def _always(subject: Subject, conditions: tuple[Expression, ...], everything: Worlds) -> Iterator[Diagnostic]:
    certain = [
        condition
        for condition in conditions
        if not any(can_be(condition.tree, world).false for world in _seen_by(subject, condition, everything))
    ]
    if conditions and len(certain) == len(conditions):
        span = subject.at("decision", "supported_when")
        why = f"no result can fail {quoted(each.text for each in certain)}: {_shown(subject, conditions, everything)}"
        when = "whenever anything is decided" if subject.spec.decision.decidable_when else "whatever happens"
        yield fault("P352", f"the claim is supported {when}", span, detail=why)
        return
    for condition in certain:
        why = _shown(subject, (condition,), everything)
        yield fault("P353", f"`{condition.text}` cannot fail", condition.span, detail=why, severity="warning")


def _unreachable(
    subject: Subject, condition: Expression, known: Mapping[str, Design], everything: Worlds
) -> Diagnostic:
    found = endpoint_reads(condition, subject.endpoints)
    tested = [read for read in found if read.field == "p" and known[read.endpoint].endpoint.test is not None]
    why, hint = _shown(subject, (condition,), everything), None
    if tested:
        why, hint = _floor(known[tested[0].endpoint], condition, tested[0])
    summary = f"`{condition.text}` can never hold, so the claim can never be supported"
    return fault("P351", summary, condition.span, detail=why, hint=hint)


def _floor(design: Design, condition: Expression, read: Read) -> tuple[str, str | None]:
    """Show the smallest p of a design, and the number of tasks with which the condition could hold."""
    test = design.endpoint.test
    assert test is not None
    smallest = max(smallest_p(test, design.tasks), design.family)
    side = "two-sided" if test.options.get("alternative") == "two-sided" else "one-sided"
    correction = max(Fraction(1), design.family / smallest_p(test, design.tasks))
    count = "1 task" if design.tasks == 1 else f"{design.tasks} tasks"
    why = f"with {count} the smallest {side} p of {test.kind} is {_fraction(smallest)}"
    if design.family:
        why += ", the family's correction included"
    for more in range(design.tasks + 1, design.tasks + LARGEST):
        reached = min(Fraction(1), correction * smallest_p(test, more))
        if can_be(condition.tree, {read.text: Bounds(low=reached, high=Fraction(1))}).true:
            return why, f"{more} tasks reach {_fraction(reached)}; register at least as many"
    return why, None


def _fraction(value: Fraction) -> str:
    """Write the smallest p, a share of sign patterns: its denominator is a power of two, which thousands of tasks make long."""
    if value.denominator == 1:
        return str(value)
    patterns = value.denominator.bit_length() - 1
    written = str(value) if patterns <= _COUNTED else f"{value.numerator}/2^{patterns}"
    return f"{written} = {_near(value)}"


def _near(value: Fraction) -> str:
    return f"{float(value):.6g}" if float(value) or not value else f"10^{log10(abs(value)):.0f}"


def _shown(subject: Subject, conditions: tuple[Expression, ...], everything: Worlds) -> str:
    """Say in which ranges the values that some conditions read can lie."""
    found = [read for condition in conditions for read in endpoint_reads(condition, subject.endpoints)]
    hulls = {text: bounds for possible in everything.values() for text, bounds in _hull(possible).items()}
    parts = [f"`{read.text}` lies in {_range(hulls[read.text])}" for read in dict.fromkeys(found)]
    return "; ".join(parts) or "nothing that is measured is read"


def _range(bounds: Bounds) -> str:
    low = "…" if bounds.low is None else _near(bounds.low)
    high = "…" if bounds.high is None else _near(bounds.high)
    return f"{low} to {high}"
