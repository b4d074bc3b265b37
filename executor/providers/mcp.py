"""A provider that hands MCP servers to the agent, by program or by address; the agent writes them into its own configuration."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import PurePosixPath
from typing import ClassVar

from compiler.plan import LimitsPlan
from executor.ports import Job, Prepared, ProviderOrder
from executor.treatments import SERVERS_FOLDER, McpServer, Treatment
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain


class McpProvider:
    """Hands the servers of ``servers`` (name → ``run`` or ``url``) to the agent, and touches no file of the workspace.

    ``files`` (name → file of the author) are the servers' own programs; ``{files}`` in ``run`` is their folder.
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
        """Lay the servers' files out in the agent's home, and give the servers.

        Raises WorldFault for a server that is neither a program nor an address, or both (``mcp``), or a file that is no input (``input``).
        """
        options = order.arm.provider.options
        said = options.get("servers")
        servers = said if isinstance(said, Mapping) else {}
        folder = _lay_out(order, _texts(options.get("files")))
        return Prepared(mcp=tuple(_server(name, servers[name], folder) for name in sorted(servers)))


def _lay_out(order: ProviderOrder, files: Mapping[str, str]) -> str:
    """Write the servers' files; give their folder as it is seen inside."""
    folder = order.home / SERVERS_FOLDER
    for name, source in sorted(files.items()):
        if source not in order.inputs or PurePosixPath(name).name != name:
            what = f"{source} is not among the registered inputs, or {name!r} is no name of a file"
            raise WorldFault(Fault(code="input", what=what, where="provider.files"))
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(order.inputs[source])
    nothing = order.home / "nothing"
    job = Job(
        argv=("true",),
        workspace=order.workspace,
        home=order.home,
        limits=LimitsPlan(time_s=Decimal(1)),
        stdout=nothing,
        stderr=nothing,
    )
    return order.sandbox.inside(job, folder)


def _server(name: str, said: Plain, folder: str) -> McpServer:
    options = said if isinstance(said, Mapping) else {}
    url, bearer = options.get("url"), options.get("bearer")
    server = McpServer(
        name=name,
        argv=tuple(each.replace("{files}", folder) for each in _words(options.get("run"))),
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
