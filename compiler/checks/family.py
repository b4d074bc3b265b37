"""A family of tests that are adjusted together: each has a p, an order is kept, and one level goes through it."""

from collections.abc import Iterator
from decimal import Decimal

from compiler.checks.rule import endpoint_reads
from compiler.checks.subject import Subject, fault, quoted
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Comparison, Name, Number, walk
from spec_lang.model import Family

CODES = {"P358": "a family whose tests cannot be adjusted together"}


def check_family(subject: Subject) -> Iterator[Diagnostic]:
    """The members of a family are tested, the decision reads one of them, and a sequence has one level.

    A sequence passes its whole level on from member to member; under two levels a member could count although the one
    before it, held to the stricter level, did not.
    """
    family = subject.spec.decision.family
    if family is None:
        return
    path = ("decision", "family", "members")
    for place, name in enumerate(family.members):
        endpoint = subject.endpoints.get(name)
        if endpoint is not None and endpoint.test is None:
            summary = f"`{name}` is in a family of tests, and has no test"
            hint = f"endpoints: {{{name.partition('.')[0]}: {{test: …}}}}, or leave it out of the family"
            yield fault("P358", summary, subject.at(*path, place), hint=hint)
    yield from _read(subject, family)
    if family.correction == "fixed-sequence":
        yield from _one_level(subject, family)


def _read(subject: Subject, family: Family) -> Iterator[Diagnostic]:
    spec = subject.spec
    conditions = (*spec.decision.supported_when, *spec.decision.decidable_when)
    read = {
        each.endpoint for text in conditions for each in endpoint_reads(text, subject.endpoints) if each.field == "p"
    }
    if read.isdisjoint(family.members):
        summary = f"no condition reads a p-value of the family {quoted(sorted(family.members))}"
        yield fault("P358", summary, subject.key("decision", "family"), severity="warning")


def _one_level(subject: Subject, family: Family) -> Iterator[Diagnostic]:
    first: Decimal | None = None
    for condition in subject.spec.decision.supported_when:
        for node in walk(condition.tree):
            if not isinstance(node, Comparison):
                continue
            level = _level(node, family)
            if level is None:
                continue
            first = level if first is None else first
            if level != first:
                summary = f"a member of a fixed sequence is held to {level}, an earlier one to {first}"
                why = "each member counts only if all before it did, at one level that goes through the sequence"
                yield fault("P358", summary, condition.where(node), detail=why, hint=f"hold every member to {first}")


def _level(node: Comparison, family: Family) -> Decimal | None:
    """Give the level of ``E.p < LEVEL``, whichever way round it is written; None for another comparison."""
    match node.left, node.right:
        case (Name(parts=(*owner, "p")), Number(value=level)) | (Number(value=level), Name(parts=(*owner, "p"))):
            return level if ".".join(owner) in family.members else None
        case _:
            return None
