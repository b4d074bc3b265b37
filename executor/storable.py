"""What foreign programs say, as text that any document can hold."""

from collections.abc import Mapping
from dataclasses import replace

from executor.ports import AgentEnd
from ledger.plain import Plain


def storable_text(text: str) -> str:
    """Give text that is UTF-8: a lone surrogate, which JSON can spell but no document can hold, is written out as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def storable_end(end: AgentEnd) -> AgentEnd:
    """Make what an agent says of itself text that ledger and blobs can hold: its JSON may spell what no UTF-8 can."""
    return replace(
        end,
        answer=None if end.answer is None else storable_text(end.answer),
        terminal_reason=None if end.terminal_reason is None else storable_text(end.terminal_reason),
        versions={name: storable_text(said) for name, said in end.versions.items()},
        session={storable_text(name): storable(said) for name, said in end.session.items()},
        failed=None if end.failed is None else (storable_text(end.failed[0]), storable_text(end.failed[1])),
    )


def storable(value: Plain) -> Plain:
    """Do the same with every text of a value, keys included."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, list | tuple):
        return [storable(each) for each in value]
    if isinstance(value, Mapping):
        return {storable_text(name): storable(each) for name, each in value.items()}
    return value
