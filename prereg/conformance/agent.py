"""What every agent must keep to: purity, facts that there are, exact amounts, a reason for every unknown."""

import pickle
from decimal import Decimal
from pathlib import Path
from typing import get_args

import pytest

from compiler.plan import AgentPlan, LimitsPlan
from executor.ports import Agent, AgentEnd, AgentOrder
from executor.sandboxes.local import LocalSandbox
from executor.treatments import HasEnvironment, ReachesModel, TakesTreatment
from executor.turns import FAMILIES, Steps
from ledger.records import Ended
from prereg import plugins
from prereg.conformance.case_file import Case
from prereg.conformance.plugin import CASE
from spec_lang.catalog import TRIAL_FACTS

_MARK = "conformance-marker-7c1f"


class TestAgent:
    """One agent with the options of its case."""

    @pytest.fixture
    def case(self, request: pytest.FixtureRequest) -> Case:
        """Give what the command line says of the agent."""
        found = request.config.stash[CASE]
        assert isinstance(found, Case)
        return found

    def test_it_is_found_by_its_kind(self, case: Case) -> None:
        """Its entry point bears its kind and leads to it."""
        found = plugins.installed("agents")
        assert case.plugin.kind in found, f"no entry point `{case.plugin.kind}` in the group prereg.agents"
        assert type(plugins.load("agents", case.plugin.kind)) is case.plugin

    def test_it_reports_facts_that_there_are(self, case: Case) -> None:
        """``measures`` names facts of the catalogue: a spec that reads another is refused."""
        assert set(case.plugin.measures) - set(TRIAL_FACTS) == set()

    def test_it_says_which_steps_it_can_be_taken_through(self, case: Case) -> None:
        """``steps`` says what of a task's steps it takes; one that says nothing takes its prompt alone."""
        declared = getattr(case.plugin(), "steps", Steps())
        said = declared(_plan(case)) if callable(declared) else declared
        assert isinstance(said, Steps), "`steps` is no executor.turns.Steps, and gives none"
        assert said.cancel | said.refuse <= FAMILIES
        assert said.say or said.new_run or not said.repairs, (
            "it takes repairs, and nothing by which it could be told of one"
        )

    def test_what_it_will_do_depends_on_its_plan_alone(
        self, case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """Command line, environment, treatment and access are pure: arms are compared by them before anything runs."""
        first = _said(case)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PREREG_CONFORMANCE", _MARK)
        assert _said(case) == first
        assert _MARK not in repr(first)

    def test_it_travels_to_a_worker(self, case: Case) -> None:
        """An attempt may run in another process: the plugin is pickled."""
        made: Agent = pickle.loads(pickle.dumps(case.plugin()))  # noqa: S301  # our own bytes
        assert made.command(_plan(case), case.flags) == case.plugin().command(_plan(case), case.flags)

    def test_what_it_ends_with_can_be_judged(self, case: Case, tmp_path: Path) -> None:
        """It ends in one of the known ways; amounts are exact; every unknown has its reason; nothing is left running."""
        if not case.offline:
            return
        end = _run(case, tmp_path)
        assert end.ended in get_args(Ended)
        asked = case.plugin().versions(_plan(case), LocalSandbox())
        assert all(value.strip() for value in {**asked, **end.versions}.values()), "a version without a word"
        for name, value in end.measures.items():
            assert value is None or isinstance(value, int | Decimal), f"{name} is {value!r}: no float"
        silent = [name for name, value in end.measures.items() if value is None and not end.reasons.get(name)]
        assert silent == [], "unknown without a reason"
        assert not end.measures.get("left_running")


def _plan(case: Case) -> AgentPlan:
    """Give the agent as an arm resolves it."""
    limits = LimitsPlan(time_s=Decimal(60), cost_usd=Decimal(1), turns=10)
    return AgentPlan(kind=case.plugin.kind, version=None, model=case.model, limits=limits, options=case.options)


def _said(case: Case) -> tuple[object, ...]:
    made, plan = case.plugin(), _plan(case)
    return (
        made.command(plan, case.flags),
        dict(made.environment(plan)) if isinstance(made, HasEnvironment) else None,
        made.takes(plan) if isinstance(made, TakesTreatment) else None,
        made.access(plan) if isinstance(made, ReachesModel) else None,
    )


def _run(case: Case, root: Path) -> AgentEnd:
    for name in ("workspace", "home", "artefacts"):
        (root / name).mkdir()
    (root / "workspace/README.md").write_text("# a project\n", encoding="utf-8")
    order = AgentOrder(
        trial="task/arm/1",
        task="task",
        arm="arm",
        seed=1,
        attempt=1,
        agent=_plan(case),
        prompt="Reply with OK.",
        workspace=root / "workspace",
        home=root / "home",
        artefacts=root / "artefacts",
        sandbox=LocalSandbox(),
        network="none",
        flags=case.flags,
    )
    made: Agent = case.plugin()
    return made.run(order)
