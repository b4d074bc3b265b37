"""Routes of cost: each route gives its own number or none, with the reason; no other route steps in, and unknown is never nothing."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import AgentPlan
from compiler.routes import RoutesPlan
from executor.agents.claude_code import ClaudeCodeAgent
from executor.agents.codex import CodexAgent
from executor.agents.command import CommandAgent
from executor.agents.simulated import SimulatedAgent
from executor.cost_route import AGENT, NAMED, PROVIDER, TABLE, by_route, deliverable
from executor.ordering import network_of
from executor.ports import Agent, AgentEvent
from executor.recording import MODEL, Exchange, Recording
from executor.usage import Bill, bill_of
from ledger.records import Outcome
from tests.executor.test_way_out import experiment, outcomes, service, with_provider
from tests.executor.worlds import LIMITS, finished

__all__ = ["service"]

PRICES = {
    "big": {kind: Decimal(price) for kind, price in (("input", "3"), ("output", "15"), ("cache_read", "0.3"))},
    "small": {"input": Decimal(1), "output": Decimal(5)},
}
ROUTES = RoutesPlan(cost="provider-usage", prices="sha256:" + "a" * 64, as_of="2026-11-01", models=PRICES)
BY_TABLE = replace(ROUTES, cost="price-table")
USED = {"input_tokens": 1000, "output_tokens": 100, "cache_read": 0, "cache_write": 0}


def plan(kind: str = "any", model: str | None = "big", **options: Any) -> AgentPlan:
    return AgentPlan(kind=kind, version=None, model=model, limits=LIMITS, options=options)


def bill(**changes: Any) -> Bill:
    return replace(Bill(asked="big", answered="big", usage=USED), **changes)


def at_provider(*bills: Bill, routes: RoutesPlan = ROUTES, under_way: int = 0) -> tuple[Decimal | None, str]:
    recording = Recording(bills=list(bills), open=under_way)
    end = by_route(finished(), routes, plan(), recording)
    return end.measures["cost"], end.reasons.get("cost", "")  # type: ignore[return-value]


def test_the_agents_own_word_is_taken_as_it_is_and_by_no_other_route() -> None:
    end = finished()
    assert by_route(end, RoutesPlan(), plan(), None) is end
    for routes in (ROUTES, BY_TABLE):
        assert by_route(end, routes, plan(), None).measures["cost"] is None


def test_all_answers_of_the_provider_at_their_models_prices() -> None:
    assert at_provider(bill()) == (Decimal("0.0045"), "")
    assert at_provider(bill(), bill(answered="small")) == (Decimal("0.006"), "")
    assert at_provider(bill(asked="alias", answered="big")) == at_provider(bill(answered="big-2026-09-01"))


@pytest.mark.parametrize(
    ("bills", "under_way", "why"),
    [
        ((), 0, "no answer of the provider came through the harness's proxy"),
        ((bill(), bill(usage=None)), 0, "1 of 2 answers of the provider do not say what they used"),
        ((bill(),), 1, "an answer of the provider was still under way when the agent ended"),
        ((bill(), bill(asked="new", answered="new-1")), 0, "the price table has no price of new-1 nor new"),
        ((bill(asked=None, answered=None),), 0, "the price table has no price of a model"),
        ((bill(usage={**USED, "cache_write": 1}),), 0, "the price table has no price of cache_write for big"),
        (
            (bill(usage={**USED, "cache_write": 5}, cache_write_1h=5),),
            0,
            "the price table has no price of cache_write_1h for big",
        ),
    ],
)
def test_one_unknown_part_makes_the_cost_unknown(bills: tuple[Bill, ...], under_way: int, why: str) -> None:
    assert at_provider(*bills, under_way=under_way) == (None, why)


def test_counts_that_nobody_can_have_used_cost_nobody_knows_what() -> None:
    cost, why = at_provider(bill(usage={**USED, "output_tokens": 10**30}))
    assert (cost, why) == (None, "the counts of tokens that are told would cost more than all money there is")
    told: dict[str, Any] = {**USED, "output_tokens": -5}
    assert by_route(finished(measures=told), BY_TABLE, plan(), None).measures["cost"] is None


def test_without_a_table_only_the_providers_own_word_counts() -> None:
    own = RoutesPlan(cost="provider-usage")
    assert at_provider(bill(cost=Decimal("0.5")), bill(cost=Decimal("0.25")), routes=own) == (Decimal("0.75"), "")
    assert at_provider(bill(cost=Decimal("0.5")), bill(), routes=own)[0] is None
    # With a table its prices count in every arm, whatever some provider says beside.
    assert at_provider(bill(cost=Decimal("0.5"))) == (Decimal("0.0045"), "")


def test_reported_tokens_model_by_model() -> None:
    apart = {"big": USED, "small": USED}
    told = AgentEvent(kind="usage", data={"models": apart, "cumulative": False})
    end = finished(measures={"cost": Decimal(9)}, events=(told, told))
    assert by_route(end, BY_TABLE, plan(), None).measures["cost"] == Decimal("0.012")
    on = AgentEvent(kind="usage", data={"models": apart, "cumulative": True})
    assert by_route(replace(end, events=(on, on)), BY_TABLE, plan(), None).measures["cost"] == Decimal("0.006")
    alone = finished(measures={"cost": Decimal(9), **USED})
    assert by_route(alone, BY_TABLE, plan(), None).measures["cost"] == Decimal("0.0045")


def test_reported_tokens_add_up_over_conversations_and_a_silent_turn_makes_them_unknown() -> None:
    apart = {"big": {"input_tokens": 100, "output_tokens": 10, "cache_read": 0, "cache_write": 0}}
    each = AgentEvent(kind="usage", data={"models": apart, "cumulative": False})
    on = AgentEvent(kind="usage", data={"models": apart, "cumulative": True})
    told, new = (AgentEvent(kind="harness", data={"what": what, "turn": 2}) for what in ("told", "new_run"))

    def cost(*events: AgentEvent) -> Decimal | int | None:
        return by_route(finished(events=events), BY_TABLE, plan(), None).measures["cost"]

    once = cost(each)
    assert isinstance(once, Decimal)
    assert cost(each, told, each) == cost(each, new, each) == cost(on, new, on) == 2 * once
    assert cost(on, told, on) == cost(told, on) == once
    assert cost(on, told) is cost(new, on) is cost(told, each) is None


def test_tokens_that_nobody_reports_or_prices_cost_nobody_knows_what() -> None:
    def why(model: str, **measures: Any) -> str:
        end = by_route(finished(measures={"cost": Decimal(0), **measures}), BY_TABLE, plan(model=model), None)
        assert end.measures["cost"] is None
        return end.reasons["cost"]

    assert why("big", output_tokens=1) == "the agent does not report input_tokens, cache_read of big"
    assert why("new", **USED) == "the price table has no price of new"


@pytest.mark.parametrize(
    ("agent", "asked", "able"),
    [
        (ClaudeCodeAgent(), plan("claude-code"), {AGENT, TABLE}),
        (ClaudeCodeAgent(), plan("claude-code", api={"key_env": "K"}), {AGENT, TABLE, PROVIDER}),
        (CodexAgent(), plan("codex", api={"key_env": "K"}), {TABLE, PROVIDER}),
        (CodexAgent(), plan("codex", api={"key_env": "K"}, network="open"), {TABLE}),
        (SimulatedAgent(), plan("simulated"), {AGENT}),
        (CommandAgent(), plan("command", run=["x"]), {AGENT, TABLE}),
        (CommandAgent(), plan("command", run=["x"], result={"answer": "a"}), set()),
        (
            CommandAgent(),
            plan("command", run=["x"], result={}, network="model", api={"base_url": "http://x"}),
            {PROVIDER},
        ),
    ],
)
def test_what_an_agent_can_deliver(agent: Agent, asked: AgentPlan, able: set[str]) -> None:
    assert deliverable(agent, asked, network_of(agent, asked)) == able


def test_the_providers_records_of_a_whole_attempt(tmp_path: Path, service: Any) -> None:
    prices = {"m": {"input": Decimal(3), "output": Decimal(15)}}
    made = experiment(tmp_path, with_provider("base", service))
    made.run(plan=replace(made.plan, routes=replace(ROUTES, models=prices)))
    found: Outcome = outcomes(made)["base"]
    assert found.measures["cost"] == "0.000069"  # 3 tokens read, 4 written
    assert found.versions[NAMED] == f"provider-usage, prices {ROUTES.prices}"


def test_a_model_without_a_price_leaves_the_outcome_and_no_cost(tmp_path: Path, service: Any) -> None:
    made = experiment(tmp_path, with_provider("base", service))
    made.run(plan=replace(made.plan, routes=ROUTES))
    found = outcomes(made)["base"]
    assert (found.verdict, found.measures["cost"]) == ("pass", None)
    assert found.reasons["cost"] == "the price table has no price of m"


def sse(*documents: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in documents)


START = {"type": "message_start", "message": {"model": "big-1", "usage": {"input_tokens": 9, "output_tokens": 1}}}
DELTA = {"type": "message_delta", "usage": {"output_tokens": 70}}
PART = {"modelVersion": "g", "usageMetadata": {"promptTokenCount": 8, "toolUsePromptTokenCount": 2}}
LAST = {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 8, "candidatesTokenCount": 3}}


@pytest.mark.parametrize(
    ("answer", "model", "used"),
    [
        (sse(START, DELTA), "big-1", (9, 70)),
        (sse(START), "big-1", None),  # it would count one token
        (sse(PART, LAST), "g", (10, 3)),
        (sse(PART), "g", None),
        (
            sse({"usage": {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}}}),
            None,
            None,
        ),
    ],
)
def test_a_stream_that_ended_early_does_not_say(answer: bytes, model: str | None, used: tuple[int, int] | None) -> None:
    found = bill_of(answer, streamed=True, asked="big")
    assert found.answered == model
    assert (None if found.usage is None else (found.usage["input_tokens"], found.usage["output_tokens"])) == used


@pytest.mark.parametrize(
    ("usage", "written"),
    [
        ({"prompt_tokens": 10}, None),
        ({"prompt_tokens": 10, "completion_tokens": "7"}, None),
        ({"prompt_tokens": "10", "completion_tokens": 7}, None),
        ({"prompt_tokens": 10, "completion_tokens": 7.5}, None),
        ({"input_tokens": 10}, None),
        ({"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": "5"}, None),
        ({"input_tokens": 10, "output_tokens": 3, "input_tokens_details": {"cached_tokens": "5"}}, None),
        ({"prompt_tokens": 10, "total_tokens": 10}, 0),
        ({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}, 7),
        ({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 40}, 30),
    ],
)
def test_a_count_that_is_lacking_or_is_none_is_unknown_and_not_0(usage: dict[str, object], written: int | None) -> None:
    found = bill_of(json.dumps({"usage": usage}).encode(), streamed=False, asked=None).usage
    assert (None if found is None else found["output_tokens"]) == written


def test_the_providers_own_cost_and_caches_that_keep_for_an_hour() -> None:
    whole = {"usage": {"prompt_tokens": 5, "completion_tokens": 1, "cost": 0.00125}}
    assert bill_of(json.dumps(whole).encode(), streamed=False, asked=None).cost == Decimal("0.00125")
    kept = {
        "usage": {
            "input_tokens": 1,
            "output_tokens": 0,
            "cache_creation_input_tokens": 9,
            "cache_creation": {"ephemeral_1h_input_tokens": 7},
        }
    }
    found = bill_of(json.dumps(kept).encode(), streamed=False, asked=None)
    assert (found.usage and found.usage["cache_write"], found.cache_write_1h) == (9, 7)


@pytest.mark.parametrize(
    ("changes", "billed"),
    [
        ({}, True),
        ({"status": 429}, False),  # refused, not worked on
        ({"status": None, "sent": False}, False),  # never reached the provider
        ({"status": None, "sent": True, "problem": "reset"}, True),  # reached it, and nobody knows what it did
        ({"path": "v1/messages/count_tokens"}, False),
        ({"route": "mcp-sums"}, False),
        ({"request": b"{}"}, False),
    ],
)
def test_which_requests_a_provider_may_bill(changes: dict[str, Any], billed: bool) -> None:
    exchange = Exchange(
        number=1,
        route=MODEL,
        method="POST",
        path="v1beta/models/big:generateContent",
        status=200,
        request=b'{"contents": []}',
        response=json.dumps(LAST).encode(),
        streamed=False,
        seconds=0.1,
    )
    recording = Recording(open=1)
    recording.end(replace(exchange, **changes))
    assert len(recording.bills) == billed
    assert all(each.asked == "big" for each in recording.bills)
