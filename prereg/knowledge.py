"""What the face knows of installed agents and hands to the compiler, which may not look a plugin up."""

from typing import cast

from compiler.pipeline import Knowledge
from compiler.plan import ArmPlan
from executor.ports import Agent
from prereg import plugins
from spec_lang.model import Spec


def knowledge(spec: Spec) -> Knowledge:
    """Give the command line of an arm's agent and the facts its kind can report; both add checks and change no plan."""
    named = {spec.agent.kind, *(str(arm.agent["kind"]) for arm in spec.arms.values() if "kind" in arm.agent)}
    known = named & set(plugins.installed("agents"))
    return Knowledge(command_line=command_line, reported={kind: agent(kind).measures for kind in sorted(known)})


def command_line(arm: ArmPlan) -> tuple[str, ...]:
    """Give the command line with which an arm's agent is started. Raises WorldFault when that kind is not installed."""
    return agent(arm.agent.kind).command(arm.agent, arm.flags)


def agent(kind: str) -> Agent:
    """Load an agent. Raises WorldFault when it is not installed or broken."""
    return cast("Agent", plugins.load("agents", kind))
