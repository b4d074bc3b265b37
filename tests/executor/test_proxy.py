"""The recording proxy: what comes out is what went in, but for credentials, which only it holds; and all of it is written down."""

import http.client
import json
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import executor.proxy
from executor.proxy import Route, proxy
from executor.recording import Recording
from ledger.canonical import digest
from ledger.errors import WorldFault
from tests.executor.upstream import PIECES, WHOLE, Upstream, upstream
from tests.needs import require

KEY = "k-held-by-the-harness-alone"
ASK = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"Read"}]}'


@pytest.fixture
def service() -> Iterator[Upstream]:
    with upstream() as served:
        yield served


@pytest.fixture
def recording() -> Recording:
    return Recording(secrets={"KEY": KEY})


@pytest.fixture
def address(service: Upstream, recording: Recording) -> Iterator[str]:
    routes = {"model": Route(url=service.url, credential=("x-api-key", KEY)), "mcp-s": Route(url=f"{service.url}/mcp")}
    with proxy(routes, recording) as found:
        assert found is not None
        yield found


def post(url: str, body: bytes = ASK, **headers: str) -> tuple[int, bytes, Any]:
    asked = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as fault:
        with fault:
            return fault.code, fault.read(), fault.headers


def lines(recording: Recording, count: int) -> list[dict[str, Any]]:
    until = time.monotonic() + 5
    while len(recording.lines) < count and time.monotonic() < until:
        time.sleep(0.01)
    return [json.loads(line) for line in recording.document().splitlines()]


def test_the_credential_is_added_outside_and_what_the_sandbox_says_of_it_is_dropped(
    address: str, service: Upstream, recording: Recording
) -> None:
    status, body, _ = post(
        f"{address}/model/v1/messages?beta=true&key=stolen", **{"X-Api-Key": "mine", "Authorization": "Bearer x"}
    )
    assert (status, body) == (200, WHOLE)
    method, path, headers, sent = service.seen[0]
    assert (method, path, sent) == ("POST", "/base/v1/messages?beta=true", ASK)
    assert headers["x-api-key"] == KEY
    assert "authorization" not in headers
    assert headers["host"] == f"127.0.0.1:{service.port}"
    assert KEY.encode() not in recording.document()


def test_a_stream_comes_through_byte_by_byte_and_piece_by_piece(address: str, recording: Recording) -> None:
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("POST", "/model/stream", body=ASK)
    answer = connection.getresponse()
    assert answer.getheader("content-type") == "text/event-stream; charset=utf-8"
    first = answer.read1(1 << 16)
    assert first == PIECES[0]  # it did not wait for the rest
    assert first + answer.read() == b"".join(PIECES)
    connection.close()
    (line,) = lines(recording, 1)
    assert line["usage"] == {"input_tokens": 11, "output_tokens": 7, "cache_read": 5, "cache_write": 2}
    assert line["request"] == digest(ASK)
    assert line["response"] == digest(b"".join(PIECES))
    assert recording.usage() == line["usage"]


def test_a_cut_stream_looks_cut_and_its_usage_is_unknown(address: str, recording: Recording) -> None:
    with pytest.raises(http.client.IncompleteRead):
        post(f"{address}/model/stream-cut")
    (line,) = lines(recording, 1)
    assert line["status"] == 200
    assert "IncompleteRead" in line["problem"]
    assert recording.usage() is None


def test_errors_of_the_service_come_through_with_their_headers(address: str, recording: Recording) -> None:
    status, body, headers = post(f"{address}/model/429")
    assert (status, body, headers["retry-after"]) == (429, b'{"error":"slow down"}', "7")
    assert lines(recording, 1)[0]["status"] == 429
    assert recording.usage() is None  # nothing was answered
    post(f"{address}/model/v1")
    lines(recording, 2)
    assert recording.usage() == {"input_tokens": 3, "output_tokens": 4, "cache_read": 0, "cache_write": 0}


