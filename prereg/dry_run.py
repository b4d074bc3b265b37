"""What a registration would carry out, without carrying it out: every trial in its order, with the command line of its agent."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from compiler.plan import ArmPlan, RunPlan, TaskPlan, lowered
from compiler.registry import Entry
from ledger.blobs import Blobs
from ledger.codec import decimal_text
from prereg.executing import registration_at
from prereg.knowledge import command_line

_PLACES = re.compile(r"\{(model|prompt)\}")


@dataclass(frozen=True, kw_only=True, slots=True)
class DryRun:
    """The trials of a registration in order, each with its command line.

    Places such as ``{home}`` that only a trial knows stay as they are. ``most_usd`` is what the first attempts cost at most
    by the registered limits; None where a trial has no limit of cost.
    """

    entry: Entry
    commands: Mapping[str, tuple[str, ...]]
    most_usd: Decimal | None
    budget_usd: Decimal | None

    @property
    def document(self) -> dict[str, Any]:
        """Plain data for ``--json``."""
        return {
            "registration": self.entry.name,
            "trials": [{"trial": name, "command": list(line)} for name, line in self.commands.items()],
            "most_usd": None if self.most_usd is None else decimal_text(self.most_usd),
            "budget_usd": None if self.budget_usd is None else decimal_text(self.budget_usd),
        }

    @property
    def text(self) -> str:
        """One line a trial, and what all may cost."""
        lines = [f"{name}: {shlex.join(line)}" for name, line in self.commands.items()]
        most = "unknown" if self.most_usd is None else f"{decimal_text(self.most_usd)} USD"
        budget = "none" if self.budget_usd is None else f"{decimal_text(self.budget_usd)} USD"
        return "\n".join(
            (*lines, f"{len(lines)} trials; limits allow {most} without retries, budget {budget}; nothing was run")
        )


def dry_run(where: Path) -> DryRun:
    """Say what a registration (or an experiment's newest) would run. Raises WorldFault when there is none, or a kind is not installed."""
    entry, _ = registration_at(where)
    plan = entry.plan().run
    inputs = Blobs(entry.folder / "inputs")
    arms = {each.name: each for each in plan.arms}
    prompts = {each.id: _prompt(inputs, each) for each in plan.tasks}
    commands = {each.id: _filled(arms[each.arm], prompts[each.task]) for each in plan.trials}
    return DryRun(entry=entry, commands=commands, most_usd=_most(plan, arms), budget_usd=plan.budget_usd)


def _prompt(inputs: Blobs, task: TaskPlan) -> str:
    """Give the prompt of a task; that of a private one is not told."""
    return inputs.get(task.prompt).decode("utf-8", "replace") if task.private is None else "(private)"


def _filled(arm: ArmPlan, prompt: str) -> tuple[str, ...]:
    known = {"model": arm.agent.model or "", "prompt": prompt}
    return tuple(_PLACES.sub(lambda found: known[found[1]], each) for each in command_line(arm))


def _most(plan: RunPlan, arms: Mapping[str, ArmPlan]) -> Decimal | None:
    tasks = {each.id: each for each in plan.tasks}
    limits = [lowered(arms[each.arm].agent.limits, tasks[each.task].limits).cost_usd for each in plan.trials]
    known = [each for each in limits if each is not None]
    return sum(known, Decimal(0)) if len(known) == len(limits) else None
