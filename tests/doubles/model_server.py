"""A scripted model service on loopback, for real agents without a network: it plays a script, fails as told, and keeps every request."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.doubles.script import Fault, Script, turn
from tests.doubles.wire import Protocol, protocol

_ERRORS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_STATES = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL"}


@dataclass(kw_only=True, slots=True)
class ModelServer:
    """A running service. ``requests`` are the bodies of those that offered tools, in order."""

    script: Script
    port: int
    requests: list[dict[str, Any]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def model_server(script: Script) -> Iterator[ModelServer]:
    """Serve a script until the block ends."""

    class Handler(_Handler):
        pass

    server = _Server(("127.0.0.1", 0), Handler)
    Handler.service = served = ModelServer(script=script, port=server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.stopped.set()  # those who wait for an answer that never comes
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Agents are killed in the middle of requests; that is no error of the service."""


class _Handler(BaseHTTPRequestHandler):
    service: ClassVar[ModelServer]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's name
        pass

    def do_HEAD(self) -> None:
        self._document(200, {})

    def do_GET(self) -> None:
        if self.path.partition("?")[0].endswith("/models"):
            self._document(200, {"object": "list", "data": [], "models": [], "has_more": False})
        else:
            self._document(200 if self.path == "/" else 404, {})

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        speaks = protocol(path)
        if speaks is None:
            counted = path.endswith(("count_tokens", ":countTokens"))
            self._document(200 if counted else 404, {"input_tokens": 100, "totalTokens": 100} if counted else {})
            return
        asked = speaks.read(body, path)
        script = self.service.script
        if not asked.tools:  # a title, a summary, a check of the connection
            script = Script(answer="ok")
        else:
            self.service.requests.append(body)
            whole = json.dumps(body)
            script = next((other for text, other in script.when.items() if text in whole), script)
        fault = script.fault
        if fault is not None and fault.at in (None, asked.turns):
            self._fail(fault, speaks, path, asked.model)
            return
        said = turn(script, asked.turns, asked.tools)
        if asked.stream:
            self._stream(speaks.frames(said, asked.model))
        else:
            self._document(200, speaks.whole(said, asked.model))

    def _fail(self, fault: Fault, speaks: Protocol, path: str, model: str) -> None:
        if fault.kind == "status":
            self._document(fault.status, _refusal(path, fault.status))
        elif fault.kind == "garbage":
            self._document(200, "not what was asked for")
        elif fault.kind == "hang":
            self.service.stopped.wait()
            self.close_connection = True
        else:
            frames = speaks.frames(turn(Script(answer="Half of this"), 0, ()), model)
            self._stream(frames[: len(frames) // 2])

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            pieces += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return pieces

    def _document(self, status: int, document: Any) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, frames: list[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write("".join(frames).encode())


def _refusal(path: str, status: int) -> dict[str, Any]:
    said = f"scripted {status}"
    if "enerateContent" in path:
        return {"error": {"code": status, "message": said, "status": _STATES.get(status, "INTERNAL")}}
    kind = _ERRORS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": said, "code": None, "param": None}}


def closed_port() -> int:
    """Give a port of loopback on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port
