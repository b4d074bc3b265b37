"""The recording proxy of a trial: takes requests from one socket, adds the credentials that it alone holds, forwards and records them."""

import http.client
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import BaseServer, TCPServer, ThreadingMixIn, UnixStreamServer
from typing import ClassVar
from urllib.parse import urlsplit

from executor.recording import Exchange, Recording
from ledger.errors import Fault, WorldFault

MOST_REQUESTS = 20_000
"""An agent that asks more often in one trial runs in circles; further requests are refused."""
LARGEST_REQUEST = 64 << 20
CONNECT_S = 30.0
SILENCE_S = 900.0
"""So long may a model say nothing in the middle of an answer; the trial's own time limit is the real one."""
_PIECE = 64 << 10
_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding"}
)
"""Headers that speak of one connection only (RFC 9110, 7.6.1)."""
_OWN = frozenset(
    {"host", "content-length", "accept-encoding", "authorization", "x-api-key", "x-goog-api-key", "cookie"}
)
"""Headers that are not the sandbox's to say: the proxy writes them. Answers come uncompressed, so that usage can be read."""
_NO_BODY = frozenset({204, 304})


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """Where requests under one first path segment go, and the credential that is added: (header, whole value)."""

    url: str
    credential: tuple[str, str] | None = None


@contextmanager
def proxy(
    routes: Mapping[str, Route], recording: Recording, *, socket_file: Path | None = None
) -> Iterator[str | None]:
    """Serve until the block ends: on a Unix socket (gives None), or on a free port of loopback (gives its address).

    Raises WorldFault (``proxy``) when a route's address cannot be one, or nothing can be listened on.
    """
    for name, route in routes.items():
        if urlsplit(route.url).scheme not in ("http", "https") or not urlsplit(route.url).hostname:
            raise WorldFault(Fault(code="proxy", what=f"{route.url!r} is no address to forward to", where=name))

    class Handler(_Handler):
        table = routes
        kept = recording

    try:
        server: BaseServer = _Tcp(("127.0.0.1", 0), Handler) if socket_file is None else _unix(socket_file, Handler)
    except OSError as problem:
        raise WorldFault(Fault(code="proxy", what="the recording proxy cannot listen", got=str(problem))) from problem
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}" if isinstance(server, _Tcp) else None
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _unix(path: Path, handler: type["_Handler"]) -> "_Unix":
    """Listen on a socket file. The kernel allows its name 108 bytes, so it is named through its folder's handle."""
    folder = os.open(path.parent, os.O_PATH)
    try:
        return _Unix(f"/proc/self/fd/{folder}/{path.name}", handler)
    finally:
        os.close(folder)


class _Threads(ThreadingMixIn):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """An agent that is stopped in the middle of a request is no error of ours."""


class _Tcp(_Threads, TCPServer):
    allow_reuse_address = True


class _Unix(_Threads, UnixStreamServer):
    pass


