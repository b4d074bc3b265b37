"""Agents that need no model: ``reference`` applies the reference change with real tools, ``noop`` does nothing. Never evidence."""

from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from compiler.plan import AgentPlan
from executor.agents.jobs import run_job
from executor.ports import AgentEnd, AgentEvent, AgentOrder, Sandbox
from executor.turns import EVERY_STEP, Steps

_FREE: Mapping[str, int | Decimal | bool | None] = {
    "cost": Decimal(0),
    "turns": 1,
    "tokens": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read": 0,
    "cache_write": 0,
    "tool_errors": 0,
}
"""A script calls no model: these are known to be nothing."""
_VERSION = "1"


class ReferenceAgent:
    """Applies the task's reference change with ``git apply``, inside the sandbox, or gives its reference answer; must solve every task."""

    kind: ClassVar[str] = "reference"
    simulated: ClassVar[bool] = True
    steps: ClassVar[Steps] = EVERY_STEP
    needs_reference: ClassVar[bool] = True
    measures: ClassVar[frozenset[str]] = frozenset({*_FREE, "tool_calls", "left_running"})

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Give the version of the script."""
        del agent, sandbox
        return {"agent": _VERSION}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """Give the tool call it makes."""
        del agent
        return ("git", "apply", "--whitespace=nowarn", *flags, "-")

    def shows_work(self, agent: AgentPlan) -> bool:
        """How it comes to its change is no work of an agent."""
        del agent
        return False

    def run(self, order: AgentOrder) -> AgentEnd:
        """Apply the reference. A task without one, or one that does not apply, is a failure of the harness, not an outcome."""
        if not order.reference and order.answer is None:
            return _failed("the task has neither a reference change nor a reference answer")
        if not order.reference:
            return _ended(order, 0)
        ran = run_job(order, self.command(order.agent, order.flags), name="reference", stdin=order.reference)
        if ran.end.exit_code != 0:
            return _failed("the reference does not apply: " + ran.stderr.read_text("utf-8", "replace").strip()[-300:])
        call = AgentEvent(kind="tool_call", data={"name": "git apply", "does": "edit", "call": "1", "args": {}})
        return _ended(order, ran.end.left_running, call)


class NoopAgent:
    """Does nothing; must fail every task."""

    kind: ClassVar[str] = "noop"
    simulated: ClassVar[bool] = True
    steps: ClassVar[Steps] = EVERY_STEP
    needs_reference: ClassVar[bool] = False
    measures: ClassVar[frozenset[str]] = frozenset({*_FREE, "tool_calls", "left_running"})

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Give the version of the script."""
        del agent, sandbox
        return {"agent": _VERSION}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """It runs nothing; the flags are what could differ between arms."""
        del agent
        return ("noop", *flags)

    def run(self, order: AgentOrder) -> AgentEnd:
        """Do nothing."""
        del order
        return AgentEnd(
            ended="finished",
            result_event=True,
            terminal_reason="completed",
            answer="SCRIPTED: nothing was done.",
            measures={**_FREE, "tool_calls": 0, "left_running": 0},
            reasons={"calls_before_first_edit": "nothing was edited"},
        )


def _ended(order: AgentOrder, left_running: int, *calls: AgentEvent) -> AgentEnd:
    answer = "SCRIPTED: the reference change was applied." if order.answer is None else order.answer
    return AgentEnd(
        ended="finished",
        result_event=True,
        terminal_reason="completed",
        answer=answer,
        measures={**_FREE, "tool_calls": len(calls), "left_running": left_running},
        reasons={} if calls else {"calls_before_first_edit": "nothing was edited"},
        events=calls,
    )


def _failed(why: str) -> AgentEnd:
    return AgentEnd(
        ended="error",
        result_event=False,
        terminal_reason=None,
        answer=None,
        measures=_FREE,
        failed=("reference", why),
    )
