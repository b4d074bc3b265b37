"""Claude Code's stream, read: cost and tokens from the last result, failures of the service under every name, and its command line."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from compiler.plan import LimitsPlan
from executor.agents.claude_code import ClaudeCodeAgent, read
from executor.agents.outcome import conclude
from executor.ports import JobEnd
from tests.executor.agents.orders import agent_plan
from tests.executor.agents.records import (
    CLAUDE_INIT,
    PLACEHOLDER,
    UNSPENT,
    claude_hears,
    claude_result,
    claude_says,
    ended,
    lines,
)


def verdict(stream: bytes, end: JobEnd, stderr: bytes = b"") -> tuple[str, bool, str | None, str | None]:
    found = conclude(read(stream, stderr, end), end)
    return found.ended, found.result, found.reason, None if found.failed is None else found.failed[0]


def test_a_whole_run() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": {"file_path": "calc.py", "scale": 0.5}}
    stream = lines(
        CLAUDE_INIT,
        claude_says({"type": "text", "text": "Let me look."}),
        claude_says(call),
        claude_hears("toolu_1", [{"type": "text", "text": "no such file"}], is_error=True),
        claude_result(),
    )
    said = read(b"a line of talk\n" + stream + b'{"type": "result", "torn', b"", ended())
    assert [event.kind for event in said.events] == [
        "session",
        "message",
        "tool_call",
        "tool_result",
        "usage",
        "result",
    ]
    assert said.events[2].data == {
        "name": "Edit",
        "does": "edit",
        "call": "toolu_1",
        "args": {"file_path": "calc.py", "scale": "0.5"},
    }
    assert said.events[3].data == {"call": "toolu_1", "error": True, "text": "no such file"}
    assert said.session == {
        "model": "claude-sonnet-4-5",
        "version": "2.1.332",
        "tools": ["Task", "Bash", "Edit", "Read", "Write"],
        "skills": [],
        "agents": ["claude", "Explore"],
        "key": "ANTHROPIC_API_KEY",
        "permissions": "bypassPermissions",
        "mcp_servers": [{"name": "sums", "status": "connected"}],
    }
    assert (said.reason, said.answer, said.thread) == ("completed", "Fixed the bug.", "9905bdc3")
    # The placeholders of the blocks add up to 2 tokens written; the result says 200.
    assert PLACEHOLDER["output_tokens"] == 1
    assert said.measures == {
        "cost": Decimal("0.015"),
        "turns": 4,
        "input_tokens": 4000,
        "output_tokens": 200,
        "cache_read": 30,
        "cache_write": 40,
    }


def test_of_several_results_turns_add_up_and_the_last_cost_counts() -> None:
    first = claude_result(num_turns=2, total_cost_usd=0.0075)
    said = read(lines(CLAUDE_INIT, first, CLAUDE_INIT, claude_result(num_turns=1, result_index=1)), b"", ended())
    assert (said.measures["turns"], said.measures["cost"]) == (3, Decimal("0.015"))
    assert said.measures["output_tokens"] == 200


def test_tokens_of_every_model_count() -> None:
    used = claude_result()["modelUsage"]["claude-sonnet-4-5"]
    both = claude_result(modelUsage={"claude-sonnet-4-5": used, "claude-haiku-4-5": {**used, "outputTokens": 7}})
    assert read(lines(CLAUDE_INIT, both), b"", ended()).measures["output_tokens"] == 207


def test_a_guessed_price_is_no_cost() -> None:
    used = {**claude_result()["modelUsage"]["claude-sonnet-4-5"], "costBasis": "unknown"}
    said = read(lines(CLAUDE_INIT, claude_result(modelUsage={"m": used})), b"", ended())
    assert said.measures["cost"] is None
    assert said.reasons["cost"] == "the agent guesses the price of m"


FAILED = {"is_error": True, "stop_reason": "stop_sequence", "terminal_reason": "api_error", **UNSPENT}
API = ("error", True, "api_error", "api")


@pytest.mark.parametrize(
    ("changes", "code", "expected"),
    [
        ({**FAILED, "api_error_status": 401, "result": "Invalid API key"}, 1, API),
        ({**FAILED, "api_error_status": 429}, 1, API),
        ({**FAILED, "api_error_status": 529}, 1, API),
        ({**FAILED, "api_error_status": None, "result": "Connection refused"}, 1, API),
        ({**FAILED, "result": "Not logged in · Please run /login"}, 1, API),
        # 2.1.197 calls a failing service completed, and a cut stream a success that cost nothing.
        ({**FAILED, "terminal_reason": "completed", "api_error_status": 500}, 1, API),
        ({**FAILED, "terminal_reason": None, "result": "API Error"}, 1, API),
        ({"stop_reason": None, "terminal_reason": None, "result": "", **UNSPENT}, 0, API),
        ({"is_error": True, "terminal_reason": "prompt_too_long"}, 1, ("error", True, "prompt_too_long", None)),
        (
            {"is_error": True, "subtype": "error_max_turns", "terminal_reason": "max_turns"},
            1,
            ("limit", True, "max_turns", None),
        ),
        (
            {"is_error": True, "subtype": "error_max_budget_usd", "terminal_reason": None},
            1,
            ("limit", True, "budget_exhausted", None),
        ),
        (
            {"is_error": True, "subtype": "error_during_execution", "terminal_reason": "aborted_tools"},
            0,
            ("error", True, "aborted_tools", None),
        ),
        ({}, 0, ("finished", True, "completed", None)),
        ({}, 137, ("error", True, "exit 137", None)),
        ({"terminal_reason": None}, 0, ("finished", True, "completed", None)),
    ],
)
def test_how_a_result_is_read(changes: dict[str, Any], code: int, expected: tuple[str, bool, str, str | None]) -> None:
    assert verdict(lines(CLAUDE_INIT, claude_result(**changes)), ended(code)) == expected


def test_a_cut_stream_costs_what_nobody_tells() -> None:
    silent = claude_result(stop_reason=None, terminal_reason=None, **UNSPENT)
    cut = claude_result(**{**FAILED, "total_cost_usd": 0.0121, "api_error": "connection_failed"})
    for each in (silent, cut):
        said = read(lines(CLAUDE_INIT, each), b"", ended())
        assert said.measures["cost"] is None
        assert "broke off" in said.reasons["cost"]
    refused = read(lines(CLAUDE_INIT, claude_result(**FAILED)), b"", ended(1))
    assert refused.measures["cost"] == 0


def test_without_a_result() -> None:
    assert verdict(lines(CLAUDE_INIT), ended(143)) == ("no-result", False, None, None)
    assert verdict(lines(CLAUDE_INIT), ended(None, signal=9)) == ("no-result", False, None, None)
    assert verdict(b"", ended(1), b"error: unknown option '--sums'") == ("no-result", False, None, "start")
    time_is_up = ended(None, signal=9, stopped_by="time")
    assert verdict(lines(CLAUDE_INIT), time_is_up) == ("timeout", False, None, None)
    assert verdict(lines(CLAUDE_INIT, claude_result()), time_is_up) == ("timeout", False, None, None)
    assert verdict(lines(CLAUDE_INIT), ended(None, signal=9, stopped_by="output")) == ("limit", False, None, None)
    assert read(lines(CLAUDE_INIT), b"", time_is_up).measures["cost"] is None


def test_trying_again_until_the_time_is_up_is_the_services_failure() -> None:
    retry = {"type": "system", "subtype": "api_retry", "attempt": 4, "error_status": 529, "error": "overloaded"}
    end = ended(None, signal=9, stopped_by="time")
    found = conclude(read(lines(CLAUDE_INIT, retry), b"", end), end)
    assert (found.ended, found.reason) == ("timeout", "api_error")
    assert found.failed is not None
    assert "529" in found.failed[1]
    went_on = lines(CLAUDE_INIT, retry, claude_says({"type": "text", "text": "ok"}))
    assert verdict(went_on, end) == ("timeout", False, None, None)


def test_the_command_lines_of_two_arms_differ_in_their_flags_alone() -> None:
    agent, plan = ClaudeCodeAgent(), agent_plan("claude-code")
    base, more = agent.command(plan, ()), agent.command(plan, ("--effort=high",))
    assert [each for each in more if each not in base] == ["--effort=high"]
    assert base[-2:] == ("--", "{prompt}")
    for flag in ("--strict-mcp-config", "--disable-slash-commands", "--setting-sources"):
        assert flag in base
    assert base[base.index("--setting-sources") + 1] == ""
    assert base[base.index("--max-turns") + 1] == "60"
    assert base[base.index("--max-budget-usd") + 1] == "2"
    free = replace(
        plan,
        limits=LimitsPlan(time_s=Decimal(1)),
        model=None,
        options={"settings": ["user", "project"], "skills": True, "servers": "found"},
    )
    line = agent.command(free, ())
    assert line[line.index("--setting-sources") + 1] == "user,project"
    assert not {"--max-turns", "--max-budget-usd", "--model", "--strict-mcp-config", "--disable-slash-commands"} & set(
        line
    )


def test_how_its_service_is_reached() -> None:
    agent = ClaudeCodeAgent()
    key = agent.access(agent_plan("claude-code", options={"api": {"key_env": "MY_KEY", "base_url_env": "MY_URL"}}))
    assert key is not None
    assert (key.url, key.credential, key.header, key.scheme, key.url_from) == (
        "https://api.anthropic.com",
        "MY_KEY",
        "x-api-key",
        "",
        "MY_URL",
    )
    token = agent.access(agent_plan("claude-code", options={"api": {"key_env": "CLAUDE_CODE_OAUTH_TOKEN"}}))
    assert token is not None
    assert (token.header, token.scheme) == ("authorization", "Bearer ")
    assert agent.access(agent_plan("claude-code")) is None
