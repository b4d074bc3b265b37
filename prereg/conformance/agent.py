"""What every agent must keep to, as a test class: subclass it in a test module as ``class TestMine(AgentConformance)``."""

import pickle
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest

from compiler.plan import AgentPlan, LimitsPlan
from executor.ports import Agent, AgentEnd, AgentOrder
from executor.sandboxes.local import LocalSandbox
from executor.treatments import HasEnvironment, ReachesModel, TakesTreatment
from ledger.plain import Plain
from ledger.records import Ended
from prereg import plugins
from spec_lang.catalog import TRIAL_FACTS

_MARK = "conformance-marker-7c1f"


class AgentConformance:
    """Set ``agent`` (the class) and ``options`` (as a plan holds them).

    ``offline`` says that it can be run here, on a workspace of one file; an agent that needs a service or a reference is only looked at.
    """

    agent: ClassVar[type[Any]]
    options: ClassVar[Mapping[str, Plain]] = {}
    model: ClassVar[str | None] = None
    flags: ClassVar[tuple[str, ...]] = ()
    offline: ClassVar[bool] = False

    def plan(self) -> AgentPlan:
        """Give the agent as an arm resolves it."""
        limits = LimitsPlan(time_s=Decimal(60), cost_usd=Decimal(1), turns=10)
        return AgentPlan(kind=self.agent.kind, version=None, model=self.model, limits=limits, options=self.options)

    def test_it_is_found_by_its_kind(self) -> None:
        """Its entry point bears its kind and leads to it."""
        found = plugins.installed("agents")
        assert self.agent.kind in found, f"no entry point `{self.agent.kind}` in the group prereg.agents"
        assert type(plugins.load("agents", self.agent.kind)) is self.agent

    def test_it_reports_facts_that_there_are(self) -> None:
        """``measures`` names facts of the catalogue: a spec that reads another is refused."""
        assert set(self.agent.measures) - set(TRIAL_FACTS) == set()

    def test_what_it_will_do_depends_on_its_plan_alone(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Command line, environment, treatment and access are pure: arms are compared by them before anything runs."""
        first = self._said()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PREREG_CONFORMANCE", _MARK)
        assert self._said() == first
        assert _MARK not in repr(first)

    def test_it_travels_to_a_worker(self) -> None:
        """An attempt may run in another process: the plugin is pickled."""
        made: Agent = pickle.loads(pickle.dumps(self.agent()))  # noqa: S301  # our own bytes
        assert made.command(self.plan(), self.flags) == self.agent().command(self.plan(), self.flags)

    def test_what_it_ends_with_can_be_judged(self, tmp_path: Path) -> None:
        """It ends in one of the known ways; amounts are exact; every unknown has its reason; nothing is left running."""
        if not self.offline:
            return
        end = self._run(tmp_path)
        assert end.ended in get_args(Ended)
        asked = self.agent().versions(self.plan(), LocalSandbox())
        assert all(value.strip() for value in {**asked, **end.versions}.values()), "a version without a word"
        for name, value in end.measures.items():
            assert value is None or isinstance(value, int | Decimal), f"{name} is {value!r}: no float"
        silent = [name for name, value in end.measures.items() if value is None and not end.reasons.get(name)]
        assert silent == [], "unknown without a reason"
        assert not end.measures.get("left_running")

    def _said(self) -> tuple[object, ...]:
        made, plan = self.agent(), self.plan()
        return (
            made.command(plan, self.flags),
            dict(made.environment(plan)) if isinstance(made, HasEnvironment) else None,
            made.takes(plan) if isinstance(made, TakesTreatment) else None,
            made.access(plan) if isinstance(made, ReachesModel) else None,
        )

    def _run(self, root: Path) -> AgentEnd:
        for name in ("workspace", "home", "artefacts"):
            (root / name).mkdir()
        (root / "workspace/README.md").write_text("# a project\n", encoding="utf-8")
        order = AgentOrder(
            trial="task/arm/1",
            task="task",
            arm="arm",
            seed=1,
            attempt=1,
            agent=self.plan(),
            prompt="Reply with OK.",
            workspace=root / "workspace",
            home=root / "home",
            artefacts=root / "artefacts",
            sandbox=LocalSandbox(),
            network="none",
            flags=self.flags,
        )
        made: Agent = self.agent()
        return made.run(order)
