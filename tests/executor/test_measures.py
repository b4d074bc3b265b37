"""Measures: the agent's own numbers first, events where it has none, and a reason for every unknown."""

from decimal import Decimal

import pytest

from executor.measures import agent_measures, change_measures, check_facts, unknown_measures
from executor.ports import AgentEvent
from tests.executor.worlds import finished


def call(name: str, **data: bool) -> AgentEvent:
    return AgentEvent(kind="tool_call", data={"name": name, **data})


def test_events_fill_in_what_the_agent_does_not_report() -> None:
    events = (
        call("Read"),
        call("Grep"),
        AgentEvent(kind="tool_result", data={"error": True}),
        call("Edit"),
        call("Bash"),
    )
    measures, reasons = agent_measures(finished(events=events), Decimal("1.500"))
    assert (measures["tool_calls"], measures["tool_errors"], measures["calls_before_first_edit"]) == (4, 1, 2)
    assert (measures["time"], measures["cost"]) == ("1.5", "0.25")
    assert {name for name, value in measures.items() if value is None} == set(reasons)
    told, _ = agent_measures(finished(events=events, measures={"tool_calls": 9}), Decimal(1))
    assert told["tool_calls"] == 9
    said = (call("shell", edits=True), call("Edit", edits=False))
    assert agent_measures(finished(events=said), Decimal(1))[0]["calls_before_first_edit"] == 0
    never, reasons = agent_measures(finished(events=(call("Read"),)), Decimal(1))
    assert never["calls_before_first_edit"] is None
    assert "calls_before_first_edit" in reasons


def test_tokens_are_added_only_when_all_parts_are_known() -> None:
    parts = {"input_tokens": 1, "output_tokens": 2, "cache_read": 3, "cache_write": 4}
    assert agent_measures(finished(measures=parts), Decimal(1))[0]["tokens"] == 10
    assert agent_measures(finished(measures={**parts, "cache_read": None}), Decimal(1))[0]["tokens"] is None


def test_the_harness_bracket_wins_over_what_the_agent_says_of_time() -> None:
    assert agent_measures(finished(measures={"time": Decimal(1)}), Decimal(7))[0]["time"] == "7"


def test_unknown_and_flat_facts() -> None:
    measures, reasons = unknown_measures("skipped")
    assert (measures["cost"], measures["turns"], reasons["turns"]) == ("0", None, "skipped")
    assert change_measures(["a", "b"], ["b"]) == {"files_changed": 2, "touched_gold": True}
    assert change_measures([], ["b"]) == {"files_changed": 0, "touched_gold": False}
    assert check_facts({"fixed": {"ok": None, "passed": 3}}) == {"fixed.ok": None, "fixed.passed": 3}


@pytest.mark.parametrize(
    "value",
    [
        -5,
        Decimal("-0.01"),
        True,
        Decimal("NaN"),
        Decimal("Infinity"),
        Decimal("1e999999999"),
        Decimal("1e-999999999"),
        Decimal("0." + "1" * 1000),
        1 << 53,
    ],
    ids=lambda value: str(value)[:12],
)
def test_what_is_no_amount_is_unknown_before_it_reaches_the_ledger(value: int | Decimal) -> None:
    measures, reasons = agent_measures(finished(measures={"cost": value, "turns": value}), Decimal(1))
    assert (measures["cost"], measures["turns"]) == (None, None)
    assert reasons["cost"].startswith("the agent reports ")


def test_amounts_stay_what_they_are() -> None:
    for value in (Decimal("0.0421"), Decimal(0), Decimal("0E-30"), Decimal("0.123456789012345678"), Decimal("1E+3")):
        told = agent_measures(finished(measures={"cost": value}), Decimal(1))[0]["cost"]
        assert isinstance(told, str)
        assert Decimal(told) == value
