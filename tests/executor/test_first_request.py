"""First requests: identities aside they are compared place by place, and only what the treatment explains may differ."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.first_request import Registered, body_of, first_request_difference, names_server, tools_of, unregistered
from executor.recording import Recording
from executor.usage import bill_of

TOOLS = [{"name": "Bash", "input_schema": {}}, {"name": "Read", "input_schema": {}}]


def request(**changes: Any) -> bytes:
    body = {
        "model": "m-1",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "<r>\nprimary: /workspace\n</r>"},
                    {"type": "text", "text": "Fix it"},
                ],
            }
        ],
        "system": [{"type": "text", "text": "You are an agent.\nToday's date is 2026-11-29.\nGo."}],
        "tools": TOOLS,
        "metadata": {
            "user_id": '{"device_id":"b7a5608368a16dbda43348fd23af775d90f2ece847f44bfaf49b55e5be1abbb0",'
            '"session_id":"9905bdc3-68f1-46ca-be3e-dbdb96be5506"}'
        },
        "max_tokens": 32000,
    }
    return json.dumps({**body, **changes}).encode()


def test_identities_and_moments_tell_no_arm_from_another() -> None:
    other = (
        request()
        .replace(b"b7a5608368a1", b"000000000000")
        .replace(b"9905bdc3-68f1", b"11111111-2222")
        .replace(b"11-29", b"11-30")
    )
    other = other.replace(b"11111111-2222-46ca", b"9905bdc3-2222-46ca")
    assert other != request()
    assert first_request_difference(request(), other) == ()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_a_request_does_not_differ_from_itself(body: Any) -> None:
    data = json.dumps(body).encode()
    assert first_request_difference(data, data) == ()


def test_every_place_is_named() -> None:
    tools = [TOOLS[0], {"name": "mcp__tiny__add"}, {**TOOLS[1], "input_schema": {"x": 1}}]
    other = request(
        tools=tools,
        max_tokens=8,
        system=[{"type": "text", "text": "You are an agent.\nToday's date is 2026-11-29.\nThink.\nGo."}],
        extra=1,
    )
    found = {each.path: (each.first, each.second) for each in first_request_difference(request(), other)}
    assert found["/max_tokens"] == ("32000", "8")
    assert found["/extra"] == (None, "1")
    assert found["/system/0/text"] == (None, "Think.")
    assert {each for each in found if each.startswith("/tools")} == {"/tools/1", "/tools/2"}


def test_a_server_explains_its_tools_and_its_text_and_nothing_else() -> None:
    said = {"type": "text", "text": "# MCP servers\n## tiny\nAdd with care.\nNever subtract."}
    with_server = request(
        tools=[*TOOLS, {"name": "mcp__tiny__add"}],
        system=[{"type": "text", "text": "You are an agent.\nToday's date is 2026-11-29.\nGo."}, said],
    )
    differences = first_request_difference(request(), with_server)
    registered = Registered(words=frozenset({"tiny"}))
    assert len(differences) == 2
    assert unregistered(differences, registered) == ()
    assert unregistered(differences, Registered()) == differences
    waits = request(tools=[*TOOLS, {"name": "WaitForMcpServers"}, {"name": "mcp__tiny__add"}])
    (left,) = unregistered(first_request_difference(request(), waits), registered)
    assert left.second is not None
    assert "WaitForMcpServers" in left.second
    assert unregistered(first_request_difference(request(), waits), Registered(anything=True)) == ()


def test_a_word_inside_another_word_explains_nothing() -> None:
    other = request(tools=[*TOOLS, {"name": "destiny"}])
    assert unregistered(first_request_difference(request(), other), Registered(words=frozenset({"tiny"})))


def test_a_file_explains_its_lines_and_its_name() -> None:
    def text(more: str) -> bytes:
        return request(system=[{"type": "text", "text": f"You are an agent.\n{more}Go."}])

    registered = Registered(words=frozenset({"CLAUDE.md"}), lines=frozenset({"Use tabs.", "Be kind."}))
    plain = text("")
    assert unregistered(first_request_difference(plain, text("Use tabs.\n\nBe kind.\n")), registered) == ()
    assert unregistered(first_request_difference(plain, text("?? CLAUDE.md\n")), registered) == ()
    assert unregistered(first_request_difference(plain, text("Use tabs.\nHire me.\n")), registered)


def test_a_file_takes_the_place_of_no_changes_in_gits_status() -> None:
    def blocks(status: str, *more: str) -> bytes:
        said = [{"type": "text", "text": each} for each in (*more, f"Status:\n{status}\nGo.")]
        return request(messages=[{"role": "user", "content": said}])

    plain, filled = blocks("(clean)"), blocks("?? CLAUDE.md", "# CLAUDE.md\nBe kind.")
    registered = Registered(words=frozenset({"CLAUDE.md"}), written=True)
    assert unregistered(first_request_difference(plain, filled), registered) == ()
    assert unregistered(first_request_difference(plain, filled), Registered(words=frozenset({"CLAUDE.md"})))


@pytest.mark.parametrize(
    ("one", "other", "explained"),
    [
        ("Status:\n(clean)\n", "Status:\n?? CLAUDE.md\n", True),
        ("Status:\n(clean)\n", "Status:\n M src/a.py\n", False),
        ("Rules:\n(clean)\n", "Rules:\n?? CLAUDE.md\n", False),
        ("Status:\nkeep it (clean)\n", "Status:\n?? CLAUDE.md\n", False),
        ("Status:\n(clean)\nTidy up.\n", "Status:\n?? CLAUDE.md\n", False),
        ("Go.\n", "Go. (clean)\n", False),
        ("Go.\n", "Go.\n(clean)\n", False),
    ],
)
def test_gits_word_counts_where_git_says_it(one: str, other: str, explained: bool) -> None:
    def request_of(text: str) -> bytes:
        return request(system=[{"type": "text", "text": f"You are an agent.\n{text}Go."}])

    registered = Registered(words=frozenset({"CLAUDE.md"}), written=True)
    left = unregistered(first_request_difference(request_of(one), request_of(other)), registered)
    assert (left == ()) is explained


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"tools":[{"name":"mcp__tiny__add"}]}', True),
        ('{"tools":[{"name":"mcp_tiny_add"}]}', True),
        ('{"tools":[{"name":"tiny_add"}]}', True),
        ('{"system":"deferred tools:\\nCronCreate\\nmcp__tiny__add"}', True),
        ('{"system":"the server tiny failed to connect"}', False),
        ('{"tools":[{"name":"mcp__destiny__add"}]}', False),
        ('{"tools":[]}', False),
    ],
)
def test_a_server_is_in_a_request_when_its_tools_are(text: str, seen: bool) -> None:
    assert names_server(text.encode(), "tiny") is seen
    assert names_server(text.encode(), "tiny", ("add",)) is seen
    assert not names_server(text.encode(), "tiny", ("add", "subtract"))


def test_a_name_space_stands_for_the_tools_that_are_loaded_later() -> None:
    assert names_server(
        b'{"input":"Deferred tool namespaces:\\n- mcp__tiny\\n- multi_agent_v1"}', "tiny", ("add", "subtract")
    )
    assert not names_server(b'{"input":"- mcp__tiny-two"}', "tiny")


def test_tools_are_read_in_every_form() -> None:
    forms = [
        ("messages", [{"name": "a"}, {"type": "function", "function": {"name": "b"}}]),
        ("input", [{"type": "function", "name": "a"}, {"type": "namespace", "name": "n", "tools": [{"name": "b"}]}]),
        ("contents", [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}]),
    ]
    found = [tools_of(body_of(json.dumps({key: [], "tools": tools}).encode()) or {}) for key, tools in forms]
    assert found == [("a", "b"), ("a", "n__b"), ("a", "b")]
    assert body_of(b"[]") is None
    assert body_of(b"{") is None
    assert body_of(b'{"jsonrpc":"2.0"}') is None


@pytest.mark.parametrize(
    ("answer", "streamed", "used"),
    [
        (b'{"usage":{"input_tokens":3,"output_tokens":4}}', False, (3, 4, 0, 0)),
        (
            b'{"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":6}}}',
            False,
            (4, 4, 6, 0),
        ),
        (
            b'data: {"choices":[]}\n\ndata: {"usage":{"prompt_tokens":10,"completion_tokens":4}}\n\ndata: [DONE]\n',
            True,
            (10, 4, 0, 0),
        ),
        (
            b'{"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_cache_hit_tokens":6,"prompt_cache_miss_tokens":4}}',
            False,
            (4, 4, 6, 0),
        ),
        (
            b'data: {"response":{"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":5},"output_tokens":2}}}\n',
            True,
            (4, 2, 5, 0),
        ),
        (
            b'[{"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":2,"thoughtsTokenCount":1}}]',
            False,
            (8, 3, 0, 0),
        ),
        (b'{"error":{}}', False, None),
        (b"not json", False, None),
    ],
)
def test_usage_is_read_from_every_wire_form(answer: bytes, streamed: bool, used: tuple[int, ...] | None) -> None:
    found = bill_of(answer, streamed=streamed, asked=None).usage
    assert (None if found is None else tuple(found.values())) == used


@pytest.mark.parametrize(
    ("answer", "split"),
    [
        (b'{"usage":{"prompt_tokens":10,"completion_tokens":4}}', False),
        (b'{"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":0}}}', True),
        (b'{"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_cache_hit_tokens":0}}', True),
        (b'{"usage":{"input_tokens":3,"output_tokens":4}}', True),
    ],
)
def test_an_answer_that_says_nothing_of_a_cache_gives_no_split_of_zero(answer: bytes, split: bool) -> None:
    bill = bill_of(answer, streamed=False, asked="m")
    assert bill.split is split
    recording = Recording()
    recording.bills.append(bill)
    assert set(recording.usage() or ()) == {"input_tokens", "output_tokens"} | (
        {"cache_read", "cache_write"} if split else set()
    )
