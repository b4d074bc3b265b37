"""Both systems with a real Claude Code and a scripted service: from the shipped spec to a verdict, reports and a clean audit.

``--basetemp=FOLDER`` keeps what they leave; docs/agents.md says how to look at it.
"""

import base64
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from prereg.starters import lay
from tests.doubles.model_server import model_server
from tests.doubles.script import Script, run
from tests.executor.agents.driving import KEY, installed, still_running
from tests.needs import require
from tests.prereg.conftest import Call, call
from tests.prereg.test_compile import edit

pytestmark = [pytest.mark.agents, pytest.mark.slow]
__all__ = ["call", "installed"]

MODEL, SMALL = "claude-sonnet-4-5", "claude-haiku-4-5"
AGENT = f"""\
agent:
  kind: claude-code
  model: {MODEL}
  settings: [project]
  api: {{key_env: SCRIPTED_KEY, base_url_env: SCRIPTED_URL}}
  limits: {{time: 3 min, cost: 2 USD, turns: 20}}
"""
LARDER = (
    *("one-pack-too-many", "rest-of-the-pack", "salt"),
    *("saturday-is-next-week", "sunday-left-out", "two-spellings"),
)
SUMS = """\
arms:
  baseline: {provider: {kind: none}, expect: {mcp_servers: [], skills: []}}
  notes:
    provider:
      kind: mcp
      servers: {sums: {run: [python3, "{files}/sums.py", ok], tools: [add]}}
      files: {sums.py: sums.py}
    expect: {mcp_servers: [sums], skills: []}
"""


def replaced(spec: Path, key: str, text: str) -> None:
    """Put a block in the place of a top-level key's, up to the next key or empty line."""
    lines = spec.read_text().splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if line.startswith(f"{key}:"))
    last = next(at for at in range(first + 1, len(lines)) if not lines[at].startswith(" "))
    spec.write_text("".join((*lines[:first], text, *lines[last:])))


def task_evals(root: Path) -> Path:
    """Six evals tasks (fewer carry no comparison) with two models; the arms differ in one MCP server. Gives the first one's patch."""
    lay("task-evals", root)
    spec = root / "spec.yaml"
    replaced(spec, "agent", AGENT)
    replaced(spec, "arms", SUMS)
    edit(spec, "{model: simulated-large}", f"{{model: {MODEL}}}")
    edit(spec, "{model: simulated-small}", f"{{model: {SMALL}}}")
    edit(spec, "seeds: 3", "seeds: 1")
    edit(
        spec,
        "    - solved.lower > 0 pp                   # both models together: of each task the mean over them\n",
        "",
    )  # tasks that come out alike have no interval
    shutil.copy(Path(__file__).parents[1] / "doubles/mcp_server.py", root / "sums.py")
    keep(
        root,
        (
            *("bugfix-pagination", "bugfix-workdays", "config-logging"),
            *("debug-lost-cent", "debug-lost-votes", "debug-mixed-letters"),
        ),
    )
    return root / "tasks/bugfix-pagination/solution.patch"


def context_layer(root: Path) -> Path:
    """Six defects, and the arms of the shipped design for a real agent; the script reverses the first."""
    require(None if shutil.which("node") else "there is no node")
    lay("context-layer", root)
    spec = root / "spec.yaml"
    shutil.move(root / "claude.yaml", spec)
    replaced(spec, "agent", AGENT)
    edit(spec, "claude-sonnet-5", MODEL)
    edit(spec, "- solved_mcp.discordant >= 6 tasks", "- solved_mcp.n >= 2 tasks")
    edit(spec, "    - solved_mcp.p < 0.05\n", "")  # out of two tasks no p-value is so small
    edit(spec, "    - solved_mcp.lower > 0 pp\n", "    - solved_mcp.estimate > 0 pp\n")
    edit(spec, "  floor: 6 tasks\n", "")
    keep(root, [f"larder-{name}" for name in LARDER])
    return root / "tasks/larder-one-pack-too-many/defect.patch"


