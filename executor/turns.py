"""What an agent is told beyond its prompt, what happens to it meanwhile, and which of that a kind of agent can be taken through."""

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.plan import AgentPlan
from compiler.steps import CancelPlan, StepPlan

TOLD, NEW_RUN, CANCELLED, REFUSED = "told", "new_run", "cancelled", "refused"
"""What an event of kind ``harness`` says under ``what``: ``{what, turn}`` for the first two, ``{what, after, count}`` and
``{what, name, does, call}`` for the others. Events behind a ``cancelled`` are what the agent still did."""

FAMILIES: frozenset[str] = frozenset({"read", "edit", "shell", "search", "mcp", "other"})
"""What a tool does, whatever an agent calls it: ``does`` of every event of kind ``tool_call``."""

ANY_CALL = "tool_call"
"""A cancel after this one takes a call of any family."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One thing that an agent is told behind its prompt.

    ``fresh``: a new process that knows nothing of the earlier conversation, in the same workspace, its home as it was at the start.
    ``cancel``: it is interrupted as soon as its stream shows the call; ``refuse``: calls of this family are declined.
    """

    prompt: str
    fresh: bool = False
    cancel: CancelPlan | None = None
    refuse: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Steps:
    """Which steps a kind of agent can be taken through; a kind that declares none (``steps``) takes its prompt and nothing else.

    ``cancel``: the families after whose calls it can be cancelled, since its stream shows them while it runs. ``refuse``: the
    families whose calls can be declined. ``repairs``: whether it can be told that its result does not pass.
    """

    say: bool = False
    new_run: bool = False
    cancel: frozenset[str] = frozenset()
    refuse: frozenset[str] = frozenset()
    repairs: bool = False


EVERY_STEP = Steps(say=True, new_run=True, cancel=FAMILIES, refuse=FAMILIES)
"""For agents that read no prompt, so that steps change nothing for them."""


def steps_of(agent: object, plan: AgentPlan) -> Steps:
    """Give what an agent declares under ``steps``: a class variable, or a method where its options decide."""
    said = getattr(agent, "steps", None)
    found = said(plan) if callable(said) else said
    return found if isinstance(found, Steps) else Steps()


def beyond(can: Steps, steps: Sequence[StepPlan]) -> str | None:
    """Say what of a task's steps a kind of agent cannot be taken through, as the rest of a sentence, or None."""
    for step in steps:
        if step.say is not None and not can.say:
            return "takes no conversation up again, and the task goes on with `say`"
        if step.new_run is not None and not can.new_run:
            return "cannot be run a second time in a workspace, and the task goes on with `new_run`"
        if step.cancel is not None and not _shown(can, step.cancel.after):
            return f"does not show a call of `{step.cancel.after}` while it runs, and the task cancels after one"
        if step.refuse is not None and step.refuse not in can.refuse:
            return f"cannot be refused a call of `{step.refuse}`, and the task refuses one"
    return None


def _shown(can: Steps, after: str) -> bool:
    return bool(can.cancel) if after == ANY_CALL else after in can.cancel
