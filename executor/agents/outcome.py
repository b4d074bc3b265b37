"""How an agent's run ended, in one taxonomy for all agents: judged from its record, its service, its exit and the harness together."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from executor.agents.conversation import Told
from executor.agents.jobs import Ran
from executor.agents.watching import with_cancel
from executor.ports import AgentEnd, AgentEvent, JobEnd
from ledger.plain import Plain
from ledger.records import Ended

COMPLETED = "completed"
API_ERROR = "api_error"
MAX_TURNS = "max_turns"
BUDGET_EXHAUSTED = "budget_exhausted"
PROMPT_TOO_LONG = "prompt_too_long"
LOOP_DETECTED = "loop_detected"
ERROR = "error"

LIMITS = frozenset({MAX_TURNS, BUDGET_EXHAUSTED, "time_exhausted"})
"""Reasons of an agent that was stopped by a limit of its own."""

Measure = int | Decimal | bool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What an agent's own record says of a run.

    ``began``: it said anything at all. ``reason``: why it stopped (above, or a word of its own), None when no result was written.
    ``detail`` is what it complained of. ``stalled``: what it was waiting for when its record ends, if that was its service.
    """

    began: bool
    reason: str | None = None
    detail: str = ""
    stalled: str | None = None
    answer: str | None = None
    thread: str | None = None
    """By what name the conversation can be taken up again."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    session: Mapping[str, Plain] = field(default_factory=dict)
    events: tuple[AgentEvent, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """How it ended. ``failed`` (step, sentence) when the world, not the agent, is at fault."""

    ended: Ended
    result: bool
    reason: str | None
    failed: tuple[str, str] | None = None


def conclude(said: Said, end: JobEnd) -> Conclusion:
    """Judge how a run ended. No one witness decides: agents exit 0 on failures, say success of an unreachable service, or say nothing.

    1. The harness stopped it: cancelled, whatever it says of that; or a limit is the reason, unless the agent never began or was
       waiting for its service all along.
    2. No result was written: an agent that never began was no attempt of the agent; one that did is ``no-result``.
    3. Its service failed: infrastructure, whatever the result event calls it.
    4. A limit of its own; an error of its own.
    5. It says that it completed: believed only with an exit status of 0.
    """
    status = exit_status(end)
    if end.stopped_by == "cancel":
        return Conclusion(ended="cancelled", result=said.reason is not None, reason=said.reason)
    if end.stopped_by is not None:
        ended: Ended = "timeout" if end.stopped_by == "time" else "limit"
        if end.stopped_by == "time" and not said.began:
            why = f"nothing began within the time limit: {said.detail}".rstrip(": ")
            return Conclusion(ended=ended, result=False, reason=None, failed=("start", why))
        if end.stopped_by == "time" and said.stalled is not None:
            return Conclusion(ended=ended, result=False, reason=API_ERROR, failed=("api", said.stalled))
        return Conclusion(ended=ended, result=False, reason=None)
    if said.reason is None:
        if not said.began:
            why = f"the agent ended before it began (exit {status}): {said.detail}".rstrip(": ")
            return Conclusion(ended="no-result", result=False, reason=None, failed=("start", why))
        return Conclusion(ended="no-result", result=False, reason=None)
    if said.reason == API_ERROR:
        return Conclusion(
            ended="error", result=True, reason=API_ERROR, failed=("api", said.detail or "its service failed")
        )
    if said.reason in LIMITS:
        return Conclusion(ended="limit", result=True, reason=said.reason)
    if said.reason != COMPLETED:
        return Conclusion(ended="error", result=True, reason=said.reason)
    if status != 0:
        return Conclusion(ended="error", result=True, reason=f"exit {status}")
    return Conclusion(ended="finished", result=True, reason=COMPLETED)


def exit_status(end: JobEnd) -> int:
    """Give the exit status as a shell would: programs use codes above 128 that a sandbox reads as signals."""
    if end.exit_code is not None:
        return end.exit_code
    return 128 + (end.signal or 0)


def agent_end(said: Said, end: JobEnd, artefacts: Mapping[str, Path]) -> AgentEnd:
    """Give what came of an agent; every measure that is None has its reason."""
    found = conclude(said, end)
    measures: dict[str, Measure] = {**said.measures, "left_running": end.left_running}
    why = "it was stopped before it said" if end.stopped_by is not None else "it ended without saying"
    names = (*measures, "terminal_reason", "calls_before_first_edit")
    reasons = dict.fromkeys(names, why if found.reason is None else "the agent does not say")
    reasons["calls_before_first_edit"] = "no call of a tool that edits files"
    return AgentEnd(
        ended=found.ended,
        result_event=found.result,
        terminal_reason=found.reason,
        answer=said.answer,
        measures=measures,
        reasons={**reasons, **said.reasons},
        session=said.session,
        events=said.events,
        artefacts=artefacts,
        failed=found.failed,
    )


def told(said: Said, ran: Ran, artefacts: Mapping[str, Path] | None = None) -> Told:
    """Give what came of one turn; where it was cancelled, its stream shows when."""
    if ran.watch is not None:
        said = replace(said, events=with_cancel(said.events, ran.watch))
    kept = {"stdout": ran.stdout, "stderr": ran.stderr, **(artefacts or {})}
    return Told(end=agent_end(said, ran.end, kept), seconds=ran.end.seconds, thread=said.thread)


def complaint(output: bytes) -> str:
    """Give the last lines of what a program wrote, for a sentence."""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return " ".join(lines[-3:])[-600:]
