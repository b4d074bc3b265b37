"""What the recording proxy writes down: a line for each exchange with digests and usage, and an agent's first request as evidence."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from executor.first_request import body_of, tools_of
from executor.redact import redact
from executor.usage import Bill, Usage, bill_of
from ledger.canonical import canonical, digest
from ledger.codec import decimal_text
from ledger.plain import Plain

MODEL = "model"
"""The route to the model; every other route leads to an MCP server."""
_FREE = ("count_tokens", ":countTokens")
"""Ends of paths that ask how long a text is: no model answers, and nothing is billed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """One request and what came back. ``status`` None: nothing did; ``problem`` says why it broke off.

    ``sent``: whether the service was reached at all; one that was may bill what nobody received.
    """

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
    sent: bool = True


@dataclass(kw_only=True, slots=True)
class Recording:
    """What went through so far. Bodies are redacted before a digest is taken, as artefacts are."""

    secrets: Mapping[str, str] = field(default_factory=dict)
    lines: list[dict[str, Plain]] = field(default_factory=list)
    bills: list[Bill] = field(default_factory=list)
    """One for each request to the model that its service may bill: all but those that it refused, or that never reached it."""
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
        bill = _bill(exchange)
        told: dict[str, Plain] = {}
        if bill is not None:
            told = {"model": bill.answered} if bill.answered is not None else {}
            told |= {} if bill.usage is None else {"usage": dict(bill.usage)}
            told |= {} if bill.cost is None else {"cost": decimal_text(bill.cost)}
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
            if bill is not None:
                self.bills.append(bill)

    def document(self) -> bytes:
        """Give the lines, in the order in which requests came in."""
        with self.lock:
            return b"".join(canonical(line) + b"\n" for line in sorted(self.lines, key=_number))

    def usage(self) -> Usage | None:
        """Give what all answers together used; None when one of them did not say or was cut, or none came.

        Where one does not say what came from a cache, that is not among it: an unknown split is no split of zero.
        """
        with self.lock:
            known = [each.usage for each in self.bills if each.usage is not None]
            if self.open or not self.bills or len(known) < len(self.bills):
                return None
            split = all(each.split for each in self.bills)
            told = [name for name in known[0] if split or not name.startswith("cache_")]
            return {name: sum(each[name] for each in known) for name in told}


def _bill(exchange: Exchange) -> Bill | None:
    """Give what an exchange may be billed for; None when it is no request to the model, or its service never took it up."""
    asked = body_of(exchange.request)
    refused = exchange.status is not None and exchange.status >= 400
    if exchange.route != MODEL or exchange.method != "POST" or asked is None or exchange.path.endswith(_FREE):
        return None
    if refused or not exchange.sent:
        return None
    model = asked.get("model")
    named = model if isinstance(model, str) else _in_path(exchange.path)
    if exchange.status is None or exchange.problem is not None:
        return Bill(asked=named, answered=None, usage=None)
    return bill_of(exchange.response, streamed=exchange.streamed, asked=named)


def _in_path(path: str) -> str | None:
    """Give the model of ``…/models/NAME:generateContent``."""
    _, found, rest = path.partition("models/")
    return rest.partition(":")[0] if found else None


def _number(line: Mapping[str, Plain]) -> int:
    number = line["number"]
    assert isinstance(number, int)
    return number
