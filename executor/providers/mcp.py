"""A provider that hands MCP servers to the agent, by program or by address; the agent writes them into its own configuration."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from executor.ports import Prepared, ProviderOrder
from executor.treatments import McpServer, Treatment
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain


class McpProvider:
    """Hands the servers of ``servers`` (name → ``run`` or ``url``) to the agent, and touches nothing.

    A run asserts of every attempt that these servers, and no others, were connected.
    """

    kind: ClassVar[str] = "mcp"
    gives: ClassVar[frozenset[Treatment]] = frozenset({"mcp"})

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """It touches no file of the workspace."""
        del options
        return ()

    def secrets(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """Name the variables that the servers need."""
        said = options.get("servers")
        named: list[str] = []
        for each in said.values() if isinstance(said, Mapping) else ():
            if isinstance(each, Mapping):
                bearer = each.get("bearer")
                named += [*_words(each.get("pass_env")), *([] if bearer is None else [str(bearer)])]
        return tuple(dict.fromkeys(named))

    def prepare(self, order: ProviderOrder) -> Prepared:
        """Give the servers. Raises WorldFault (``mcp``) for one that is neither a program nor an address, or both."""
        said = order.arm.provider.options.get("servers")
        servers = said if isinstance(said, Mapping) else {}
        return Prepared(mcp=tuple(_server(name, servers[name]) for name in sorted(servers)))


def _server(name: str, said: Plain) -> McpServer:
    options = said if isinstance(said, Mapping) else {}
    url, bearer = options.get("url"), options.get("bearer")
    server = McpServer(
        name=name,
        argv=_words(options.get("run")),
        url=str(url) if url is not None else None,
        env=_texts(options.get("env")),
        pass_env=_words(options.get("pass_env")),
        bearer=str(bearer) if bearer is not None else None,
        tools=_words(options.get("tools")),
        brings=_words(options.get("brings")),
    )
    if bool(server.argv) == (server.url is not None):
        what = f"the MCP server {name!r} needs either a program (run) or an address (url)"
        raise WorldFault(Fault(code="mcp", what=what, where=f"provider.servers.{name}"))
    return server


def _words(value: Plain) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _texts(value: Plain) -> dict[str, str]:
    return {name: str(each) for name, each in value.items()} if isinstance(value, Mapping) else {}
