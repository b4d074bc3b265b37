"""The records of Codex, Gemini CLI and mini-swe-agent, read: what each leaves out, and what each calls a success."""

from decimal import Decimal
from typing import Any

import pytest

from compiler.plan import LimitsPlan
from executor.agents import codex, gemini_cli, mini_swe_agent
from executor.agents.outcome import Said, conclude
from executor.ports import JobEnd
from tests.executor.agents.records import (
    CODEX_BEGAN,
    CODEX_USAGE,
    GEMINI_INIT,
    codex_failed,
    codex_item,
    codex_rollout,
    ended,
    gemini_result,
    gemini_telemetry,
    lines,
    mini_record,
)

Verdict = tuple[str, bool, str | None, str | None]
TIME = ended(None, signal=9, stopped_by="time")


def verdict(said: Said, end: JobEnd) -> Verdict:
    found = conclude(said, end)
    return found.ended, found.result, found.reason, None if found.failed is None else found.failed[0]


# --- Codex ---

DONE = {"type": "turn.completed", "usage": CODEX_USAGE}


def test_codex_a_whole_run() -> None:
    stream = lines(
        *CODEX_BEGAN,
        codex_item("error", message="Model metadata for `m` not found. Defaulting to fallback metadata."),
        {"type": "item.started", "item": {"id": "item_1", "type": "command_execution", "status": "in_progress"}},
        codex_item("command_execution", command="cat x", aggregated_output="no", exit_code=1, status="failed"),
        codex_item("file_change", changes=[{"path": "calc.py", "kind": "update"}], status="completed"),
        codex_item("mcp_tool_call", server="sums", tool="add", result={"content": [{"type": "text", "text": "SUM=5"}]}),
        codex_item("agent_message", text="Fixed it."),
        DONE,
    )
    said = codex.read(stream, b"", ended(), rollout=codex_rollout(), servers=("sums",))
    assert verdict(said, ended()) == ("finished", True, "completed", None)
    calls = [event.data for event in said.events if event.kind == "tool_call"]
    assert [(each["name"], each["does"]) for each in calls] == [
        ("command_execution", "shell"),
        ("file_change", "edit"),
        ("mcp__sums__add", "mcp"),
    ]
    results = [event.data for event in said.events if event.kind == "tool_result"]
    assert [(each["error"], each["text"]) for each in results] == [(True, "no"), (False, ""), (False, "SUM=5")]
    assert said.session == {
        "version": "0.171.0",
        "model": "gpt-5.5",
        "mcp_servers": [{"name": "sums", "status": "connected"}],
    }
    assert (said.answer, said.thread) == ("Fixed it.", "01a2")
    assert said.measures == {
        "turns": 3,
        "input_tokens": 3000,
        "output_tokens": 150,
        "cache_read": 600,
        "cache_write": 0,
    }


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("unexpected status 401 Unauthorized: no, url: http://x/v1/responses", ("error", True, "api_error", "api")),
        ("exceeded retry limit, last status: 429 Too Many Requests", ("error", True, "api_error", "api")),
        ("stream disconnected before completion", ("error", True, "api_error", "api")),
        ("Missing environment variable: `CODEX_API_KEY`.", ("error", True, "api_error", "api")),
        (
            "Codex ran out of room in the model's context window.",
            ("error", True, "prompt_too_long", None),
        ),
    ],
)
def test_codex_a_turn_that_failed(message: str, expected: Verdict) -> None:
    said = codex.read(lines(*CODEX_BEGAN, {"type": "error", "message": message}, codex_failed(message)), b"", ended(1))
    assert verdict(said, ended(1)) == expected


