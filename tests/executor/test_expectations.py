"""What an init event must say: exactly the servers and skills, at least the tools, the pinned model and version."""

from typing import Any

import pytest

from executor.expectations import unexpected
from executor.treatments import McpServer
from tests.executor.worlds import arm, finished

CONNECTED = {"name": "m", "status": "connected"}


@pytest.mark.parametrize(
    ("expect", "session", "differs"),
    [
        ({}, {}, False),
        ({"mcp_servers": ["m"]}, {"mcp_servers": [CONNECTED]}, False),
        ({"mcp_servers": ["m"]}, {"mcp_servers": ["m"]}, False),
        ({"mcp_servers": ["m"]}, {"mcp_servers": [{"name": "m", "status": "pending"}]}, True),
        ({"mcp_servers": ["m"]}, {"mcp_servers": [{"name": "m", "status": "failed"}]}, True),
        ({"mcp_servers": ["m"]}, {"mcp_servers": [CONNECTED, "other"]}, True),
        ({"mcp_servers": []}, {"mcp_servers": []}, False),
        ({"mcp_servers": []}, {"mcp_servers": [CONNECTED]}, True),
        ({"mcp_servers": []}, {}, True),
        ({"skills": []}, {"skills": ["leaked"]}, True),
        ({"tools": ["Read"]}, {"tools": ["Read", "Edit"]}, False),
        ({"tools": ["Read"]}, {"tools": ["Edit"]}, True),
        ({"output_style": "default"}, {"output_style": "other"}, True),
    ],
)
def test_expectations(expect: Any, session: Any, *, differs: bool) -> None:
    expected, got = unexpected(arm("base", "any", expect=expect), finished(session=session))
    assert bool(expected) is differs
    assert expected.keys() == got.keys()


SUMS = McpServer(name="sums", argv=("sums",), tools=("add",))
OFFERS = b'{"tools":[{"name":"mcp__sums__add"}]}'


@pytest.mark.parametrize(
    ("session", "servers", "first", "differs"),
    [
        ({"mcp_servers": [{"name": "sums", "status": "connected"}]}, (SUMS,), None, []),
        ({"mcp_servers": [{"name": "sums", "status": "connected"}]}, (SUMS,), OFFERS, []),
        (
            {"mcp_servers": [{"name": "sums", "status": "connected"}]},
            (SUMS,),
            b"{}",
            ["mcp servers in the first request"],
        ),
        ({"mcp_servers": [{"name": "sums", "status": "failed"}]}, (SUMS,), OFFERS, ["mcp_servers"]),
        ({"mcp_servers": [{"name": "sums", "status": "pending"}]}, (SUMS,), None, ["mcp_servers"]),
        ({"mcp_servers": [{"name": "leaked", "status": "connected"}]}, (), None, ["mcp_servers"]),
        ({"model": "m"}, (SUMS,), OFFERS, []),
        ({"model": "m"}, (SUMS,), None, ["mcp_servers"]),
        ({"model": "m"}, (), None, []),
    ],
)
def test_the_servers_that_the_provider_gave_and_no_others(
    session: dict[str, Any], servers: tuple[McpServer, ...], first: bytes | None, differs: list[str]
) -> None:
    expected, got = unexpected(arm("more", "any"), finished(session=session), servers, first)
    assert list(expected) == list(got) == differs


LEAKS = b'{"messages":[],"tools":[{"name":"mcp__sums__add"},{"name":"mcp__memory__read"}]}'


@pytest.mark.parametrize(
    ("expect", "servers", "got"),
    [
        ({}, (SUMS,), ["sums", "memory"]),  # a server of the host came along
        ({"mcp_servers": []}, (), ["memory", "sums"]),
        ({"mcp_servers": ["memory", "sums"]}, (SUMS,), None),  # a setup of the arm's own brought one
        ({"mcp_servers": ["memory", "other", "sums"]}, (SUMS,), ["memory", "sums"]),
    ],
)
def test_where_the_init_event_is_silent_the_request_tells(
    expect: dict[str, Any], servers: tuple[McpServer, ...], got: list[str] | None
) -> None:
    _, found = unexpected(arm("more", "any", expect=expect), finished(session={"model": "m"}), servers, LEAKS)
    assert found == ({} if got is None else {"mcp servers in the first request": got})
