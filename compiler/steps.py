"""Step nouns: what happens to an agent behind its prompt, and how often it may be sent back when its result does not pass."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Family: TypeAlias = Literal["read", "edit", "shell", "search", "mcp", "other"]
"""What a tool does, whatever an agent calls it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CancelPlan:
    """The agent is cancelled at the ``count``-th call of a family of tools (``tool_call``: of any)."""

    after: Family | Literal["tool_call"]
    count: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class StepPlan:
    """One step behind the prompt; exactly one is set.

    ``say``, ``new_run``: digest of what the agent is told once it has answered, in the same conversation or in a new run in the same
    workspace. ``cancel``, ``refuse`` (a family of tools) qualify what was told just before.
    """

    say: str | None = None
    new_run: str | None = None
    cancel: CancelPlan | None = None
    refuse: Family | None = None

    @property
    def told(self) -> str | None:
        """The digest of what the agent is told, if this step tells it anything."""
        return self.say if self.say is not None else self.new_run


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairsPlan:
    """While a result does not pass, the agent is told the text of digest ``say``, at most so often, all within one attempt."""

    at_most: int
    say: str
