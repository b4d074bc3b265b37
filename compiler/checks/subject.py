"""What every check looks at, and how a check says what it found."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from compiler.crossing import endpoint_ids
from compiler.plan import ArmPlan
from compiler.task import Candidate
from spec_lang.diagnostics import Diagnostic, Severity
from spec_lang.load import Loaded
from spec_lang.model import Endpoint, Spec
from spec_lang.nearest import hint as nearest_hint
from spec_lang.span import Span

Key: TypeAlias = str | int

CommandLine = Callable[[ArmPlan], tuple[str, ...]]
"""Gives the command line with which an arm's agent is started; injected, because agents live two floors up."""

Environment = Callable[[ArmPlan], Mapping[str, str]]
"""Gives the variables with which it is started, those of the agent's own kind among them."""

Untaken = Callable[[ArmPlan], frozenset[str]]
"""Gives what an arm's provider hands over and its agent does not take."""

CostRoutes = Callable[[ArmPlan], frozenset[str]]
"""Gives the routes by which an arm's costs can be measured."""

Reported = Callable[[ArmPlan], frozenset[str] | None]
"""Gives the trial facts that an arm's agent can report, as it is configured; None where its kind is not installed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """A loaded spec, and what else is known when it is checked.

    ``drawn`` holds the drawn candidates of each set once a pool was read, and is None before; ``command_line``,
    ``environment``, ``untaken``, ``reported`` and ``cost_routes`` are None where nobody injected them.
    """

    loaded: Loaded
    drawn: Mapping[str, tuple[Candidate, ...]] | None = None
    command_line: CommandLine | None = None
    environment: Environment | None = None
    untaken: Untaken | None = None
    reported: Reported | None = None
    cost_routes: CostRoutes | None = None

    @property
    def spec(self) -> Spec:
        """The spec under check."""
        return self.loaded.spec

    @property
    def endpoints(self) -> Mapping[str, Endpoint]:
        """Every endpoint that a rule may read, by its id: with levels also within each."""
        return {name: self.spec.endpoints[each.name] for name, each in endpoint_ids(self.spec).items()}

    def at(self, *path: Key) -> Span:
        """The span of a value, or of its nearest ancestor."""
        return self.loaded.spans.at(*path)

    def key(self, *path: Key) -> Span:
        """The span of a key."""
        return self.loaded.spans.key(*path)


Check = Callable[[Subject], Iterable[Diagnostic]]
"""A check: yields what is wrong, in the order of the text; never raises for what an author can write."""


def fault(
    code: str,
    summary: str,
    span: Span | None,
    *,
    detail: str | None = None,
    hint: str | None = None,
    severity: Severity = "error",
) -> Diagnostic:
    """Say what is wrong."""
    return Diagnostic(code=code, summary=summary, span=span, severity=severity, detail=detail, hint=hint)


def unknown_name(code: str, kind: str, name: str, known: Iterable[str], span: Span | None) -> Diagnostic:
    """Say that a name stands for nothing, and which known one is nearest."""
    names = sorted(known)
    hint = nearest_hint(name, names, what="known") if names else f"there is no {kind} at all"
    return fault(code, f"no {kind} `{name}`", span, hint=hint)


def quoted(names: Iterable[str]) -> str:
    """List names in backticks."""
    return ", ".join(f"`{name}`" for name in names)


def each(mapping: Mapping[str, object]) -> Iterator[str]:
    """Walk the keys of an unordered map in the one order that diagnostics use."""
    return iter(sorted(mapping))