class _Handler(BaseHTTPRequestHandler):
    """One connection of an agent."""

    protocol_version = "HTTP/1.1"
    timeout = SILENCE_S
    table: ClassVar[Mapping[str, Route]]
    kept: ClassVar[Recording]

    def address_string(self) -> str:
        """Name the peer; a Unix socket has no address."""
        return "agent"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the library's
        """Say nothing; exchanges are recorded."""

    def forward(self) -> None:
        """Forward one request and its answer, byte for byte."""
        begin = time.monotonic()
        name, _, rest = self.path.lstrip("/").partition("/")
        route, body, answer = self.table.get(name), self._body(), _Answer()
        number = self.kept.begin(name, self.command, body or b"")
        if body is None:
            self._refuse(answer, 413, "the request is too large for the recording proxy")
        elif route is None:
            self._refuse(answer, 404, f"the recording proxy knows no route {name!r}")
        elif number > MOST_REQUESTS:
            self._refuse(answer, 429, f"more than {MOST_REQUESTS} requests in one trial")
        else:
            self._try(route, rest, body, answer)
        exchange = Exchange(
            number=number,
            route=name,
            method=self.command,
            path=rest.partition("?")[0],
            status=answer.status,
            request=body or b"",
            response=bytes(answer.body),
            streamed=answer.streamed,
            seconds=time.monotonic() - begin,
            problem=answer.problem,
            sent=answer.sent,
        )
        self.kept.end(exchange)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = forward  # noqa: N815  # the library's names

    def _try(self, route: Route, rest: str, body: bytes, answer: "_Answer") -> None:
        try:
            self._pass_on(route, rest, body, answer)
        except (OSError, http.client.HTTPException) as problem:
            answer.problem = f"{type(problem).__name__}: {problem}"
            if answer.status is None:
                self._refuse(answer, 502, f"the recording proxy cannot reach its upstream: {problem}")
            self.close_connection = True  # a cut answer must look cut

    def _pass_on(self, route: Route, rest: str, body: bytes, answer: "_Answer") -> None:
        target = urlsplit(route.url)
        host, port = target.hostname or "", target.port
        connection = (
            http.client.HTTPSConnection(host, port, timeout=CONNECT_S)
            if target.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=CONNECT_S)
        )
        try:
            connection.connect()
            answer.sent = True
            assert connection.sock is not None
            connection.sock.settimeout(SILENCE_S)
            connection.putrequest(self.command, _path(target.path, rest), skip_accept_encoding=True)
            for header, value in self._headers(route, body):
                connection.putheader(header, value)
            connection.endheaders(body or None)
            self._answer(connection.getresponse(), answer)
        finally:
            connection.close()

    def _headers(self, route: Route, body: bytes) -> Iterator[tuple[str, str]]:
        dropped = {*_HOP, *_OWN, *(each.strip().lower() for each in self.headers.get("connection", "").split(","))}
        if route.credential is not None:
            dropped.add(route.credential[0].lower())
        yield from ((name, value) for name, value in self.headers.items() if name.lower() not in dropped)
        yield "Accept-Encoding", "identity"
        if body or self.command in ("POST", "PUT", "PATCH"):
            yield "Content-Length", str(len(body))
        if route.credential is not None:
            yield route.credential

    def _answer(self, response: http.client.HTTPResponse, answer: "_Answer") -> None:
        """Send an answer on as it comes: every piece at once, so that a stream stays a stream."""
        answer.status = response.status
        answer.streamed = "event-stream" in (response.getheader("content-type") or "")
        length = response.getheader("content-length")
        empty = self.command == "HEAD" or response.status in _NO_BODY
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in _HOP and name.lower() not in ("content-length", "set-cookie"):
                self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", length)
        elif not empty:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not empty and (piece := response.read1(_PIECE)):
            answer.body += piece
            self.wfile.write(piece if length is not None else b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if length is not None and not empty and len(answer.body) < int(length):
            raise http.client.IncompleteRead(b"", int(length) - len(answer.body))
        if length is None and not empty:
            self.wfile.write(b"0\r\n\r\n")

    def _body(self) -> bytes | None:
        """Read a request's body; None when it is too large."""
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            return self._chunks()
        said = self.headers.get("content-length") or "0"
        size = int(said) if said.isdigit() else 0
        return None if size > LARGEST_REQUEST else self.rfile.read(size)

    def _chunks(self) -> bytes | None:
        data = b""
        while size := int(self.rfile.readline(1024).split(b";")[0].strip() or b"0", 16):
            if len(data) + size > LARGEST_REQUEST:
                return None
            data += self.rfile.read(size)
            self.rfile.readline(1024)
        while self.rfile.readline(_PIECE).strip():
            pass
        return data

    def _refuse(self, answer: "_Answer", status: int, why: str) -> None:
        """Answer in the proxy's own name; what is recorded has no status, as nothing came from upstream."""
        answer.problem = answer.problem or why
        text = why.encode("utf-8", "replace")
        with suppress(OSError):
            self.send_response_only(status)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(text)
        self.close_connection = True


@dataclass(kw_only=True, slots=True)
class _Answer:
    """What came back so far."""

    status: int | None = None
    body: bytearray = field(default_factory=bytearray)
    streamed: bool = False
    problem: str | None = None
    sent: bool = False


def _path(prefix: str, rest: str) -> str:
    """Give the path upstream: the route's own, then the request's; a key in the query is the sandbox's no more than a header."""
    path, mark, query = rest.partition("?")
    kept = "&".join(each for each in query.split("&") if not each.startswith("key="))
    joined = f"{prefix.rstrip('/')}/{path}" if path else prefix or "/"
    return f"{joined}?{kept}" if mark and kept else joined
