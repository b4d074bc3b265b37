"""A tiny MCP server over stdio with one tool, ``add``; run as a program. Its mode says how it behaves at its start."""

import json
import sys
import time
from typing import Any


def main(mode: str) -> None:
    """Serve. ``ok``; ``exit``: end at once; ``hang``: never answer; ``slow:N``: answer the first request after N seconds."""
    if mode == "exit":
        sys.exit("mcp: there is nothing to serve")
    for line in sys.stdin:
        asked = json.loads(line)
        if mode == "hang":
            continue
        if asked.get("method") == "initialize" and mode.startswith("slow:"):
            time.sleep(float(mode.partition(":")[2]))
        answer = _answer(asked.get("method"), asked.get("params") or {})
        if asked.get("id") is not None:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        known = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
        return {"result": {**known, "serverInfo": {"name": "sums", "version": "1"}}}
    if method == "tools/list":
        number = {"type": "number"}
        shape = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
        return {"result": {"tools": [{"name": "add", "description": "Add two numbers", "inputSchema": shape}]}}
    if method == "tools/call":
        given = params["arguments"]
        return {"result": {"content": [{"type": "text", "text": f"SUM={given['a'] + given['b']}"}]}}
    if method == "ping":
        return {"result": {}}
    return {"error": {"code": -32601, "message": f"no method {method}"}}


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "ok")
