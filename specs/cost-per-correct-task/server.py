"""The warehouse: a small MCP server over stdio with many tools, one of which knows what is in stock. It needs Python and nothing else.

All answers are made of their arguments, so that the same call has the same answer everywhere. Each tool has its own schema.
"""

import hashlib
import json
import sys

THINGS = (
    "stock",
    "price",
    "supplier",
    "shelf",
    "parcel",
    "return",
    "order",
    "customer",
    "invoice",
    "carrier",
    "discount",
    "recall",
)
ACTIONS = {
    "level": ("how many there are", ("sku", "warehouse")),
    "history": ("what became of it", ("sku", "since")),
    "search": ("all that match some words", ("query",)),
    "report": ("a summary of a month", ("month",)),
}
RIGHT = "stock_level"
"""Of 48 tools the one that says how many of an article lie in a warehouse now."""


def tools():
    """List every tool with the schema of its arguments."""
    return [
        {
            "name": f"{thing}_{action}",
            "description": f"{thing.capitalize()}: {what}.",
            "inputSchema": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in takes},
                "required": list(takes),
                "additionalProperties": False,
            },
        }
        for thing in THINGS
        for action, (what, takes) in ACTIONS.items()
    ]


def number(tool, arguments):
    """Make a number from 100 to 999 of a call."""
    said = json.dumps([tool, arguments], sort_keys=True, separators=(",", ":"))
    return 100 + int.from_bytes(hashlib.sha256(said.encode()).digest()[:4], "big") % 900


def call(tool, arguments):
    """Answer a call, or say what is wrong with its arguments."""
    known = next((each for each in tools() if each["name"] == tool), None)
    if known is None:
        return {"content": [{"type": "text", "text": f"unknown tool: {tool}"}], "isError": True}
    takes = known["inputSchema"]["required"]
    if sorted(arguments) != sorted(takes) or not all(isinstance(each, str) for each in arguments.values()):
        return {"content": [{"type": "text", "text": f"{tool} takes {', '.join(takes)}, as texts"}], "isError": True}
    return {"content": [{"type": "text", "text": f"{tool}: {number(tool, arguments)}"}], "isError": False}


def answer(request):
    """Answer a request; None for what asks for no answer."""
    method, given = request.get("method"), request.get("params") or {}
    if "id" not in request:
        return None
    if method == "initialize":
        about = {"name": "warehouse", "version": "1"}
        version = given.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {"listChanged": False}}, "serverInfo": about}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": tools()}
    if method == "tools/call":
        return call(str(given.get("name")), given.get("arguments") or {})
    raise LookupError(f"unknown method: {method}")


def main():
    """Serve line by line until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            result = answer(request)
        except LookupError as problem:
            reply["error"] = {"code": -32601, "message": str(problem)}
        else:
            if result is None:
                continue
            reply["result"] = result
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
