"""What an arm's provider and agent need of the harness and of one another: credentials by name, and a treatment that is taken."""

import os
from collections.abc import Iterator, Mapping

from compiler.plan import ArmPlan
from executor.ports import Agent, Provider
from executor.treatments import GivesTreatment, NeedsSecrets, ReachesModel, TakesTreatment, Treatment
from ledger.errors import Fault, WorldFault


def let_through(arm: ArmPlan, agent: Agent, provider: Provider) -> dict[str, str]:
    """Give the host's variables that an arm names, as far as they are set: credentials, redacted everywhere."""
    return {name: os.environ[name] for name in _names(arm, agent, provider) if name in os.environ}


def _names(arm: ArmPlan, agent: Agent, provider: Provider) -> Iterator[str]:
    """Name them: what the agent is given (``pass_env``), the key and address of its service (``api``), what the provider needs."""
    listed, api = arm.agent.options.get("pass_env", ()), arm.agent.options.get("api")
    yield from (str(each) for each in listed) if isinstance(listed, list | tuple) else ()
    if isinstance(api, Mapping):
        yield from (str(value) for name, value in api.items() if name.endswith("_env"))
    access = agent.access(arm.agent) if isinstance(agent, ReachesModel) else None
    if access is not None and access.credential is not None:
        yield access.credential
    if isinstance(provider, NeedsSecrets):
        yield from provider.secrets(arm.provider.options)


def untaken(arm: ArmPlan, agent: Agent, provider: Provider) -> frozenset[Treatment]:
    """Give what an arm's provider hands over and its agent does not take."""
    gives = provider.gives if isinstance(provider, GivesTreatment) else frozenset[Treatment]()
    return gives - (agent.takes(arm.agent) if isinstance(agent, TakesTreatment) else frozenset[Treatment]())


def refuse_untaken(arm: ArmPlan, agent: Agent, provider: Provider) -> None:
    """Refuse an arm whose treatment its agent does not take: it would be the control under another name.

    Raises WorldFault (``treatment``).
    """
    lost = untaken(arm, agent, provider)
    if lost:
        what = f"an agent of kind {arm.agent.kind!r} takes no {' and no '.join(sorted(lost))} as it is configured"
        hint = "`command` agents take them where `{mcp_config}` or `{settings}` stands in their command line"
        raise WorldFault(Fault(code="treatment", what=what, where=f"arms.{arm.name}.provider", hint=hint))
