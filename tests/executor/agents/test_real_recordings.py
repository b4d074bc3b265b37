"""Every real agent is recorded and played again: the same tree; what its stream does not tell is said, and never made up."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from executor.agents.recorder import Recorded, read_events, record
from executor.agents.recordings import write_recording
from executor.agents.replay import ReplayAgent
from executor.attempt import Notebook
from executor.evidence import keep_events
from tests.doubles.model_server import model_server
from tests.doubles.script import Act, Script, edit, run
from tests.executor.agents.driving import BROKEN, MENDED, Real, installed, order
from tests.executor.agents.orders import agent_order, agent_plan

pytestmark = [pytest.mark.agents, pytest.mark.slow]
__all__ = ["installed"]

Give = Callable[[str], Real]
ACTS: list[list[Act]] = [
    [run("cat calc.py")],
    [run("mkdir -p notes && echo mended > notes/why.txt")],
    [edit("calc.py", "    return a - b", "    return a + b")],
    [run("exit 3")],
]


def recorded(real: Real, root: Path, kind: str) -> Recorded:
    """Let a real agent work, and record it from the stream that a run would keep."""
    last = [[run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")]] if kind == "mini-swe-agent" else []
    with model_server(Script(turns=[*ACTS, *last], answer="Done.")) as served:
        asked = order(real, root, served.url)
        end = real.agent.run(asked)
    assert end.failed is None, end.failed
    assert (asked.workspace / "calc.py").read_text() == MENDED
    kept: dict[str, bytes] = {}
    notebook = SimpleNamespace(keep=kept.__setitem__)
    keep_events(end, cast("Notebook", notebook), asked.workspace, asked.home)
    return record(read_events(kept["events"]), answer=end.answer, measures={})


@pytest.mark.parametrize("kind", ["claude-code", "codex", "gemini-cli", "mini-swe-agent"])
def test_an_agent_is_played_to_the_same_tree(kind: str, installed: Give, tmp_path: Path) -> None:
    made = recorded(installed(kind), tmp_path / "real", kind)
    place = tmp_path / "played"
    (place / "recordings").mkdir(parents=True)
    (place / "recordings/t1.json").write_bytes(write_recording(made.recording))
    plan = agent_plan("replay", options={"recordings": "recordings"})
    asked = agent_order(place, plan, base=place)
    (asked.workspace / "calc.py").write_text(BROKEN)
    end = ReplayAgent().run(asked)
    assert end.failed is None, (end.failed, json.loads(write_recording(made.recording)))
    untold = [each for each in made.left_out if each.does == "edit"]
    assert (asked.workspace / "calc.py").read_text() == (BROKEN if untold else MENDED)
    assert (asked.workspace / "notes/why.txt").read_text() == "mended\n"
    assert {each.why for each in untold} <= {"its stream does not tell what it wrote"}
    assert bool(untold) == (kind == "codex")
