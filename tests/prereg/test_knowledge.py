"""What the face tells the compiler of installed agents: which of them show what they do."""

from decimal import Decimal

import pytest

from compiler.plan import AgentPlan, ArmPlan, Chosen, LimitsPlan
from ledger.plain import Plain
from prereg.knowledge import reported, unseen


@pytest.mark.parametrize(
    ("kind", "nothing"),
    [
        ("claude-code", False),
        ("codex", False),
        ("gemini-cli", False),
        ("mini-swe-agent", False),
        ("replay", False),
        ("noop", False),  # it has to fail every task, those with a trace too
        ("command", True),
        ("reference", True),
        ("simulated", True),
    ],
)
def test_agents_that_show_nothing_of_what_they_do(kind: str, nothing: bool) -> None:
    agent = AgentPlan(kind=kind, version=None, model=None, limits=LimitsPlan(time_s=Decimal(1)))
    assert unseen(ArmPlan(name="one", agent=agent, provider=Chosen(kind="none"))) is nothing


def test_a_program_that_prints_what_it_does_shows_it() -> None:
    limits = LimitsPlan(time_s=Decimal(1))
    agent = AgentPlan(kind="command", version=None, model=None, limits=limits, options={"run": ["x"], "events": True})
    assert not unseen(ArmPlan(name="one", agent=agent, provider=Chosen(kind="none")))


@pytest.mark.parametrize(
    ("options", "can", "cannot"),
    [
        ({}, {"turns", "cost"}, {"tool_calls"}),
        ({"events": True}, {"turns", "tool_calls", "tool_errors"}, {"files_changed"}),
        ({"result": {"turns": "steps"}}, {"turns"}, {"cost", "tokens", "tool_calls"}),
        ({"result": {"tool_calls": "calls"}}, {"tool_calls"}, {"turns"}),
    ],
)
def test_a_program_reports_what_its_options_say(options: dict[str, Plain], can: set[str], cannot: set[str]) -> None:
    limits = LimitsPlan(time_s=Decimal(1))
    agent = AgentPlan(kind="command", version=None, model=None, limits=limits, options={"run": ["x"], **options})
    found = reported(ArmPlan(name="one", agent=agent, provider=Chosen(kind="none")))
    assert found is not None
    assert can <= found
    assert not cannot & found


def test_nobody_knows_what_an_agent_reports_that_is_not_installed() -> None:
    agent = AgentPlan(kind="elsewhere", version=None, model=None, limits=LimitsPlan(time_s=Decimal(1)))
    assert reported(ArmPlan(name="one", agent=agent, provider=Chosen(kind="none"))) is None
