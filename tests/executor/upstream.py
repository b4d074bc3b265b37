"""A small model service on loopback for the recording proxy: answers whole, streamed, cut, slowly or with an error; keeps what came in."""

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

PIECES = (
    b'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":11,"output_tokens":1,',
    b'"cache_read_input_tokens":5,"cache_creation_input_tokens":2}}}\n\n',
    'event: delta\r\ndata: {"text":"ümläut \\u2028"}\r\n\r\n'.encode(),
    b"\x00\xff not even text\n\n",
    b'data: {"type":"message_delta","usage":{"output_tokens":7}}\n\n',
    b"data: [DONE]\n\n",
)
WHOLE = b'{"content":[{"type":"text","text":"done"}],"usage":{"input_tokens":3,"output_tokens":4}}'


@dataclass(kw_only=True)
class Upstream:
    port: int
    seen: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/base"


@contextmanager
def upstream(certificate: Path | None = None, key: Path | None = None) -> Iterator[Upstream]:
    class Handler(_Handler):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.handle_error = True, lambda *_: None  # who asked may be gone
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    Handler.served = served = Upstream(port=server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: ClassVar[Upstream]

    def log_message(self, *args: object) -> None: ...

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.served.seen.append((self.command, self.path, headers, body))
        if "/stream" in self.path:
            self._stream(cut="cut" in self.path)
        elif "/slow" in self.path:
            time.sleep(1)
            self._whole(200, WHOLE)
        elif "/429" in self.path:
            self._whole(429, b'{"error":"slow down"}', ("Retry-After", "7"))
        else:
            self._whole(200, WHOLE)

    def _whole(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for each in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers):
            self.send_header(*each)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, *, cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in PIECES[: 2 if cut else None]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            time.sleep(0.02)
        if cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")
