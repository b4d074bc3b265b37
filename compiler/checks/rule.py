"""Reading a decision rule: which endpoint values its conditions read, and over which sets."""

from collections.abc import Container, Iterator
from dataclasses import dataclass

from compiler.checks.subject import Subject
from spec_lang.expr.ast import Call, Expression, Name, Node, walk
from spec_lang.expr.unparse import unparse


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A value that a condition reads: ``cost.p``, ``solved.count(guide)``, and within a level ``cost.gpt.p``."""

    text: str
    endpoint: str
    field: str
    arm: str | None = None


def endpoint_reads(expression: Expression, endpoints: Container[str]) -> tuple[Read, ...]:
    """List the endpoint values that a condition reads, in order, without repetition."""
    return tuple(dict.fromkeys(read_in(expression.tree, endpoints)))


def read_in(tree: Node, endpoints: Container[str]) -> Iterator[Read]:
    """Walk the endpoint values that a tree reads."""
    for node in walk(tree):
        match node:
            case Call(name=Name(parts=(*owner, field)), arguments=(Name() as arm,)) if ".".join(owner) in endpoints:
                yield Read(text=unparse(node), endpoint=".".join(owner), field=field, arm=arm.text)
            case Name(parts=(*owner, field)) if ".".join(owner) in endpoints:
                yield Read(text=node.text, endpoint=".".join(owner), field=field)


def deciding_sets(subject: Subject) -> tuple[str, ...]:
    """Give the sets that the decision is read over: those it names, else all whose use is decision."""
    spec = subject.spec
    return tuple(sorted(spec.decision.tasks)) or tuple(
        sorted(name for name, tasks in spec.tasks.items() if tasks.use == "decision")
    )
