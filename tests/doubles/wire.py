"""The four protocols that coding agents speak to a model: what a request offers and holds, and how a turn is written back."""

import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.doubles.script import Tool, Turn

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A request: the tools it offers, how many turns with a call of a tool it holds, its model, whether it wants a stream."""

    tools: tuple[Tool, ...]
    turns: int
    model: str
    stream: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Protocol:
    """How one protocol reads requests and writes turns: as a whole document, or as frames of an event stream."""

    read: Callable[[Mapping[str, Any], str], Asked]
    whole: Callable[[Turn, str], dict[str, Any]]
    frames: Callable[[Turn, str], list[str]]


def protocol(path: str) -> Protocol | None:
    """Give the protocol of a request path, or None."""
    if path.endswith("/messages"):
        return Protocol(read=_read_messages, whole=_message, frames=_message_frames)
    if path.endswith("/chat/completions"):
        return Protocol(read=_read_chat, whole=_chat, frames=_chat_frames)
    if path.endswith("/responses"):
        return Protocol(read=_read_responses, whole=_response, frames=_response_frames)
    if re.search(r":(stream)?[gG]enerateContent$", path):
        return Protocol(read=_read_contents, whole=_contents, frames=_contents_frames)
    return None


def _name(prefix: str) -> str:
    return f"{prefix}_{next(_NUMBERS):06d}"


def _tool(name: str, schema: Mapping[str, Any] | None, **more: Any) -> Tool:
    said = schema or {}
    return Tool(name=name, properties=said.get("properties") or {}, required=said.get("required") or (), **more)


def _sse(document: Mapping[str, Any]) -> str:
    name = f"event: {document['type']}\n" if "type" in document else ""
    return f"{name}data: {json.dumps(document)}\n\n"


# --- messages (Anthropic) ---


def _read_messages(body: Mapping[str, Any], path: str) -> Asked:
    del path
    turns = [each["content"] for each in body["messages"] if each["role"] == "assistant"]
    called = [one for one in turns if isinstance(one, list) and any(part.get("type") == "tool_use" for part in one)]
    tools = tuple(_tool(each["name"], each.get("input_schema")) for each in body.get("tools") or ())
    return Asked(tools=tools, turns=len(called), model=body["model"], stream=bool(body.get("stream")))


def _message(turn: Turn, model: str) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    named = [(call.name, call.arguments) for call in turn.calls]
    blocks += [{"type": "tool_use", "id": _name("toolu"), "name": name, "input": args} for name, args in named]
    script = turn.script
    usage = {"input_tokens": script.input_tokens, "output_tokens": script.output_tokens}
    usage |= {"cache_read_input_tokens": script.cache_read, "cache_creation_input_tokens": 0}
    stop = "tool_use" if turn.calls else "end_turn"
    head = {"id": _name("msg"), "type": "message", "role": "assistant", "model": model, "stop_sequence": None}
    return {**head, "content": blocks, "stop_reason": stop, "usage": usage}


def _message_frames(turn: Turn, model: str) -> list[str]:
    whole = _message(turn, model)
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(whole["content"]):
        text = block["type"] == "text"
        empty = {**block, "text": ""} if text else {**block, "input": {}}
        delta: dict[str, Any] = {"type": "text_delta", "text": block["text"]} if text else {"type": "input_json_delta"}
        if not text:
            delta["partial_json"] = json.dumps(block["input"])
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    last = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": last, "usage": whole["usage"]}, {"type": "message_stop"}]
    return [_sse(each) for each in events]


# --- chat completions (OpenAI and its like) ---


def _read_chat(body: Mapping[str, Any], path: str) -> Asked:
    del path
    called = [each for each in body["messages"] if each["role"] == "assistant" and each.get("tool_calls")]
    functions = [each["function"] for each in body.get("tools") or () if each["type"] == "function"]
    tools = tuple(_tool(each["name"], each.get("parameters")) for each in functions)
    return Asked(tools=tools, turns=len(called), model=body["model"], stream=bool(body.get("stream")))


def _chat(turn: Turn, model: str) -> dict[str, Any]:
    calls = [
        {
            "id": _name("call"),
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for call in turn.calls
    ]
    message = {"role": "assistant", "content": turn.text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    read = turn.script.input_tokens + turn.script.cache_read
    usage = {"prompt_tokens": read, "completion_tokens": turn.script.output_tokens}
    usage |= {"total_tokens": read + turn.script.output_tokens}
    details = {"prompt_tokens_details": {"cached_tokens": turn.script.cache_read}}
    head = {"id": _name("chatcmpl"), "object": "chat.completion", "created": 1, "model": model}
    return {**head, "choices": [choice], "usage": {**usage, **details}}


def _chat_frames(turn: Turn, model: str) -> list[str]:
    whole = _chat(turn, model)
    choice = whole["choices"][0]
    calls = [{**each, "index": at} for at, each in enumerate(choice["message"].get("tool_calls", ()))]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    head = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    parts: list[dict[str, Any]] = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}]
    parts.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    parts.append({**head, "choices": [], "usage": whole["usage"]})
    return [*map(_sse, parts), "data: [DONE]\n\n"]


# --- responses (OpenAI) ---


def _read_responses(body: Mapping[str, Any], path: str) -> Asked:
    del path
    tools: list[Tool] = []
    for each in body.get("tools") or ():
        if each["type"] == "namespace":
            inner = each.get("tools", ())
            tools += [_tool(one["name"], one.get("parameters"), space=each["name"]) for one in inner]
        else:
            custom = each["type"] == "custom"
            tools.append(_tool(each.get("name") or each["type"], each.get("parameters"), custom=custom))
    items: Sequence[Mapping[str, Any]] = body["input"] if isinstance(body["input"], list) else ()
    kinds = [str(each.get("type", "message")) for each in items]
    # Calls that stand side by side were made in one turn.
    called = [
        kind for before, kind in zip(["", *kinds], kinds, strict=False) if _is_call(kind) and not _is_call(before)
    ]
    return Asked(tools=tuple(tools), turns=len(called), model=body["model"], stream=bool(body.get("stream")))


def _is_call(kind: str) -> bool:
    return kind.endswith("_call")


def _response(turn: Turn, model: str) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    if turn.text:
        text = {"type": "output_text", "text": turn.text, "annotations": []}
        items.append(
            {"type": "message", "id": _name("msg"), "role": "assistant", "status": "completed", "content": [text]}
        )
    for call in turn.calls:
        if call.custom:
            item = {"type": "custom_tool_call", "id": _name("ctc"), "name": call.name, "input": call.arguments}
        else:
            arguments = json.dumps(call.arguments)
            item = {
                "type": "function_call",
                "id": _name("fc"),
                "name": call.name,
                "arguments": arguments,
                "status": "completed",
            }
        space = {} if call.space is None else {"namespace": call.space}
        items.append({**item, "call_id": _name("call"), **space})
    read, written = turn.script.input_tokens + turn.script.cache_read, turn.script.output_tokens
    usage: dict[str, Any] = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    usage |= {"input_tokens_details": {"cached_tokens": turn.script.cache_read}}
    usage |= {"output_tokens_details": {"reasoning_tokens": 0}}
    head = {"id": _name("resp"), "object": "response", "created_at": 1, "model": model, "error": None}
    return {**head, "status": "completed", "output": items, "usage": usage, "incomplete_details": None}


def _response_frames(turn: Turn, model: str) -> list[str]:
    whole = _response(turn, model)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(whole["output"]):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            delta = {
                "item_id": item["id"],
                "output_index": index,
                "content_index": 0,
                "delta": item["content"][0]["text"],
            }
            events.append({"type": "response.output_text.delta", **delta})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return [_sse(each) for each in events]


# --- generateContent (Gemini) ---


def _read_contents(body: Mapping[str, Any], path: str) -> Asked:
    turns = [each.get("parts", ()) for each in body["contents"] if each.get("role") == "model"]
    called = [parts for parts in turns if any("functionCall" in part for part in parts)]
    declared = [one for each in body.get("tools") or () for one in each.get("functionDeclarations") or ()]
    tools = tuple(_tool(each["name"], each.get("parametersJsonSchema") or each.get("parameters")) for each in declared)
    model = path.rpartition("/")[2].partition(":")[0]
    return Asked(tools=tools, turns=len(called), model=model, stream="stream" in path.rpartition(":")[2])


def _contents(turn: Turn, model: str) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": turn.text}] if turn.text else []
    named = [(call.name, call.arguments) for call in turn.calls]
    parts += [{"functionCall": {"id": _name("fc"), "name": name, "args": args}} for name, args in named]
    read, written = turn.script.input_tokens + turn.script.cache_read, turn.script.output_tokens
    usage = {"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written}
    usage |= {"cachedContentTokenCount": turn.script.cache_read}
    said = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [said], "usageMetadata": usage, "modelVersion": model, "responseId": _name("r")}


def _contents_frames(turn: Turn, model: str) -> list[str]:
    return [f"data: {json.dumps(_contents(turn, model))}\r\n\r\n"]
