"""What the recording proxy writes down: a line for each exchange with digests and usage, and an agent's first request as evidence."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from executor.first_request import body_of, tools_of
from executor.redact import redact
from executor.usage import Usage, usage_of
from ledger.canonical import canonical, digest
from ledger.plain import Plain

MODEL = "model"
"""The route to the model; every other route leads to an MCP server."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """One request and what came back. ``status`` None: nothing did; ``problem`` says why it broke off."""

    number: int
    route: str
    method: str
    path: str
    status: int | None
    request: bytes
    response: bytes
    streamed: bool
    seconds: float
    problem: str | None = None


@dataclass(kw_only=True, slots=True)
class Recording:
    """What went through so far. Bodies are redacted before a digest is taken, as artefacts are."""

    secrets: Mapping[str, str] = field(default_factory=dict)
    lines: list[dict[str, Plain]] = field(default_factory=list)
    usages: list[Usage | None] = field(default_factory=list)
    first: bytes | None = None
    """The first request to the model that offers tools; where none does, the first at all."""
    first_tools: bool = False
    count: int = 0
    open: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, route: str, method: str, body: bytes) -> int:
        """Note that a request came in; gives its number, from 1."""
        with self.lock:
            self.count, self.open = self.count + 1, self.open + 1
            if route == MODEL and method == "POST" and not self.first_tools and (asked := body_of(body)) is not None:
                offers = bool(tools_of(asked))
                if self.first is None or offers:
                    self.first, self.first_tools = body, offers
            return self.count

    def end(self, exchange: Exchange) -> None:
        """Note how it ended."""
        answered = exchange.status is not None and exchange.status < 400 and exchange.method == "POST"
        whole = answered and exchange.problem is None
        found = usage_of(exchange.response, streamed=exchange.streamed) if whole else None
        told: dict[str, Plain] = {} if found is None else {"usage": dict(found)}
        line: dict[str, Plain] = {
            "number": exchange.number,
            "route": exchange.route,
            "method": exchange.method,
            "path": exchange.path,
            "status": exchange.status,
            "request": digest(redact(exchange.request, self.secrets.items())),
            "response": digest(redact(exchange.response, self.secrets.items())),
            "request_bytes": len(exchange.request),
            "response_bytes": len(exchange.response),
            "milliseconds": round(exchange.seconds * 1000),
            "problem": exchange.problem,
            **told,
        }
        with self.lock:
            self.open -= 1
            self.lines.append(line)
            if answered and exchange.route == MODEL and body_of(exchange.request) is not None:
                self.usages.append(found)

    def document(self) -> bytes:
        """Give the lines, in the order in which requests came in."""
        with self.lock:
            return b"".join(canonical(line) + b"\n" for line in sorted(self.lines, key=_number))

    def usage(self) -> Usage | None:
        """Give what all answers together used; None when one of them did not say or was cut, or none came."""
        with self.lock:
            known = [each for each in self.usages if each is not None]
            if self.open or not self.usages or len(known) < len(self.usages):
                return None
            return {name: sum(each[name] for each in known) for name in known[0]}


def _number(line: Mapping[str, Plain]) -> int:
    number = line["number"]
    assert isinstance(number, int)
    return number
