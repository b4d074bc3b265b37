"""Applies the registered decision rule to the estimates, condition by condition; unknown anywhere gives no verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from analyzer.measures import Fact
from analyzer.reading import tree, value
from analyzer.reckoned import Entry, Reckoned, shown
from analyzer.verdict import Condition, Status
from compiler.crossing import at_level, within_level
from compiler.plan import DecisionPlan
from ledger.errors import Fault, IntegrityFault
from spec_lang.expr.ast import reads
from stats.fixed_sequence import fixed_sequence
from stats.holm import holm
from stats.number import Readable, exact

CORRECTIONS: Mapping[str, Callable[[Sequence[Readable]], tuple[Fraction, ...]]] = MappingProxyType(
    {"holm": holm, "fixed-sequence": fixed_sequence}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """What the rule says, and each condition with the values it read."""

    status: Status
    conditions: tuple[Condition, ...]
    decidable: tuple[Condition, ...]


def decide(decision: DecisionPlan, endpoints: Mapping[str, Reckoned], gaps: Mapping[str, str]) -> Decided:
    """Apply the rule.

    Supported: every condition holds. No verdict: a gap in the data, a condition of ``decidable_when`` that does not
    hold, or any condition that is unknown, whatever the others say. Else not supported.

    Raises:
        IntegrityFault: The rule has no condition, or reads what the plan does not estimate.
    """
    if not decision.supported_when:
        raise _refuse("the decision rule has no condition, so anything would be supported", "supported_when", "none")
    decidable = tuple(_condition(text, endpoints, "decidable_when") for text in decision.decidable_when)
    conditions = tuple(_condition(text, endpoints, "supported_when") for text in decision.supported_when)
    return Decided(status=_status(conditions, decidable, gaps), conditions=conditions, decidable=decidable)


def adjusted(decision: DecisionPlan, endpoints: Mapping[str, Reckoned]) -> dict[str, Reckoned]:
    """Adjust the p-values of the registered family; a condition that reads ``E.p`` of a member reads the adjusted one.

    A member whose p is unknown counts as p = 1, which no true p could exceed, so that the others can still be decided;
    its own stays unknown.

    Raises:
        IntegrityFault: An unknown correction, or a member without a test.
    """
    found = dict(endpoints)
    if not decision.family:
        return found
    correct = CORRECTIONS.get(str(decision.correction))
    if correct is None:
        raise _refuse(
            "the plan corrects a family in a way that this version does not have", "correction", decision.correction
        )
    members = [name for name in decision.family if name in found and "p" in found[name].values]
    if len(members) != len(decision.family):
        raise _refuse("a family holds an endpoint without a test", "family", ", ".join(decision.family))
    raw = [found[name].values["p"] for name in members]
    corrected = correct([Fraction(1) if each is None else exact(each) for each in raw])
    for name, own, each in zip(members, raw, corrected, strict=True):
        reasons = dict(found[name].reasons)
        if own is None:
            reasons["p_adjusted"] = "its own p is unknown; among the others it counts as 1"
        values = {**found[name].values, "p_adjusted": None if own is None else each}
        found[name] = replace(found[name], values=values, reasons=reasons)
    return found


def _status(conditions: Sequence[Condition], decidable: Sequence[Condition], gaps: Mapping[str, str]) -> Status:
    if gaps or any(each.holds is not True for each in decidable) or any(each.holds is None for each in conditions):
        return "no_verdict"
    return "supported" if all(each.holds for each in conditions) else "not_supported"


def _condition(text: str, endpoints: Mapping[str, Reckoned], where: str) -> Condition:
    expression = tree(text)
    read = {name: _read(name, endpoints, where) for name in reads(expression)}
    found = value(expression, {name: _fact(each) for name, each in read.items()})
    if found is not None and not isinstance(found, bool):
        raise _refuse("a condition of the decision rule is neither true nor false", where, text)
    return Condition(text=text, values={name: shown(each) for name, each in read.items()}, holds=found)


def _read(name: str, endpoints: Mapping[str, Reckoned], where: str) -> Entry:
    """Give what a name of the rule stands for: ``E.p``, ``E.LEVEL.lower``, ``E.count(ARM)``, ``E.arm(ARM)``."""
    first, _, rest = name.partition(".")
    level, _, field = rest.partition(".")
    within = endpoints.get(within_level(first, level)) if field else None
    endpoint = endpoints.get(first) if within is None else within
    if within is not None:
        rest, level = field, str(within.endpoint.level)
    elif field.endswith(")"):
        rest = field  # an endpoint that compares nothing has each arm at each level
    else:
        level = ""
    if endpoint is None or not rest:
        raise _refuse("the decision rule reads an endpoint that the plan does not estimate", where, name)
    if rest.endswith(")"):
        kind, _, arm = rest[:-1].partition("(")
        of_arms = endpoint.values.get({"count": "counts", "arm": "arms"}.get(kind, kind))
        return of_arms.get(at_level(arm, level or None)) if isinstance(of_arms, Mapping) else None
    level, _, field = rest.rpartition(".")
    values = endpoint.by.get(level, {}) if level else endpoint.values
    if field == "p" and "p_adjusted" in values:
        field = "p_adjusted"
    return values.get(field)


def _fact(found: object) -> Fact:
    """Take a number as it is shown: a double by its shortest decimal, so that 0.05 is one twentieth."""
    if found is None or isinstance(found, bool | str | Fraction):
        return found
    return exact(found)


def _refuse(what: str, where: str, got: str | None) -> IntegrityFault:
    return IntegrityFault(
        Fault(
            code="plan",
            what=what,
            expected="a decision rule as the compiler had checked it",
            got=got,
            where=f"plan.json: analysis.decision.{where}",
            hint="the plan was altered, or another version compiled it",
        )
    )
