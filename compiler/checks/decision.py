"""The decision rule: over sets that may decide, and without a free choice among several tests."""

from collections.abc import Iterator

from compiler.checks.rule import deciding_sets, endpoint_reads, read_in
from compiler.checks.subject import Subject, fault, quoted
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Call, Junction, Name, Node, Not, children

CODES = {
    "P350": "the decision rests on a set that is kept for development",
    "P355": "several tests, one of which is enough, and no correction",
    "P356": "a secondary endpoint's p-value decides",
    "P357": "a primary endpoint that the decision does not read",
}


def check_decision(subject: Subject) -> Iterator[Diagnostic]:
    """The rule is honest before any data.

    1. It is read over sets with ``use: decision`` only.
    2. Several p-values of which one is enough stand in one corrected family; a secondary endpoint's p decides nothing.
    """
    yield from _sets(subject)
    yield from _multiplicity(subject)
    yield from _roles(subject)


def _sets(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    for place, name in enumerate(spec.decision.tasks):
        if name in spec.tasks and spec.tasks[name].use != "decision":
            why = "what was tuned on a set cannot be judged on it"
            span = subject.at("decision", "tasks", place)
            yield fault(
                "P350", f"set `{name}` is for development", span, detail=why, hint="name a set with use: decision"
            )
    if not deciding_sets(subject):
        yield fault("P350", "no set of tasks is for decision", subject.key("tasks"), hint="give one set use: decision")


def _multiplicity(subject: Subject) -> Iterator[Diagnostic]:
    decision = subject.spec.decision
    family = set(decision.family.members) if decision.family else set()
    for condition in decision.supported_when:
        for node in _choices(condition.tree):
            read = [each for each in read_in(node, subject.endpoints) if each.field in {"p", "lower", "upper"}]
            names = sorted({each.endpoint for each in read})
            # A family adjusts p-values; the intervals of its members stay as they were declared.
            if len(names) > 1 and not (family.issuperset(names) and all(each.field == "p" for each in read)):
                corrected = f"decision: {{family: {{members: [{', '.join(names)}], correction: holm}}}}"
                yield fault(
                    "P355",
                    f"one of {quoted(names)} is enough, and nothing corrects for trying {len(names)}",
                    condition.where(node),
                    detail="each further chance to succeed raises the rate of false claims",
                    hint=f"read their p-values: {corrected}; or join them by `and`",
                )


def _choices(node: Node, *, negated: bool = False) -> Iterator[Node]:
    """Find every place where one of several parts is enough: an ``or``, and an ``and`` under an odd number of ``not``.

    The least or the greatest of several values is such a choice too, in one direction or the other: it is written with ``and``.
    """
    if isinstance(node, Junction) and node.word == ("and" if negated else "or"):
        yield node
    if isinstance(node, Call) and node.name in (Name(parts=("min",)), Name(parts=("max",))):
        yield node
    for part in children(node):
        yield from _choices(part, negated=negated != isinstance(node, Not))


def _roles(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    seen: set[str] = set()
    for condition in (*spec.decision.supported_when, *spec.decision.decidable_when):
        for read in endpoint_reads(condition, subject.endpoints):
            seen.add(read.endpoint.partition(".")[0])
            role = subject.endpoints[read.endpoint].role
            if read.field == "p" and role not in {"primary", "co-primary", "effect"}:
                summary = f"`{read.text}` decides, and `{read.endpoint}` is {role}"
                yield fault("P356", summary, condition.span, hint="make it co-primary, or decide without it")
    for name in sorted(set(spec.endpoints) - seen):
        if spec.endpoints[name].role in {"primary", "co-primary"}:
            summary = f"`{name}` is {spec.endpoints[name].role}, and no condition reads it"
            yield fault("P357", summary, subject.key("endpoints", name), severity="warning")
