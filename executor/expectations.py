"""Holds what an agent's own init event says against what the arm registered: model, version, servers, skills, tools."""

from collections.abc import Mapping, Sequence

from compiler.plan import ArmPlan
from executor.first_request import foreign_servers, names_server
from executor.ports import AgentEnd
from executor.treatments import McpServer
from ledger.plain import Plain

_AT_LEAST = frozenset({"tools"})
"""Lists of which an arm names what must be there; every other list must be exactly what it names: more is a leak."""


SERVERS, OFFERED = "mcp_servers", "mcp servers in the first request"


def unexpected(
    arm: ArmPlan, end: AgentEnd, servers: Sequence[McpServer] = (), first_request: bytes | None = None
) -> tuple[dict[str, Plain], dict[str, Plain]]:
    """Give (expected, got) by name, for what differs. What is expected and not told counts as different: it cannot be asserted.

    The servers that the provider gave (or that the arm expects in their place), and no others, must be connected, by the init event's
    word; and the first request must offer them, where the proxy saw one. An agent whose init event lists none is judged by it alone.
    """
    wanted: dict[str, Plain] = dict(arm.expect)
    tools = {each.name: each.tools for each in servers}
    said_of_them = wanted.get(SERVERS)
    named = sorted(_names(said_of_them) or ()) if said_of_them is not None else sorted(tools)
    if SERVERS in end.session or (named and first_request is None):
        wanted.setdefault(SERVERS, named)
    elif first_request is not None:
        wanted.pop(SERVERS, None)  # the request tells instead
    for name, pinned in (("model", arm.agent.model), ("version", arm.agent.version)):
        if pinned is not None and end.session.get(name) is not None:
            wanted.setdefault(name, pinned)
    expected: dict[str, Plain] = {}
    got: dict[str, Plain] = {}
    if first_request is not None:
        offered = [name for name in named if names_server(first_request, name, tools.get(name, ()))]
        offered += foreign_servers(first_request, named)
        if offered != named:
            expected[OFFERED], got[OFFERED] = named, offered
    for name, value in wanted.items():
        said = end.session.get(name)
        if not _fits(name, value, said):
            expected[name], got[name] = value, said
    return expected, got


def _fits(name: str, wanted: Plain, said: Plain) -> bool:
    needed, names = _names(wanted), _names(said)
    if needed is None:
        return wanted == said
    if names is None:
        return False
    return needed <= names if name in _AT_LEAST else needed == names


def _names(value: Plain) -> set[str] | None:
    """Give the names in a list; None when it is no list."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {_name(each) for each in value}
    return None


def _name(entry: Plain) -> str:
    """Name an entry; a server that is not connected is none that an arm could expect."""
    if isinstance(entry, Mapping):
        status = entry.get("status")
        return f"{entry.get('name')}" if status in (None, "connected") else f"{entry.get('name')} ({status})"
    return str(entry)
