"""Agents without a model: reference, noop, simulated and replay; none can pass for evidence."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from compiler.simulation import arm_profile, sample
from executor.agents.command import CommandAgent
from executor.agents.replay import ReplayAgent
from executor.agents.scripted import NoopAgent, ReferenceAgent
from executor.agents.simulated import SimulatedAgent
from executor.ports import AgentEnd
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from ledger.errors import WorldFault
from tests.executor.agents.orders import PATCH, agent_order, agent_plan
from tests.needs import require

PROFILE = {
    "solve": "50 %",
    "cost": {"median": "0.4", "spread": "0.3"},
    "turns": 9,
    "tool_calls": 20,
    "harness_failure": "20 %",
    "timeout": "20 %",
}
PROFILES = {"seed": 3, "profiles": {"base": PROFILE}}


def text(root: Path) -> str:
    return (root / "workspace/tool.py").read_text()


def test_what_can_be_evidence_and_what_cannot() -> None:
    assert [each.kind for each in (ReferenceAgent, NoopAgent, SimulatedAgent, ReplayAgent) if each.simulated] == [
        "reference",
        "noop",
        "simulated",
        "replay",
    ]
    assert not CommandAgent.simulated


@pytest.mark.parametrize("kind", [LocalSandbox, pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)])
def test_the_reference_solves_through_the_real_tools(tmp_path: Path, kind: type) -> None:
    require(kind().unavailable())
    end = ReferenceAgent().run(agent_order(tmp_path, agent_plan("reference"), sandbox=kind(), reference=PATCH))
    assert (end.ended, end.failed, end.measures["cost"]) == ("finished", None, 0)
    assert text(tmp_path) == "answer = 42\n"
    assert "SCRIPTED" in str(end.answer)


def test_a_reference_that_does_not_fit_is_a_failure_of_the_harness(tmp_path: Path) -> None:
    for reference in (None, b"", PATCH.replace(b"41", b"40")):
        end = ReferenceAgent().run(agent_order(tmp_path, agent_plan("reference"), reference=reference))
        assert end.failed is not None
        assert end.result_event is False


def test_noop_does_nothing(tmp_path: Path) -> None:
    end = NoopAgent().run(agent_order(tmp_path, agent_plan("noop")))
    assert (end.ended, end.measures["tool_calls"]) == ("finished", 0)
    assert text(tmp_path) == "answer = 41\n"


def test_simulated_trials_are_those_of_the_sampler(tmp_path: Path) -> None:
    plan = agent_plan("simulated", options=PROFILES)
    seen = set()
    for n in range(24):
        trial = f"t{n}/base/1"
        root = tmp_path / str(n)
        end = SimulatedAgent().run(agent_order(root, plan, trial=trial, reference=PATCH))
        drawn = sample(arm_profile(PROFILES, "base"), seed=3, trial_id=trial, attempt=1)
        seen.add((drawn.ended, drawn.terminal_reason, drawn.solved))
        assert (end.ended, end.result_event, end.terminal_reason) == (
            drawn.ended,
            drawn.result_event,
            drawn.terminal_reason,
        )
        assert (end.measures["cost"], end.measures["turns"]) == (drawn.cost_usd, drawn.turns)
        assert (text(root) == "answer = 42\n") is drawn.solved
        assert end.measures["time"] == min(drawn.time_s, Decimal(20))
        assert {name for name, value in end.measures.items() if value is None} <= set(end.reasons)
        assert "SIMULATED" in end.artefacts["transcript"].read_text()
        assert end.session["simulated"] is True
        if not drawn.solved and drawn.result_event:
            assert "SIMULATED" in (root / "workspace/SIMULATED.txt").read_text()
    assert {each[0] for each in seen} == {"finished", "timeout", "no-result"}
    assert {each[2] for each in seen} == {True, False}


def test_a_simulated_arm_without_a_profile_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorldFault, match="no profile of the arm"):
        SimulatedAgent().run(agent_order(tmp_path, agent_plan("simulated", options=PROFILES), arm="other"))


def replay(root: Path, recording: Any, name: str = "t1.json") -> AgentEnd:
    place = root / "recordings" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(recording))
    plan = agent_plan("replay", options={"recordings": "recordings"})
    return ReplayAgent().run(agent_order(root, plan, base=root))


def test_a_recording_is_played_with_real_tools(tmp_path: Path) -> None:
    recording = {
        "steps": [
            {"run": ["cat", "tool.py"], "stdout": "answer = 41\n"},
            {"patch": PATCH.decode()},
            {"write": {"new/notes.txt": "done\n"}},
            {"run": ["grep", "-q", "41", "tool.py"], "exit": 1},
        ],
        "answer": "mended",
        "measures": {"cost": "0.12", "turns": 3},
        "session": {"model": "model-1"},
    }
    end = replay(tmp_path, recording)
    assert (end.ended, end.failed, end.answer) == ("finished", None, "mended")
    assert (end.measures["cost"], end.measures["turns"], end.session) == (Decimal("0.12"), 3, {"model": "model-1"})
    assert [each.data["does"] for each in end.events if each.kind == "tool_call"] == [
        "shell",
        "edit",
        "edit",
        "shell",
    ]
    assert text(tmp_path) == "answer = 42\n"
    assert (tmp_path / "workspace/new/notes.txt").read_text() == "done\n"


@pytest.mark.parametrize(
    "step",
    [
        {"run": ["cat", "tool.py"], "stdout": "answer = 40\n"},
        {"run": ["false"]},
        {"patch": PATCH.decode().replace("41", "40")},
        {"write": {"tool.py/x": "no"}},
    ],
)
def test_a_divergence_is_no_outcome(tmp_path: Path, step: Any) -> None:
    end = replay(tmp_path, {"steps": [{"run": ["true"]}, step]})
    assert end.failed is not None
    assert end.failed[1].startswith("step 2 diverged")
    assert (end.ended, end.result_event) == ("error", False)


def test_the_closest_recording_is_played(tmp_path: Path) -> None:
    replay(tmp_path, {"steps": [], "answer": "task"})
    replay(tmp_path, {"steps": [], "answer": "arm"}, "t1/base.json")
    assert replay(tmp_path, {"steps": [], "answer": "seed"}, "t1/base/1.json").answer == "seed"
    (tmp_path / "recordings/t1/base/1.json").unlink()
    plan = agent_plan("replay", options={"recordings": "recordings"})
    assert ReplayAgent().run(agent_order(tmp_path, plan, base=tmp_path)).answer == "arm"
    with pytest.raises(WorldFault, match="no recording"):
        ReplayAgent().run(agent_order(tmp_path, plan, base=tmp_path, task="t2"))


BAD = (
    "nonsense",
    "[]",
    '{"steps": [{"run": ["true"]}, {"ru',  # cut off
    '{"steps": [{}]}',
    '{"steps": [], "extra": 1}',
    '{"steps": [{"ran": []}]}',
    '{"steps": [], "measures": {"cost": "much"}}',
)


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_recording_is_told(tmp_path: Path, bad: str) -> None:
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings/t1.json").write_text(bad)
    plan = agent_plan("replay", options={"recordings": "recordings"})
    with pytest.raises(WorldFault, match="is no recording"):
        ReplayAgent().run(agent_order(tmp_path, plan, base=tmp_path))
