"""Runs inside a sandbox: starts an MCP server over stdio, lists its tools or calls one, and prints what came of it as JSON.

It is started by its path with ``-I -S`` by the harness's own Python, so it imports nothing of ours.
"""

import json
import os
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROTOCOL = "2025-06-18"


def main() -> None:
    """Read ``{argv, env, tool, arguments}`` from stdin; print ``{tools}``, ``{text, error}``, or ``{failed}`` and end with 1."""
    order = json.load(sys.stdin)
    try:
        found = asked(order)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        print(json.dumps({"failed": f"{type(problem).__name__}: {problem}"}))
        raise SystemExit(1) from None
    print(json.dumps(found))


def asked(order: "dict[str, Any]") -> "dict[str, Any]":
    """Start the server, shake hands, and ask."""
    server = subprocess.Popen(
        order["argv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **order["env"]}
    )
    try:
        session = Session(server)
        about = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "prereg", "version": "1"}}
        session.ask("initialize", about)
        session.tell("notifications/initialized", {})
        if order["tool"] is None:
            return {"tools": [each["name"] for each in session.all("tools/list", "tools")]}
        result = session.ask("tools/call", {"name": order["tool"], "arguments": order["arguments"]})
        texts = [each["text"] for each in result.get("content", ()) if each.get("type") == "text"]
        return {"text": "".join(texts), "error": result.get("isError") is True}
    finally:
        server.kill()


class Session:
    """Requests and answers, one a line (JSON-RPC 2.0)."""

    def __init__(self, server: "subprocess.Popen[bytes]") -> None:
        self.server = server
        self.number = 0

    def tell(self, method: str, params: "dict[str, Any]", **more: object) -> None:
        """Send a message that wants no answer, unless ``id`` asks for one."""
        assert self.server.stdin is not None
        line = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
        self.server.stdin.write(line.encode() + b"\n")
        self.server.stdin.flush()

    def ask(self, method: str, params: "dict[str, Any]") -> "dict[str, Any]":
        """Send a request and wait for its answer; what else the server says is passed over. Raises ValueError for an error."""
        assert self.server.stdout is not None
        self.number += 1
        self.tell(method, params, id=self.number)
        for line in self.server.stdout:
            said = json.loads(line)
            if said.get("id") == self.number and "method" not in said:
                if "error" in said:
                    raise ValueError(f"{method}: {said['error'].get('message')}")
                result: dict[str, Any] = said["result"]
                return result
        raise ValueError(f"the server ended before it answered {method}")

    def all(self, method: str, name: str) -> "list[Any]":
        """Ask for a list, page by page."""
        found: list[Any] = []
        cursor: dict[str, Any] = {}
        while True:
            page = self.ask(method, cursor)
            found += page[name]
            if not page.get("nextCursor"):
                return found
            cursor = {"cursor": page["nextCursor"]}


if __name__ == "__main__":
    main()
