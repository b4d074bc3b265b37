"""What the face knows of installed plugins and hands to the compiler, which may not look one up."""

from collections.abc import Mapping, Sequence
from typing import cast

from compiler.pipeline import Knowledge
from compiler.plan import ArmPlan
from compiler.steps import StepPlan
from executor import handing_over
from executor.cost_route import deliverable
from executor.ordering import network_of
from executor.ports import Agent, Provider
from executor.treatments import HasEnvironment, ReportsAsTold, ShowsWork
from executor.turns import beyond, steps_of
from prereg import plugins


def knowledge() -> Knowledge:
    """Give what arms' agents and providers say of themselves; it adds checks and changes no plan."""
    return Knowledge(
        command_line=command_line,
        environment=environment,
        untaken=untaken,
        cost_routes=cost_routes,
        lacking=lacking,
        unrepairable=unrepairable,
        unseen=unseen,
        reported=reported,
    )


def command_line(arm: ArmPlan) -> tuple[str, ...]:
    """Give the command line with which an arm's agent is started. Raises WorldFault when that kind is not installed."""
    return agent(arm.agent.kind).command(arm.agent, arm.flags)


def environment(arm: ArmPlan) -> Mapping[str, str]:
    """Give the variables with which an arm's agent is started, as far as its spec and its kind say them; the sandbox adds its own."""
    found = agent(arm.agent.kind)
    own = found.environment(arm.agent) if isinstance(found, HasEnvironment) else {}
    return {**own, **arm.env}


def lacking(arm: ArmPlan, steps: Sequence[StepPlan]) -> str | None:
    """Say which step an arm's agent cannot be taken through, or None. Raises WorldFault when it is not installed."""
    return beyond(steps_of(agent(arm.agent.kind), arm.agent), steps)


def unrepairable(arm: ArmPlan) -> bool:
    """Say whether an arm's agent cannot be told that its result does not pass. Raises WorldFault when it is not installed."""
    return not steps_of(agent(arm.agent.kind), arm.agent).repairs


def unseen(arm: ArmPlan) -> bool:
    """Say whether an arm's agent shows nothing of what it does. Raises WorldFault when it is not installed."""
    found = agent(arm.agent.kind)
    return isinstance(found, ShowsWork) and not found.shows_work(arm.agent)


def reported(arm: ArmPlan) -> frozenset[str] | None:
    """Give the trial facts that an arm's agent can report, as it is configured, or None when its kind is not installed."""
    if arm.agent.kind not in plugins.installed("agents"):
        return None
    found = agent(arm.agent.kind)
    return found.reports(arm.agent) if isinstance(found, ReportsAsTold) else found.measures


def untaken(arm: ArmPlan) -> frozenset[str]:
    """Give what an arm's provider hands over and its agent does not take. Raises WorldFault when one of them is not installed."""
    provider = cast("Provider", plugins.load("providers", arm.provider.kind))
    return frozenset[str](handing_over.untaken(arm, agent(arm.agent.kind), provider))


def cost_routes(arm: ArmPlan) -> frozenset[str]:
    """Give the routes by which an arm's costs can be measured. Raises WorldFault when its agent is not installed."""
    found = agent(arm.agent.kind)
    return deliverable(found, arm.agent, network_of(found, arm.agent))


def agent(kind: str) -> Agent:
    """Load an agent. Raises WorldFault when it is not installed or broken."""
    return cast("Agent", plugins.load("agents", kind))
