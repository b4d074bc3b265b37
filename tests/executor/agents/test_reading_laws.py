"""Laws of reading agents' records: whatever stands in them, reading gives an end, and no unknown is ever a number."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compiler.plan import LimitsPlan
from executor.agents import claude_code, codex, gemini_cli, mini_swe_agent
from executor.agents.outcome import Said, agent_end, conclude
from ledger.canonical import canonical
from tests.executor.agents.records import (
    CLAUDE_INIT,
    CODEX_BEGAN,
    CODEX_USAGE,
    GEMINI_INIT,
    claude_hears,
    claude_result,
    claude_says,
    codex_item,
    codex_rollout,
    ended,
    gemini_result,
    gemini_telemetry,
    mini_record,
)

LIMITS = LimitsPlan(time_s=Decimal(60), turns=3)
CLAUDE = [
    CLAUDE_INIT,
    claude_says({"type": "tool_use", "id": "t", "name": "Edit", "input": {}}),
    claude_hears("t", "ok"),
    claude_result(),
]
CODEX = [
    *CODEX_BEGAN,
    codex_item("mcp_tool_call", server="s", tool="t", result={"content": []}),
    {"type": "turn.completed", "usage": CODEX_USAGE},
]
GEMINI = [
    GEMINI_INIT,
    {"type": "tool_result", "tool_id": "t", "status": "error", "error": {"message": "no"}},
    gemini_result(),
]
ROLLOUT = [json.loads(line) for line in codex_rollout().splitlines()]
TELEMETRY = json.loads("[" + gemini_telemetry("a").decode().rpartition("\n")[0].replace("}\n{", "},{") + "]")
MINI = [json.loads(mini_record())]

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
ends = st.builds(
    ended,
    st.sampled_from([0, 1, 53]),
    stopped_by=st.sampled_from([None, None, "time", "output"]),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A document with something else at a place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], new)
    return copy


def broken(documents: list[Any]) -> st.SearchStrategy[bytes]:
    """Records in which something stands where something else should, and that may end anywhere."""

    def change(place: tuple[Any, ...], new: Any, cut: int) -> bytes:
        written = b"\n".join(json.dumps(each).encode() for each in put(documents, place, new) or ())
        return written[: len(written) - cut] if cut else written

    whole = [place for place in places(documents) if place]
    return st.builds(change, st.sampled_from(whole), anything, st.sampled_from([0, 0, 0, 7]))


def holds(read: Callable[[], Said], end: Any) -> None:
    said = read()
    found = agent_end(said, end, {})
    assert found.ended == conclude(said, end).ended
    assert not (found.ended == "finished" and (found.failed or end.stopped_by))
    assert {name for name, value in found.measures.items() if value is None} <= set(found.reasons)
    for value in found.measures.values():
        assert value is None or (isinstance(value, int | Decimal) and value >= 0)
    canonical(dict(found.session))
    for event in found.events:
        canonical(dict(event.data))


@given(broken(CLAUDE), ends)
def test_claude_code(record: bytes, end: Any) -> None:
    holds(lambda: claude_code.read(record, b"", end), end)


@given(broken(CODEX), broken(ROLLOUT), ends)
def test_codex(record: bytes, rollout: bytes, end: Any) -> None:
    holds(lambda: codex.read(record, b"", end, rollout=rollout, servers=("s",)), end)


@given(broken(GEMINI), broken(TELEMETRY), ends)
def test_gemini_cli(record: bytes, telemetry: bytes, end: Any) -> None:
    holds(lambda: gemini_cli.read(record, b"", end, telemetry=telemetry, servers=("s",)), end)


@given(broken(MINI), ends)
def test_mini_swe_agent(record: bytes, end: Any) -> None:
    holds(lambda: mini_swe_agent.read(record, b"", b"", end, limits=LIMITS), end)


@given(st.binary(max_size=60), ends)
def test_bytes_that_are_no_record(record: bytes, end: Any) -> None:
    holds(lambda: claude_code.read(record, record, end), end)
    holds(lambda: codex.read(record, record, end, rollout=record), end)
    holds(lambda: gemini_cli.read(record, record, end, telemetry=record), end)
    holds(lambda: mini_swe_agent.read(record, record, record, end, limits=LIMITS), end)
