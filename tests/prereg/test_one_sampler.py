"""The simulated agent and a rehearsal are one sampler: the same seed gives the same trials in a run and in a simulation."""

from decimal import Decimal
from pathlib import Path

from analyzer.simulated_ledger import ledger, stage
from compiler.simulation import arm_profile
from executor.agents.simulated import SimulatedAgent
from executor.measures import agent_measures
from ledger.records import Outcome
from tests.analyzer.runs import ARMS, plan_of
from tests.executor.agents.orders import PATCH, agent_order, agent_plan

PROFILE = {
    "solve": "50 %",
    "cost": {"median": "0.4", "spread": "0.3"},
    "time": {"median": "20 s", "spread": "0.5"},
    "turns": 9,
    "harness_failure": "20 %",
    "timeout": "20 %",
}
OPTIONS = {"seed": 3, "profiles": dict.fromkeys(ARMS, PROFILE)}


def test_a_rehearsed_trial_is_the_one_that_a_run_would_have(tmp_path: Path) -> None:
    limits = agent_plan("simulated").limits
    plan = plan_of(
        tasks=4,
        seeds=2,
        missing=(),
        limits=dict.fromkeys(ARMS, limits),
        measures={"solved": 'verdict == "pass"', "lost": "not result_event", "why": "terminal_reason", "long": "time"},
    )
    profiles = {arm: arm_profile(OPTIONS, arm) for arm in ARMS}
    outcomes = [line.record for line in ledger(stage(plan), profiles, 3) if isinstance(line.record, Outcome)]
    assert len(outcomes) == 16
    for number, outcome in enumerate(outcomes):
        order = agent_order(
            tmp_path / str(number),
            agent_plan("simulated", options=OPTIONS),
            trial=outcome.trial,
            arm=outcome.arm,
            reference=PATCH,
        )
        end = SimulatedAgent().run(order)
        seconds = end.measures["time"]
        assert isinstance(seconds, Decimal)
        measures, _ = agent_measures(end, seconds)
        assert outcome.ended == end.ended
        assert {name: measures[name] for name in outcome.measures} == outcome.measures
        solved = (order.workspace / "tool.py").read_text() == "answer = 42\n"
        assert outcome.verdict == ("pass" if solved else "fail")
    assert {each.ended for each in outcomes} == {"finished", "timeout", "no-result"}