def test_what_no_route_leads_to_is_refused(address: str, service: Upstream, recording: Recording) -> None:
    assert post(f"{address}/elsewhere/v1")[0] == 404
    assert post(f"{address}/mcp-s/")[0] == 200
    assert service.seen[0][1] == "/base/mcp"
    assert "x-api-key" not in service.seen[0][2]
    assert [line["status"] for line in lines(recording, 2)] == [None, 200]


def test_a_service_that_is_not_there_is_a_bad_gateway(recording: Recording) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with proxy({"model": Route(url=f"http://127.0.0.1:{port}")}, recording) as address:
        status, body, _ = post(f"{address}/model/v1/messages")
    assert status == 502
    assert b"cannot reach its upstream" in body
    assert "refused" in lines(recording, 1)[0]["problem"]


def test_a_silent_service_is_given_up(monkeypatch: pytest.MonkeyPatch, service: Upstream, recording: Recording) -> None:
    monkeypatch.setattr(executor.proxy, "SILENCE_S", 0.2)
    with proxy({"model": Route(url=service.url)}, recording) as address:
        assert post(f"{address}/model/slow")[0] == 502
    assert "timed out" in lines(recording, 1)[0]["problem"]


def test_bounds_of_size_and_number(monkeypatch: pytest.MonkeyPatch, address: str, service: Upstream) -> None:
    monkeypatch.setattr(executor.proxy, "LARGEST_REQUEST", 100)
    assert post(f"{address}/model/v1", b"x" * 101)[0] == 413
    monkeypatch.setattr(executor.proxy, "MOST_REQUESTS", 2)
    assert post(f"{address}/model/v1", b"{}")[0] == 200
    assert post(f"{address}/model/v1", b"{}")[0] == 429
    assert len(service.seen) == 1


def test_a_chunked_request_arrives_whole(address: str, service: Upstream) -> None:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.request("POST", "/model/v1", body=iter([ASK[:7], ASK[7:]]), encode_chunked=True)
    assert connection.getresponse().read() == WHOLE
    connection.close()
    assert service.seen[0][3] == ASK


def test_connections_are_kept_and_many_go_at_once(address: str, service: Upstream, recording: Recording) -> None:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    for _ in range(3):
        connection.request("POST", "/model/v1", body=ASK)
        assert connection.getresponse().read() == WHOLE
    connection.close()
    threads = [threading.Thread(target=post, args=(f"{address}/model/v1",)) for _ in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(service.seen) == 23
    assert [line["number"] for line in lines(recording, 23)] == list(range(1, 24))


def test_the_first_request_is_the_first_that_offers_tools(address: str, recording: Recording) -> None:
    side = b'{"model":"small","messages":[{"role":"user","content":"a title, please"}]}'
    post(f"{address}/model/v1", side)
    assert recording.first == side
    post(f"{address}/model/v1", ASK)
    post(f"{address}/model/v1", ASK.replace(b"hi", b"later"))
    post(f"{address}/mcp-s/x", ASK)
    assert recording.first == ASK


def test_a_socket_file_with_a_long_name(tmp_path: Path, service: Upstream, recording: Recording) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with proxy({"model": Route(url=service.url)}, recording, socket_file=folder / "s") as address:
        assert address is None
        assert (folder / "s").is_socket()


@pytest.mark.parametrize("url", ["ftp://x/", "http://", "model.example"])
def test_an_address_that_is_none_is_refused(url: str, recording: Recording) -> None:
    with pytest.raises(WorldFault, match="no address"), proxy({"model": Route(url=url)}, recording):
        pass


def test_a_service_behind_tls_is_reached_and_must_show_a_certificate_that_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recording: Recording
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    require(None if shutil.which("openssl") else "openssl is not installed")
    subprocess.run(made, check=True, capture_output=True)
    with upstream(certificate, key) as served:
        route = {"model": Route(url=f"https://localhost:{served.port}/base")}
        with proxy(route, recording) as address:
            assert post(f"{address}/model/v1")[0] == 502
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            status, body, _ = post(f"{address}/model/v1")
            assert (status, body) == (200, WHOLE)
            assert post(f"{address}/model/stream")[1] == b"".join(PIECES)
    assert "CERTIFICATE_VERIFY_FAILED" in lines(recording, 3)[0]["problem"]
