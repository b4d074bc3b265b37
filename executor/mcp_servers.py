"""Which MCP servers an agent gets: a file in its home that a provider writes and an agent reads, in the form that clients share."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger.errors import Fault, WorldFault

FILE = "mcp.json"
"""Name of the file, in the agent's home: ``{"mcpServers": {NAME: {"command", "args", "env"}}}``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpServer:
    """A server that the agent starts and talks to over stdin and stdout; paths as they are seen inside the sandbox."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def read_servers(home: Path) -> dict[str, McpServer]:
    """Give the servers of an agent's home by name; none when no provider wrote any. Raises WorldFault (``mcp``) for a broken file."""
    file = home / FILE
    if not file.is_file():
        return {}
    try:
        said: Any = json.loads(file.read_text("utf-8"))
        return {name: _server(each) for name, each in sorted(said["mcpServers"].items())}
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        what = f"{FILE} in the agent's home lists no MCP servers: {type(problem).__name__}: {problem}"
        hint = '{"mcpServers": {NAME: {"command": …, "args": […], "env": {…}}}}'
        raise WorldFault(Fault(code="mcp", what=what, where=FILE, hint=hint)) from problem


def write_servers(home: Path, servers: Mapping[str, McpServer]) -> None:
    """Write the servers of an agent's home."""
    listed = {
        name: {"command": each.command, "args": list(each.args), "env": dict(each.env)}
        for name, each in sorted(servers.items())
    }
    (home / FILE).write_text(json.dumps({"mcpServers": listed}, indent=1) + "\n", "utf-8")


def _server(said: Mapping[str, Any]) -> McpServer:
    command, args, env = said["command"], said.get("args", ()), said.get("env", {})
    if not isinstance(command, str) or isinstance(args, str):
        raise TypeError("command is text, args is a list")
    return McpServer(command=command, args=tuple(map(str, args)), env={name: str(value) for name, value in env.items()})
