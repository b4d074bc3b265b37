"""A real Claude Code is recorded, and the recording played: the same change, the same verdict; a world that is another one is told."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import model_server
from tests.doubles.script import Script, edit, run, tool
from tests.executor.agents.driving import KEY, installed
from tests.prereg.conftest import Call, call
from tests.prereg.history import lay_history

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.bubblewrap]
__all__ = ["call", "installed"]

CLAUDE = """\
agent:
  kind: claude-code
  model: claude-sonnet-4-5
  api: {key_env: SCRIPTED_KEY, base_url_env: SCRIPTED_URL}
  limits: {time: 3 min, cost: 2 USD, turns: 20}
"""
REPLAY = """\
agent:
  kind: replay
  recordings: recordings
  model: claude-sonnet-4-5
  limits: {time: 3 min, cost: 2 USD, turns: 20}
"""
SCRIPT = Script(
    turns=[
        [tool("Read", file_path="/workspace/kit/add.py")],
        [run("cd tests && ls"), tool("Glob", pattern="**/*.py")],
        [run("ls test_add.py > ../seen.txt; cd ..")],
        [edit("/workspace/kit/add.py", "a - b", "a + b")],
        [tool("Write", file_path="/workspace/notes/why.md", content="It subtracted.\n" * 400)],
        [run("exit 3")],
    ],
    answer="It added the wrong way round.",
)


def blocks(text: str, agent: str) -> str:
    """Put another agent in the place of the spec's."""
    head, _, rest = text.partition("agent:\n")
    return head + agent + rest[rest.index("\narms:") :]


def executed(root: Path, call: Call) -> list[dict[str, Any]]:
    for words in (("compile", root), ("execute", root, "--run", "one")):
        said = call(*words, "--json")
        assert said.code == 0, said.out + said.err
    lines = [json.loads(line) for line in (root / "runs/one/ledger.jsonl").read_text().splitlines()]
    return [each for each in lines if each["kind"] in ("outcome", "infrastructure")]


def test_what_was_recorded_plays_to_the_same_change(
    installed: Any, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed("claude-code")
    root = lay_history(tmp_path / "real")
    spec = root / "spec.yaml"
    spec.write_text(blocks(spec.read_text(), CLAUDE))
    assert call("harvest", root, "--json").code == 0
    played = tmp_path / "played"
    shutil.copytree(root, played)
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    with model_server(SCRIPT) as served:
        monkeypatch.setenv("SCRIPTED_URL", served.url)
        real = executed(root, call)
    assert sorted(each["verdict"] for each in real) == ["fail"] * 4 + ["pass"] * 2  # the script mends one of the three
    said = call("agents", "record", root / "runs/one", "--into", played / "recordings", "--json")
    assert said.code == 0, said.out + said.err
    for each in said.json["recordings"]:
        left = [(call["name"], call["why"]) for call in each["left_out"]]
        assert left[0] == ("Glob", "no step stands for such a call")
        assert left[1:] in ([], [("Edit", "it failed")])
    text = call("agents", "record", root / "runs/one", "--into", played / "recordings")
    assert text.out.count("left out in turn 1: Glob (search): no step stands for such a call") == 6

    (played / "spec.yaml").write_text(blocks(spec.read_text(), REPLAY))
    again = executed(played, call)
    before = {each["trial"]: each for each in real}
    for now in again:
        then = before[now["trial"]]
        assert now["verdict"] == then["verdict"], now
        assert now["blobs"]["change"] == then["blobs"]["change"]
        assert now["blobs"]["answer"] == then["blobs"]["answer"]
        for name in ("cost", "turns", "tokens", "tool_calls"):
            assert now["measures"][name] == then["measures"][name]
            assert now["measures"][name] is not None
        assert now["simulated"] is True

    file, text = next(
        (each, said) for each in (played / "recordings").rglob("1.json") if "a - b" in (said := each.read_text())
    )
    file.write_text(text.replace("a - b", "a * b"))  # as if the tree were another one
    said = call("execute", played, "--run", "two", "--json")
    lost = [
        json.loads(line)
        for line in (played / "runs/two/ledger.jsonl").read_text().splitlines()
        if '"kind":"infrastructure"' in line
    ]
    assert lost
    assert "diverged from its recording: kit/add.py holds what was replaced 0 times" in lost[0]["detail"]
