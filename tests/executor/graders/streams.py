"""Streams of events and orders for tests of the checks that read what an agent did."""

from pathlib import Path

from compiler.plan import Chosen
from executor.ports import AgentEvent, GradeOrder
from executor.sandboxes.local import LocalSandbox
from ledger.plain import Plain


def call(does: str, name: str = "", id_: str | None = None, **args: Plain) -> AgentEvent:
    return AgentEvent(kind="tool_call", data={"name": name or does, "call": id_, "args": args, "does": does})


def done(error: bool = False, id_: str | None = None) -> AgentEvent:
    return AgentEvent(kind="tool_result", data={"call": id_, "error": error, "text": "printed"})


def says(text: str) -> AgentEvent:
    return AgentEvent(kind="message", data={"text": text})


def harness(what: str, **more: Plain) -> AgentEvent:
    return AgentEvent(kind="harness", data={"what": what, **more})


def order(
    root: Path,
    kind: str,
    options: dict[str, Plain],
    *,
    events: tuple[AgentEvent, ...] = (),
    answer: str | None = None,
    pristine: Path | None = None,
    changed: tuple[str, ...] = (),
) -> GradeOrder:
    return GradeOrder(
        check=Chosen(kind=kind, options=options),
        root=root,
        pristine=root if pristine is None else pristine,
        changed=changed,
        answer=answer,
        events=events,
        tests=None,
        scratch=root,
        sandbox=LocalSandbox(),
    )
