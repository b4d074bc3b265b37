"""What a ledger says of a failure: a program may print prompts and files, and no line of them is remembered."""

from pathlib import Path
from typing import Any

import pytest

from executor.own_words import WITHHELD
from executor.ports import AgentOrder
from ledger.records import Infrastructure, Outcome
from tests.executor.worlds import AnyAgent, finished, world

PROMPT = "Please mend the tool, number 1."
GIVEN = "return 'untouched by the fix'"
HELD_OUT = "assert answer() == 42"


def fails_with(text: str) -> AnyAgent:
    def act(order: AgentOrder) -> Any:
        del order
        return finished(ended="error", result_event=False, failed=("start", text))

    return AnyAgent(act=act)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"the agent ended before it began (exit 2): usage: tool [prompt]\n{PROMPT}", "usage: tool [prompt]"),
        (f"unexpected argument: {PROMPT}", "unexpected argument: "),
        (f"cannot parse `    {GIVEN}` here", "cannot parse `"),
        (f"E   {HELD_OUT}\nE   and more", "and more"),
        (f"it failed: def answer():\n{GIVEN[:20]}", "it failed: "),  # cut off
    ],
)
def test_what_a_failing_program_prints(tmp_path: Path, text: str, told: str) -> None:
    there = world(tmp_path, agent=fails_with(text))
    there.run()
    details = [each.detail for each in there.records(Infrastructure)]
    assert details
    for detail in details:
        assert told in detail
        assert WITHHELD in detail
        assert not any(each in detail for each in (PROMPT, GIVEN, GIVEN[:20], HELD_OUT))
    ledger = (tmp_path / "run/ledger.jsonl").read_text("utf-8")
    assert PROMPT not in ledger


def test_a_reason_for_stopping_is_a_word_and_no_prompt(tmp_path: Path) -> None:
    agent = AnyAgent(act=lambda order: finished(terminal_reason=f"I stopped because I was told: {order.prompt}"))
    there = world(tmp_path, agent=agent)
    there.run()
    said = [each.measures["terminal_reason"] for each in there.records(Outcome)]
    assert said
    assert all(str(each).startswith("I stopped because I was told: ") and PROMPT not in str(each) for each in said)


def test_words_of_the_harness_stay(tmp_path: Path) -> None:
    there = world(tmp_path, agent=fails_with("its service failed: HTTP 529"))
    there.run()
    assert {each.detail for each in there.records(Infrastructure)} == {"its service failed: HTTP 529"}
