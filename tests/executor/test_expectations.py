"""What an init event must say: exactly the servers and skills, at least the tools, the pinned model and version."""

from typing import Any

import pytest

from executor.expectations import unexpected
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
