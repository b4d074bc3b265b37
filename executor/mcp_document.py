"""The form in which clients of MCP share their servers: the object ``mcpServers``, as most agents read it."""

import json
from collections.abc import Sequence

from executor.treatments import McpServer

FILE = "mcp.json"
"""Name of the file in an agent's home."""


def mcp_document(servers: Sequence[McpServer]) -> bytes:
    """Write the document. Values of secrets stand nowhere in it: ``${NAME}`` is what agents fill in from their own environment."""
    listed = {each.name: _entry(each) for each in sorted(servers, key=lambda one: one.name)}
    return (json.dumps({"mcpServers": listed}, indent=1, ensure_ascii=False) + "\n").encode()


def _entry(server: McpServer) -> dict[str, object]:
    if server.url is not None:
        headers = {} if server.bearer is None else {"headers": {"Authorization": f"Bearer ${{{server.bearer}}}"}}
        return {"type": "http", "url": server.url, **headers}
    passed = {name: f"${{{name}}}" for name in server.pass_env}
    return {"command": server.argv[0], "args": list(server.argv[1:]), "env": {**server.env, **passed}}