def keep(root: Path, names: Sequence[str]) -> None:
    edit(root / "spec.yaml", "stability: {harvests: 2}", "stability: {harvests: 1}")
    for each in (root / "tasks").iterdir():
        if each.name not in names:
            shutil.rmtree(each)


SYSTEMS = {"task-evals": (task_evals, "", 24), "context-layer": (context_layer, "--reverse ", 24)}


@pytest.mark.parametrize("system", SYSTEMS)
def test_from_the_shipped_spec_to_a_clean_audit(
    system: str, installed: Any, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed("claude-code")
    prepare, way, trials = SYSTEMS[system]
    root = tmp_path / system
    patch = base64.b64encode(prepare(root).read_bytes()).decode()
    solve = run(f"echo {patch} | base64 -d | git apply {way}- || echo nothing to mend")
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    with model_server(Script(turns=[[solve]], answer="I have looked at it.")) as served:
        monkeypatch.setenv("SCRIPTED_URL", served.url)
        for words in (
            ("harvest", root),
            ("compile", root),
            ("execute", root, "--run", "first"),
        ):
            said = call(*words, "--json")
            assert said.code == 0, said.out + said.err
    made = root / "runs/first"
    said = call("analyze", made, "--json")
    assert (said.code, said.json["status"], said.json["simulated"]) == (0, "not_supported", False), said.out
    said = call("audit", made, "--json")
    assert (said.code, said.json["status"]) == (0, "verified"), said.out
    lines = [json.loads(line) for line in (made / "ledger.jsonl").read_text().splitlines()]
    outcomes = [each for each in lines if each["kind"] == "outcome"]
    assert len(outcomes) == trials
    assert not [each for each in lines if each["kind"] in ("infrastructure", "invalid-environment")]
    solved = patch_of(root)
    assert {(each["task"] == solved, each["verdict"]) for each in outcomes} == {(True, "pass"), (False, "fail")}
    for each in outcomes:
        assert each["measures"]["environment_ok"] is True
        assert "first-request" in each["blobs"]
    if (
        root / "larder.md"
    ).is_file():  # the arm that gets it as a file reads it; the scripted model never asks the server
        longest = max((root / "larder.md").read_text().splitlines(), key=len)
        assert json.dumps(longest)[1:-1] in json.dumps([each["messages"] for each in served.requests])
    for report in ("report.md", "report.html"):
        assert "claude-code" in (made / report).read_text()
    for blob in (made / "blobs").iterdir():
        assert KEY.encode() not in blob.read_bytes()
    assert still_running(tmp_path) == []


def test_the_overhead_of_an_arm_is_measured_with_the_real_program(
    installed: Any, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed("claude-code")
    task_evals(tmp_path)
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    with model_server(Script(answer="OK")) as served:
        monkeypatch.setenv("SCRIPTED_URL", served.url)
        said = call("overhead", tmp_path, "--replicates", "1", "--json")
    assert said.code == 0, said.out + said.err
    assert said.json["simulated"] is False
    differences = said.json["differences"]
    assert set(differences) == {"notes_large - baseline_large", "notes_small - baseline_small"}
    assert {each["tokens"] for each in differences.values()} == {"0"}  # the script counts the same for every request
    assert {each["mean"]["turns"] for each in said.json["arms"].values()} == {"1"}
    told = {(each["model"], "mcp__sums__add" in json.dumps(each)) for each in served.requests}
    edit(
        tmp_path / "spec.yaml",
        "\nmeasures:\n",
        "\noverhead: overhead.json\nmeasures:\n  net: tokens - overhead.tokens\n",
    )
    said = call("check", tmp_path, "--json")
    assert said.code == 0, said.out + said.err
    assert told == {(model, tool) for model in (MODEL, SMALL) for tool in (False, True)}


def patch_of(root: Path) -> str:
    """Name the task that the script solves: the first."""
    return min(each.name for each in (root / "tasks").iterdir())
