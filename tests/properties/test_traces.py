"""Laws of the trace check: any stream is judged, nothing it holds is told, and rules that mean the same come out the same."""

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from executor.graders.trace import TraceGrader
from executor.ports import AgentEvent, CheckResult
from executor.turns import FAMILIES
from ledger.plain import Plain
from tests.executor.graders.streams import order

SECRET = "sëcret-words-of-a-file"
texts = st.sampled_from([SECRET, f"the tests pass, {SECRET}", "", "done.\n" * 3])
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner, max_size=3), max_leaves=4
)
calls = st.builds(
    lambda does, name, call, args: AgentEvent(
        kind="tool_call",
        data={
            "does": does,
            "name": name,
            "call": call,
            "args": {"path": "a.py", **args} if isinstance(args, dict) else args,
        },
    ),
    st.sampled_from(sorted(FAMILIES)),
    st.sampled_from(["Read", "Bash", "mcp__s__t"]),
    st.none() | st.sampled_from(["1", "2"]),
    plain | st.dictionaries(st.sampled_from(["offset", "command", "lines"]), plain, max_size=3),
)
results = st.builds(
    lambda call, error: AgentEvent(kind="tool_result", data={"call": call, "error": error, "text": SECRET}),
    st.none() | st.sampled_from(["1", "2"]),
    st.booleans(),
)
messages = st.builds(
    lambda kind, text: AgentEvent(kind=kind, data={"text": text}), st.sampled_from(["message", "result"]), texts
)
harness = st.builds(
    lambda what, name: AgentEvent(kind="harness", data={"what": what, "name": name, "does": "shell", "after": "read"}),
    st.sampled_from(["told", "new_run", "cancelled", "refused"]),
    st.sampled_from(["Read", "Bash"]),
)
streams = st.lists(calls | results | messages | harness, max_size=12).map(tuple)
seen: st.SearchStrategy[Plain] = st.sampled_from(
    [
        {"call": "any"},
        {"call": "shell", "matches": "words"},
        {"call": "read", "path": "*", "ranged": True},
        {"call": "mcp", "tool": "mcp__*", "failed": False},
        {"says": "tests.*pass", "unless": "not"},
        {"harness": "cancelled"},
    ]
)


def judge(events: tuple[AgentEvent, ...], *rules: dict[str, Plain], answer: str | None = None) -> CheckResult:
    with tempfile.TemporaryDirectory() as folder:
        named: list[Plain] = [{"rule": f"r{number}", **rule} for number, rule in enumerate(rules)]
        found = TraceGrader().grade(order(Path(folder), "trace", {"rules": named}, events=events, answer=answer))
        told = (
            found.detail
            + json.dumps(dict(found.facts))
            + "".join(f.read_text("utf-8") for f in found.artefacts.values())
        )
        assert SECRET not in told
        assert json.dumps(SECRET)[1:-1] not in told
        return found


@given(streams, seen, seen, st.none() | texts)
def test_any_stream_is_judged_and_none_of_its_texts_is_told(
    events: tuple[AgentEvent, ...], one: Plain, other: Plain, answer: str | None
) -> None:
    rules: tuple[dict[str, Plain], ...] = (
        {"never": one},
        {"some": one, "least": 2, "most": 3},
        {"order": [one, other]},
        {"only": [one], "among": other},
        {"claim": one, "backed_by": other},
        {"never": one, "after": other, "until": {"harness": "new_run"}},
    )
    found = judge(events, *rules, answer=answer)
    own = any(event.kind != "harness" for event in events)
    assert (found.ok is None) is not own
    if own:
        assert found.ok is (found.facts["failed"] == 0)


@given(streams, seen)
def test_rules_that_mean_the_same(events: tuple[AgentEvent, ...], what: Plain) -> None:
    never = judge(events, {"never": what}).ok
    assert never == judge(events, {"some": what, "least": 0, "most": 0}).ok
    assert never == judge(events, {"claim": what, "backed_by": {"call": "edit", "tool": "no such tool"}}).ok
    if never is not None:
        assert never is not judge(events, {"some": what}).ok
        assert judge(events, {"only": [what], "among": what}).ok is True


@given(streams, seen)
def test_a_window_takes_away_and_adds_nothing(events: tuple[AgentEvent, ...], what: Plain) -> None:
    if judge(events, {"never": what}).ok is True:
        assert judge(events, {"never": what, "after": {"call": "any"}}).ok is True
        assert judge(events, {"never": what, "until": {"harness": "told"}}).ok is True
