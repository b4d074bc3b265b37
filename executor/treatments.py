"""What providers hand to agents, and what plugins may say of themselves beside their ports: what they give, take and reach."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, runtime_checkable

from compiler.plan import AgentPlan
from ledger.plain import Plain


@dataclass(frozen=True, kw_only=True, slots=True)
class McpServer:
    """An MCP server that an agent is to be given: a program (``argv``) or an address (``url``), never both.

    Secrets stand here by name only: the variables ``pass_env`` are in the agent's own environment, for a program; ``bearer`` is the
    variable that holds the token for an address. ``tools`` are names of tools that it must bring; ``brings`` are other words that an
    agent shows in its requests when it has the server.
    """

    name: str
    argv: tuple[str, ...] = ()
    url: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    bearer: str | None = None
    tools: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()


SERVERS_FOLDER = ".mcp-servers"
"""Where in an agent's home the programs of servers lie; no agent reads anything there by itself."""

Treatment = Literal["mcp", "settings"]
"""What a provider hands to the agent to be turned into the agent's own configuration."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAccess:
    """How requests reach a model when the harness forwards them: where to, and which header carries which credential.

    ``url_from`` names an environment variable of the host whose value, where it is set, goes before ``url``. ``credential`` names
    another, whose value never enters the sandbox; the header's value is ``scheme`` followed by it.
    """

    url: str
    credential: str | None = None
    header: str = "authorization"
    scheme: str = "Bearer "
    url_from: str | None = None


@runtime_checkable
class TakesTreatment(Protocol):
    """An agent that turns what providers hand over into its own configuration; one that does not say so takes nothing."""

    def takes(self, agent: AgentPlan) -> frozenset[Treatment]:
        """Say what it takes, as it is configured; pure. The order brings it as ``mcp`` and ``settings``."""
        ...


@runtime_checkable
class ReachesModel(Protocol):
    """An agent whose requests can be forwarded by the harness (``network: model``)."""

    def access(self, agent: AgentPlan) -> ModelAccess | None:
        """Say how its model is reached, as it is configured; None: not through a proxy. Pure."""
        ...


@runtime_checkable
class ShowsWork(Protocol):
    """An agent whose events may not tell what it did; one that does not say so shows it."""

    def shows_work(self, agent: AgentPlan) -> bool:
        """Say whether its events tell every call that it makes, as it is configured; pure."""
        ...


@runtime_checkable
class HasEnvironment(Protocol):
    """An agent that sets variables of its own; one that does not say so sets those of its option ``env``."""

    def environment(self, agent: AgentPlan) -> Mapping[str, str]:
        """Give the variables that ``run`` will set, with ``{model_url}`` and the like in place; pure."""
        ...


@runtime_checkable
class ReportsAsTold(Protocol):
    """An agent whose options say which trial facts it reports; one that does not say so reports all ``measures`` of its kind."""

    def reports(self, agent: AgentPlan) -> frozenset[str]:
        """Name them, as it is configured; pure."""
        ...


@runtime_checkable
class GivesTreatment(Protocol):
    """A provider that hands something to the agent; one that does not say so hands over nothing."""

    gives: ClassVar[frozenset[Treatment]]


@runtime_checkable
class ReadsStream(Protocol):
    """A grader that judges what an agent did, so that where no agent has run it has nothing to judge."""

    reads_stream: ClassVar[bool]


def reads_stream(grader: object) -> bool:
    """Say whether a grader judges an agent's stream; one that does not say so judges a tree and an answer."""
    return isinstance(grader, ReadsStream) and grader.reads_stream


@runtime_checkable
class NeedsSecrets(Protocol):
    """A provider whose treatment needs credentials; they are let through by name and redacted everywhere."""

    def secrets(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """Name the environment variables of the host; pure."""
        ...


@runtime_checkable
class DescribesOptions(Protocol):
    """A plugin of another distribution that a spec can name: its options, as the kinds of this one describe theirs.

    ``options`` holds a JSON Schema (2020-12) for each option by name, ``required`` the names of those that must be given. The first
    sentence of the class's docstring is what editors show.
    """

    options: ClassVar[Mapping[str, Mapping[str, object]]]
    required: ClassVar[tuple[str, ...]]