def test_codex_without_a_result() -> None:
    began = lines(*CODEX_BEGAN)
    assert verdict(codex.read(began, b"", ended(143)), ended(143)) == ("no-result", False, None, None)
    assert verdict(codex.read(began, b"", TIME), TIME) == ("timeout", False, None, None)
    waits = lines(*CODEX_BEGAN, {"type": "error", "message": "Reconnecting... waiting for network (Connection failed)"})
    assert verdict(codex.read(waits, b"", TIME), TIME) == ("timeout", False, "api_error", "api")
    assert verdict(codex.read(b"", b"error: unexpected argument", ended(2)), ended(2))[3] == "start"
    killed = codex.read(began, b"", TIME, rollout=codex_rollout(2))
    assert (killed.measures["turns"], killed.measures["output_tokens"]) == (
        2,
        100,
    )  # its own record goes as far as it got


def test_codex_a_required_server_that_failed_is_named() -> None:
    complaint = b"Error: thread/start failed: required MCP servers failed to initialize: sums: connection closed"
    said = codex.read(b"", complaint, ended(1), servers=("more", "sums"))
    servers = [{"name": "more", "status": "unknown"}, {"name": "sums", "status": "failed"}]
    assert said.session == {"mcp_servers": servers}
    assert verdict(said, ended(1)) == ("no-result", False, None, "start")


# --- Gemini CLI ---


def gemini(*more: Any, code: int = 0, stderr: bytes = b"", **settings: Any) -> tuple[Said, JobEnd]:
    # A sandbox reads codes above 128 as signals, as a shell does.
    end = ended(code) if code <= 128 or code > 192 else ended(None, signal=code - 128)
    return gemini_cli.read(lines(GEMINI_INIT, *more), stderr, end, **settings), end


def test_gemini_a_whole_run() -> None:
    said, end = gemini(
        {"type": "message", "role": "user", "content": "Fix it"},
        {"type": "message", "role": "assistant", "content": "Let me look.", "delta": True},
        {"type": "tool_use", "tool_name": "replace", "tool_id": "r1", "parameters": {"file_path": "calc.py"}},
        {"type": "tool_result", "tool_id": "r1", "status": "error", "error": {"message": "no such text"}},
        {"type": "message", "role": "assistant", "content": "Fixed ", "delta": True},
        {"type": "message", "role": "assistant", "content": "it.", "delta": True},
        gemini_result(),
        telemetry=gemini_telemetry("replace", "mcp_sums_add"),
        servers=("dies", "sums"),
    )
    assert verdict(said, end) == ("finished", True, "completed", None)
    assert said.answer == "Fixed it."
    assert said.session == {
        "model": "gemini-2.5-pro",
        "tools": ["mcp_sums_add", "replace"],
        "mcp_servers": [{"name": "dies", "status": "failed"}, {"name": "sums", "status": "connected"}],
    }
    assert [event.data["error"] for event in said.events if event.kind == "tool_result"] == [True]
    assert said.measures == {
        "turns": 2,
        "tokens": 3750,
        "input_tokens": 3000,
        "output_tokens": 150,
        "cache_read": 600,
        "cache_write": None,
    }


API_401 = {"type": "unknown", "message": '[API Error: {"error":{"code":401,"message":"no"}}]'}
TURNS = {"type": "FatalTurnLimitedError", "message": "Reached max session turns for this session."}
LOOP = {"type": "error", "severity": "warning", "message": "Loop detected, stopping execution"}
CUT = {"type": "error", "severity": "error", "message": "Model stream ended without a finish reason."}


@pytest.mark.parametrize(
    ("more", "code", "expected"),
    [
        ((gemini_result("error", error=API_401),), 145, ("error", True, "api_error", "api")),  # 401 & 255
        ((CUT, gemini_result("error")), 0, ("error", True, "api_error", "api")),
        ((gemini_result("error", error=TURNS),), 53, ("limit", True, "max_turns", None)),
        ((LOOP, gemini_result()), 0, ("error", True, "loop_detected", None)),
        (
            (gemini_result("error", error={"type": "FatalToolExecutionError", "message": "no"}),),
            54,
            ("error", True, "error", None),
        ),
        ((gemini_result(),), 1, ("error", True, "exit 1", None)),
        ((), 0, ("no-result", False, None, None)),  # ended by SIGTERM
    ],
)
def test_gemini_how_it_ended(more: tuple[Any, ...], code: int, expected: Verdict) -> None:
    assert verdict(*gemini(*more, code=code)) == expected


