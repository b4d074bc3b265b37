"""Short records of real agents, as they wrote them: the lines that matter, and in them the keys that matter."""

import json
from decimal import Decimal
from typing import Any

from executor.ports import JobEnd


def ended(code: int | None = 0, *, signal: int | None = None, stopped_by: str | None = None) -> JobEnd:
    """How a program ended."""
    return JobEnd(exit_code=code, signal=signal, stopped_by=stopped_by, seconds=Decimal(3))


def lines(*documents: Any) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in documents)


# --- Claude Code 2.1.332 (and 2.1.197, where it says so) ---

CLAUDE_INIT = {
    "type": "system",
    "subtype": "init",
    "cwd": "/workspace",
    "session_id": "9905bdc3",
    "tools": ["Task", "Bash", "Edit", "Read", "Write"],
    "mcp_servers": [{"name": "sums", "status": "connected", "source": "dynamic"}],
    "model": "claude-sonnet-4-5",
    "permissionMode": "bypassPermissions",
    "apiKeySource": "ANTHROPIC_API_KEY",
    "claude_code_version": "2.1.332",
    "agents": ["claude", "Explore"],
    "skills": [],
}
PLACEHOLDER = {"input_tokens": 1000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
"""What every block of a message repeats: how the message began, not what it used."""


def claude_says(*blocks: Any) -> dict[str, Any]:
    """A piece of an answer."""
    return {
        "type": "assistant",
        "message": {"id": "msg_1", "content": list(blocks), "stop_reason": None, "usage": PLACEHOLDER},
    }


def claude_hears(call: str, content: Any, **more: Any) -> dict[str, Any]:
    """What a tool gave."""
    block = {"tool_use_id": call, "type": "tool_result", "content": content, **more}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def claude_result(**changes: Any) -> dict[str, Any]:
    """The last line."""
    used = {"inputTokens": 4000, "outputTokens": 200, "cacheReadInputTokens": 30, "cacheCreationInputTokens": 40}
    said: dict[str, Any] = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "terminal_reason": "completed",
        "stop_reason": "end_turn",
        "num_turns": 4,
        "api_error_status": None,
        "total_cost_usd": 0.015,
        "usage": {"input_tokens": 2000, "output_tokens": 100},
        "modelUsage": {"claude-sonnet-4-5": {**used, "costUSD": 0.015, "costBasis": "list"}},
        "result": "Fixed the bug.",
        "session_id": "9905bdc3",
        "result_index": 0,
    }
    return {**said, **changes}


UNSPENT = {"total_cost_usd": 0, "usage": {"input_tokens": 0, "output_tokens": 0}, "modelUsage": {}}

# --- Codex 0.171.0 ---

CODEX_BEGAN = ({"type": "thread.started", "thread_id": "01a2"}, {"type": "turn.started"})
CODEX_USAGE = {"input_tokens": 3600, "cached_input_tokens": 600, "cache_write_input_tokens": 0, "output_tokens": 150}


def codex_item(kind: str, **more: Any) -> dict[str, Any]:
    """Something that it did, or that it complains of."""
    return {"type": "item.completed", "item": {"id": "item_1", "type": kind, **more}}


def codex_failed(message: str) -> dict[str, Any]:
    """The last line of a turn that failed."""
    return {"type": "turn.failed", "error": {"message": message}}


def codex_rollout(calls: int = 3) -> bytes:
    """Its own record: who it is, and a count of tokens after each call of the model; the first comes twice."""
    counts = [
        {
            "type": "event_msg",
            "payload": {
                "type": "token_count",
                "info": {
                    "total_token_usage": {
                        **CODEX_USAGE,
                        "input_tokens": 1200 * n,
                        "cached_input_tokens": 200 * n,
                        "output_tokens": 50 * n,
                    }
                },
            },
        }
        for n in range(1, calls + 1)
    ]
    meta = {"type": "session_meta", "payload": {"cli_version": "0.171.0"}}
    context = {"type": "turn_context", "payload": {"model": "gpt-5.5"}}
    empty = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}
    return lines(meta, context, empty, *counts[:1], *counts)


# --- Gemini CLI 0.61.0 ---

GEMINI_INIT = {"type": "init", "session_id": "5caa", "model": "gemini-2.5-pro"}
GEMINI_STATS = {
    "total_tokens": 3750,
    "input_tokens": 3600,
    "output_tokens": 150,
    "cached": 600,
    "input": 3000,
    "tool_calls": 2,
}


def gemini_result(status: str = "success", **more: Any) -> dict[str, Any]:
    """The last line."""
    return {"type": "result", "status": status, "stats": GEMINI_STATS, **more}


def gemini_telemetry(*tools: str, answers: int = 2) -> bytes:
    """Its telemetry: documents one behind the other."""
    declared = json.dumps([{"functionDeclarations": [{"name": each} for each in tools]}])
    offered = {"kind": 0, "attributes": {"gen_ai.tool.definitions": declared}}
    main = {"attributes": {"event.name": "gemini_cli.api_response", "role": "main"}}
    side = {"attributes": {"event.name": "gemini_cli.api_response", "role": "utility_router"}}
    documents = [offered, *[main] * answers, side]
    return "\n".join(json.dumps(each, indent=2) for each in documents).encode() + b'\n{"attributes": {"torn'


# --- mini-swe-agent 2.4.6 ---


def mini_record(status: str | None = "Submitted", *, cost: float = 0.012, calls: int = 2, **more: Any) -> bytes:
    """Its record."""
    answer = {
        "role": "assistant",
        "content": "Let me look.",
        "extra": {
            "actions": [{"command": "cat calc.py", "tool_call_id": "call_1"}],
            "response": {
                "usage": {
                    "completion_tokens": 50,
                    "prompt_tokens": 1200,
                    "prompt_tokens_details": {"cached_tokens": 200},
                }
            },
        },
    }
    heard = {
        "role": "tool",
        "tool_call_id": "call_1",
        "extra": {"raw_output": "a - b", "returncode": 0, "exception_info": ""},
    }
    last = {**heard, "extra": {"raw_output": "", "returncode": -1, "exception_info": "action was not executed"}}
    messages = [{"role": "system", "content": "You help."}, *[answer, heard] * (calls - 1), answer, last]
    complaint = {"exception_str": more["exception"]} if "exception" in more else {}
    info = {
        "model_stats": {"instance_cost": cost, "api_calls": calls},
        "config": {"model": {"model_name": "openai/gpt-4o"}},
        "mini_version": "2.4.6",
        "submission": "",
        **({} if status is None else {"exit_status": status}),
    }
    messages.append({"role": "exit", "content": "", "extra": complaint})
    return json.dumps({"info": info, "messages": messages, "trajectory_format": "1"}).encode()
