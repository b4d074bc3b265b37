"""The same rules over the streams of different agents, as they wrote them."""

from pathlib import Path

import pytest

from executor.agents import claude_code, codex
from executor.graders.trace import TraceGrader
from executor.ports import AgentEvent, CheckResult
from ledger.plain import Plain
from tests.executor.agents import records
from tests.executor.graders.streams import order

LOOKUP = {"sku": "Q-4471", "warehouse": "north"}
TOOL = "mcp__warehouse__stock_level"


def tool(call: str, name: str, **args: object) -> dict[str, object]:
    return records.claude_says({"type": "tool_use", "id": call, "name": name, "input": args})


CLAUDE = records.lines(
    records.CLAUDE_INIT,
    tool("t1", "Read", file_path="/workspace/almanac.txt", offset=1012, limit=3),
    tool("t2", TOOL, **LOOKUP),  # both at once
    records.claude_hears("t2", "stock_level: 876"),
    records.claude_hears("t1", "the lines"),
    tool("t3", "Bash", command="python3 -m unittest -q"),
    records.claude_hears("t3", "OK"),
    records.claude_says({"type": "text", "text": "The tests pass."}),
    records.claude_result(),
)
CODEX = records.lines(
    *records.CODEX_BEGAN,
    records.codex_item(
        "mcp_tool_call",
        id="i1",
        server="warehouse",
        tool="stock_level",
        arguments=LOOKUP,
        result={"content": [{"type": "text", "text": "stock_level: 876"}]},
        status="completed",
    ),
    records.codex_item(
        "command_execution", id="i2", command="bash -lc 'python3 -m unittest'", exit_code=0, status="completed"
    ),
    records.codex_item("agent_message", id="i3", text="The tests pass."),
    {"type": "turn.completed", "usage": records.CODEX_USAGE},
)
STREAMS = {
    "claude-code": claude_code.read(CLAUDE, b"", records.ended()).events,
    "codex": codex.read(CODEX, b"", records.ended()).events,
}
RULES: dict[str, tuple[dict[str, Plain], bool]] = {
    "the one call": ({"some": {"call": "mcp", "tool": TOOL, "args": LOOKUP, "failed": False}, "most": 1}, True),
    "no other": ({"only": [{"call": "mcp", "tool": TOOL, "args": LOOKUP}], "among": {"call": "mcp"}}, True),
    "other arguments": ({"some": {"call": "mcp", "args": {**LOOKUP, "warehouse": "south"}}}, False),
    "no edit": ({"never": {"call": "edit"}}, True),
    "no process": ({"never": {"call": "shell"}}, False),
    "what is claimed was seen": (
        {"claim": {"says": "tests? pass"}, "backed_by": {"call": "shell", "matches": "unittest", "failed": False}},
        True,
    ),
    "what is claimed was not seen": (
        {"claim": {"says": "tests? pass"}, "backed_by": {"call": "shell", "matches": "npm test", "failed": False}},
        False,
    ),
}


def judged(root: Path, events: tuple[AgentEvent, ...], rule: dict[str, Plain]) -> CheckResult:
    options: dict[str, Plain] = {"rules": [{"rule": "it", **rule}]}
    return TraceGrader().grade(order(root, "trace", options, events=events))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("agent", STREAMS)
def test_rules(tmp_path: Path, agent: str, name: str) -> None:
    rule, holds = RULES[name]
    found = judged(tmp_path, STREAMS[agent], rule)
    assert found.ok is holds, found.detail


def test_how_a_file_was_read_is_a_fact(tmp_path: Path) -> None:
    facts = judged(
        tmp_path, STREAMS["claude-code"], {"some": {"call": "read", "path": "almanac.txt", "ranged": True}}
    ).facts
    assert (facts["failed"], facts["ranged_reads"], facts["whole_reads"]) == (0, 1, 0)
