"""Writes the orders of attempts: the plan's nouns, the kit's plugins and what is made ready once for a whole run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, cast

from compiler.plan import AgentPlan, ArmPlan, Chosen, RunPlan, TaskPlan, TrialPlan, lowered
from executor.attempt import TrialOrder
from executor.environments import Environment, prepare
from executor.handing_over import let_through, refuse_untaken
from executor.kit import Kit
from executor.ports import Agent, Network, Rules, Sandbox
from executor.sealing import gold_files
from executor.turns import beyond, steps_of
from executor.vault import Vault, open_vault
from executor.versions import differing, mixed
from ledger.blobs import Blobs
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.errors import Fault, WorldFault

T = TypeVar("T")


@dataclass(kw_only=True, slots=True)
class Orders:
    """Where orders come from. Environments are prepared once."""

    plan: RunPlan
    pool: Blobs
    inputs: Blobs
    artefacts: Blobs
    kit: Kit
    scratch: Path
    rules: Rules | None = None
    environments: dict[bytes, Environment] = field(default_factory=dict)

    def order(self, trial: TrialPlan, attempt: int, retries: int = 0) -> TrialOrder:
        """Write the order of one attempt. Raises WorldFault when a plugin is missing or an environment cannot be made."""
        task, vault = self._task(trial.task)
        arm = next(each for each in self.plan.arms if each.name == trial.arm)
        checks = self.plan.oracles[task.oracle].checks
        chosen = {name: check for name, check in checks.items() if isinstance(check, Chosen)}
        agent, provider = self._agent(arm), plugin(self.kit.providers, arm.provider.kind, "provider")
        refuse_untaken(arm, agent, provider)
        _refuse_unsaid(task, arm, agent)
        return TrialOrder(
            trial=trial,
            attempt=attempt,
            retries=retries,
            task=task,
            arm=replace(arm, agent=replace(arm.agent, limits=lowered(arm.agent.limits, task.limits))),
            checks=chosen,
            collect=self.plan.collect,
            files=self.plan.files,
            agent=agent,
            provider=provider,
            sandbox=self.sandbox(),
            graders={c.kind: plugin(self.kit.graders, c.kind, "grader") for c in chosen.values()},
            environment=self.environment(task.environment),
            pool=self.pool.folder,
            inputs=self.inputs.folder,
            artefacts=self.artefacts.folder,
            scratch=self.scratch,
            cache=self._cache() if vault is None else vault.root / "cache",
            base=self.kit.base,
            network=network_of(agent, arm.agent),
            routes=self.plan.routes,
            secrets=let_through(arm, agent, provider),
            repairs=self.plan.repairs,
            rules=None if self.plan.repairs is None else self._rules(),
            vault=vault,
        )

    def _task(self, name: str) -> tuple[TaskPlan, Vault | None]:
        """Give a task; of a private one also its store, and what only the store knows of it. Raises WorldFault without the store."""
        task = next(each for each in self.plan.tasks if each.id == name)
        if task.private is None:
            return task, None
        vault = open_vault(task.private.store_env)
        return replace(task, gold_files=gold_files(vault.record(task.private.record))), vault

    def make_ready(self) -> None:
        """Make ready what all attempts share, so that a missing plugin, program or environment is told before anything is claimed.

        Raises:
            WorldFault: A plugin is missing (``no-plugin``), an environment cannot be made, or an agent's program is not there
                (``program-missing``) or of another version than the plan's (``agent-version``).
        """
        for trial in {(each.task, each.arm): each for each in self.plan.trials}.values():
            self.order(trial, 1)
        for arm in self.plan.arms:
            self._agent(arm).versions(arm.agent, self.sandbox())

    def sandbox(self) -> Sandbox:
        """Give the sandbox that the plan names, or the one that the kit holds."""
        asked = self.plan.sandbox
        if asked is not None and asked.kind in self.kit.sandboxes:
            return self.kit.sandboxes[asked.kind]
        if len(self.kit.sandboxes) == 1 and (asked is None or asked.kind == "first-available"):
            return next(iter(self.kit.sandboxes.values()))
        usable = [each for each in self.kit.sandboxes.values() if each.unavailable() is None]
        if (asked is not None and asked.kind != "first-available") or not usable:
            return plugin({}, asked.kind if asked else "any", "sandbox")
        return usable[0]

    def environment(self, asked: Chosen | None) -> Environment:
        """Give an environment, made once."""
        key = canonical(None if asked is None else to_plain(asked))
        if key not in self.environments:
            self.environments[key] = prepare(asked, base=self.kit.base, cache=self._cache())
        return self.environments[key]

    def refuse_mixed_versions(self, earlier: Mapping[str, Mapping[str, str]]) -> None:
        """Refuse, before anything runs, programs that are not those of the earlier attempts of this run (arm → its programs).

        A program that is not there refuses nothing here: its attempt will say so.

        Raises:
            WorldFault: ``versions-mixed``.
        """
        for arm in self.plan.arms:
            if not earlier.get(arm.name):
                continue
            sandbox = self.sandbox()
            try:
                now = dict(self._agent(arm).versions(arm.agent, sandbox))
            except WorldFault:
                now = {}
            before, after = differing(earlier[arm.name], {**now, "sandbox": sandbox.kind})
            if before:
                raise mixed(arm.name, before, after)

    def _rules(self) -> Rules:
        """Give the registered conditions. Raises WorldFault (``no-rules``): nothing could be sent back."""
        if self.rules is None:
            raise WorldFault(
                Fault(code="no-rules", what="a run with repairs has to be carried out by its registered rules")
            )
        return self.rules

    def _agent(self, arm: ArmPlan) -> Agent:
        return plugin(self.kit.agents, arm.agent.kind, "agent")

    def _cache(self) -> Path:
        return self.scratch / "cache" if self.kit.cache is None else self.kit.cache


def _refuse_unsaid(task: TaskPlan, arm: ArmPlan, agent: Agent) -> None:
    """Refuse a task with a step that an agent cannot be taken through (``steps``): half a task would be another task."""
    lacking = beyond(steps_of(agent, arm.agent), task.steps)
    if lacking is not None:
        hint = f"give arm {arm.name!r} another kind of agent, or leave the task out"
        raise WorldFault(Fault(code="turns", what=f"{agent.kind} {lacking}", where=task.id, hint=hint))


def plugin(kinds: Mapping[str, T], kind: str, slot: str) -> T:
    """Give a plugin of the kit. Raises WorldFault (``no-plugin``)."""
    if kind in kinds:
        return kinds[kind]
    hint = "prereg doctor lists what is installed"
    raise WorldFault(Fault(code="no-plugin", what=f"there is no {slot} of kind {kind!r}", where=slot, hint=hint))


def network_of(agent: Agent, plan: AgentPlan) -> Network:
    """Give the network of an agent: what its plan says, else what its kind needs; a kind that says nothing gets none."""
    said = plan.options.get("network", getattr(agent, "network", "none"))
    return cast("Network", said) if said in ("none", "model", "open") else "none"