def test_gemini_servers_without_telemetry_are_not_taken_for_connected() -> None:
    said, _ = gemini(gemini_result(), servers=("sums",))
    assert said.session["mcp_servers"] == [{"name": "sums", "status": "unknown"}]
    said, _ = gemini(gemini_result(), servers=("sums",), stderr=b"MCP issues detected. Run /mcp list for status.\n")
    assert said.session["mcp_servers"] == [{"name": "sums", "status": "failed"}]


def test_gemini_that_never_began() -> None:
    said = gemini_cli.read(b"", b"you must specify the GEMINI_API_KEY environment variable.\n", ended(41))
    assert verdict(said, ended(41)) == ("no-result", False, None, "start")
    assert "GEMINI_API_KEY" in said.detail


# --- mini-swe-agent ---

LIMITS = LimitsPlan(time_s=Decimal(60), cost_usd=Decimal(2), turns=2)


def mini(record: bytes, end: JobEnd | None = None, **more: Any) -> Said:
    return mini_swe_agent.read(record, more.get("stdout", b""), more.get("stderr", b""), end or ended(), limits=LIMITS)


def test_mini_a_whole_run() -> None:
    said = mini(mini_record())
    assert verdict(said, ended()) == ("finished", True, "completed", None)
    assert said.session == {"version": "2.4.6", "model": "openai/gpt-4o", "tools": ["bash"], "mcp_servers": []}
    assert [event.data["error"] for event in said.events if event.kind == "tool_result"] == [False, False]
    assert said.measures == {
        "cost": Decimal("0.012"),
        "turns": 2,
        "input_tokens": 2000,
        "output_tokens": 100,
        "cache_read": 400,
        "cache_write": 0,
    }
    assert "calls_before_first_edit" in said.reasons


@pytest.mark.parametrize(
    ("status", "calls", "code", "expected"),
    [
        ("LimitsExceeded", 2, 0, ("limit", True, "max_turns", None)),
        ("LimitsExceeded", 1, 0, ("limit", True, "budget_exhausted", None)),
        ("TimeExceeded", 1, 0, ("limit", True, "time_exhausted", None)),
        ("RepeatedFormatError", 1, 0, ("error", True, "format_error", None)),
        ("AuthenticationError", 1, 1, ("error", True, "api_error", "api")),
        ("RateLimitError", 1, 1, ("error", True, "api_error", "api")),
        ("ContextWindowExceededError", 1, 1, ("error", True, "prompt_too_long", None)),
        ("KeyError", 1, 1, ("error", True, "KeyError", None)),
        ("Submitted", 1, 1, ("error", True, "exit 1", None)),
        (None, 1, 143, ("no-result", False, None, None)),
    ],
)
def test_mini_how_it_ended(status: str | None, calls: int, code: int, expected: Verdict) -> None:
    end = ended(code)
    assert verdict(mini(mini_record(status, calls=calls), end), end) == expected


def test_mini_a_price_of_nothing_is_an_unknown_price() -> None:
    said = mini(mini_record(cost=0.0))
    assert said.measures["cost"] is None
    assert "knows no price" in said.reasons["cost"]


def test_mini_without_a_record() -> None:
    for record in (b"", b'{"info": {"torn'):
        said = mini(record, ended(1), stderr=b"No such option: --sums\n")
        assert verdict(said, ended(1)) == ("no-result", False, None, "start")
        assert set(said.measures.values()) == {None}
    under_way = mini(b"", TIME, stdout=b"mini-swe-agent (step 1, $0.00):\n")
    assert verdict(under_way, TIME) == ("timeout", False, None, None)
