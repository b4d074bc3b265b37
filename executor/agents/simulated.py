"""The simulated agent: draws each trial from its arm's profile and leaves a change to match. It is never evidence."""

from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from compiler.plan import AgentPlan
from compiler.simulation import SimulatedTrial, arm_profile, sample
from executor.agents.jobs import run_job
from executor.ports import AgentEnd, AgentEvent, AgentOrder, Sandbox
from executor.turns import EVERY_STEP, Steps
from ledger.errors import Fault, WorldFault

MARK = "SIMULATED"
"""What every trace of it says."""
_VERSION = "1"


class SimulatedAgent:
    """Applies the reference change with the probability that the profile gives, and a change that solves nothing otherwise."""

    kind: ClassVar[str] = "simulated"
    simulated: ClassVar[bool] = True
    steps: ClassVar[Steps] = EVERY_STEP
    needs_reference: ClassVar[bool] = True
    measures: ClassVar[frozenset[str]] = frozenset(
        {"cost", "turns", "tool_calls", "tool_errors", "calls_before_first_edit", "left_running"}
    )

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Give the version of the sampler that the plan names, else this one's."""
        del sandbox
        return {"agent": agent.version or _VERSION}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """It runs nothing of its own; model and flags are what could differ between arms."""
        return (MARK.lower(), "--model", agent.model or "", *flags)

    def shows_work(self, agent: AgentPlan) -> bool:
        """It makes no calls."""
        del agent
        return False

    def run(self, order: AgentOrder) -> AgentEnd:
        """Draw the attempt and leave its change. The same attempt of the same trial is drawn alike on every machine."""
        drawn = self._draw(order)
        if drawn.solved:
            self._solve(order)
        elif drawn.result_event:
            (order.workspace / "SIMULATED.txt").write_text(f"{MARK}: this change solves nothing.\n", "utf-8")
        transcript = order.artefacts / "transcript.txt"
        transcript.write_text(f"{MARK}: {order.trial}, attempt {order.attempt}: {drawn}\n", "utf-8")
        unknown = "the simulated agent ended without a result"
        values: dict[str, int | Decimal | bool | None] = {
            "cost": drawn.cost_usd,
            "turns": drawn.turns,
            "tool_calls": drawn.tool_calls,
            "tool_errors": 0 if drawn.result_event else None,
            "calls_before_first_edit": drawn.calls_before_first_edit,
            "left_running": 0,
            "time": min(drawn.time_s, order.agent.limits.time_s),
        }
        session = {"model": order.agent.model, "version": order.agent.version, MARK.lower(): True}
        return AgentEnd(
            ended=drawn.ended,
            result_event=drawn.result_event,
            terminal_reason=drawn.terminal_reason,
            answer=_answer(order, drawn),
            measures=values,
            reasons=dict.fromkeys(values, unknown if not drawn.result_event else "the profile does not say"),
            session=session,
            events=(AgentEvent(kind="other", data={MARK.lower(): True}),),
            artefacts={"transcript": transcript},
        )

    def _draw(self, order: AgentOrder) -> SimulatedTrial:
        options = order.agent.options
        seed = options.get("seed")
        try:
            profile = arm_profile(options, order.arm)
        except ValueError as problem:
            raise WorldFault(Fault(code="profile", what=str(problem), where="agent.profiles")) from problem
        return sample(profile, seed=seed if isinstance(seed, int) else 0, trial_id=order.trial, attempt=order.attempt)

    def _solve(self, order: AgentOrder) -> None:
        if not order.reference and order.answer is not None:
            return
        if not order.reference:
            what = "a simulated trial solves its task by the reference change, and this task has none"
            raise WorldFault(Fault(code="no-reference", what=what, where=order.task))
        ran = run_job(order, ("git", "apply", "--whitespace=nowarn", "-"), name="apply", stdin=order.reference)
        if ran.end.exit_code != 0:
            said = ran.stderr.read_text("utf-8", "replace").strip()[-300:]
            raise WorldFault(Fault(code="reference", what="the reference change does not apply", got=said))


def _answer(order: AgentOrder, drawn: SimulatedTrial) -> str | None:
    if not drawn.result_event:
        return None
    return f"{MARK}: no agent ran." if order.answer is None or not drawn.solved else f"{MARK}: {order.answer}"
