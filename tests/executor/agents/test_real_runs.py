"""Whole runs with real agents: two arms that differ in their MCP servers alone, through the proxy, to outcomes or to their refusal."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import ArmPlan, Chosen
from executor.providers.mcp import McpProvider
from executor.providers.settings import SettingsProvider
from executor.way_out import STANDS_FOR
from ledger.errors import WorldFault
from ledger.records import Claimed, Infrastructure, InvalidEnvironment, Outcome
from tests.doubles.model_server import ModelServer, model_server
from tests.doubles.script import Act, Fault, Script, mcp, run
from tests.executor.agents.driving import KEY, Real, installed, still_running
from tests.executor.worlds import PlainRules, World, arm, world

pytestmark = pytest.mark.agents
Give = Callable[[str], Real]
WITH_MCP = ("claude-code", "codex", "gemini-cli")
__all__ = ["installed"]


def solves(kind: str, *first: Act) -> Script:
    """Mend the world's tool, as the agent's kind ends."""
    turns = [*([list(first)] if first else []), [run("sed -i s/41/42/ tool.py")]]
    if kind == "mini-swe-agent":
        turns.append([run("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")])
    return Script(turns=turns, answer="The answer is 42.")


def program(mode: str) -> Chosen:
    """A provider of the tiny MCP server."""
    server = Path(__file__).parents[2] / "doubles/mcp_server.py"
    argv = [shutil.which("python3", path="/usr/bin:/bin") or sys.executable, str(server), mode]
    return Chosen(kind="mcp", options={"servers": {"sums": {"run": argv, "tools": ["add"]}}})


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Callable[[Real, ModelServer], None]:
    """Let the host's variables name a scripted service."""

    def name(real: Real, served: ModelServer) -> None:
        monkeypatch.setenv("SCRIPTED_KEY", KEY)
        monkeypatch.setenv("SCRIPTED_URL", served.url + real.path)

    return name


def arm_of(real: Real, name: str, provider: Chosen | None = None, **changes: Any) -> ArmPlan:
    options = {"api": {"key_env": "SCRIPTED_KEY", "base_url_env": "SCRIPTED_URL"}, **changes.pop("options", {})}
    return arm(
        name,
        real.agent.kind,
        model=real.model,
        options=options,
        provider=provider or Chosen(kind="none"),
        env=dict(real.env),
        flags=real.flags,
        **changes,
    )


def experiment(root: Path, real: Real, *arms: ArmPlan, **plan: Any) -> World:
    return world(
        root, agent=real.agent, arms=arms, providers=(McpProvider(), SettingsProvider()), concurrency=1, **plan
    )


@pytest.mark.parametrize("kind", WITH_MCP)
def test_two_arms_that_differ_in_their_servers_alone(kind: str, installed: Give, service: Any, tmp_path: Path) -> None:
    real = installed(kind)
    base, more = arm_of(real, "base"), arm_of(real, "more", program("ok"), expect={"mcp_servers": ["sums"]})
    assert real.agent.command(base.agent, base.flags) == real.agent.command(more.agent, more.flags)
    with model_server(solves(kind)) as served:
        service(real, served)
        made = experiment(tmp_path, real, base, more)
        made.run()
    outcomes = {each.arm: each for each in made.records(Outcome)}
    assert made.records(InvalidEnvironment) == []
    assert made.records(Infrastructure) == []
    assert {name: each.verdict for name, each in outcomes.items()} == {"base": "pass", "more": "pass"}
    for each in outcomes.values():
        assert (each.ended, each.measures["environment_ok"], each.measures["files_changed"]) == ("finished", True, 1)
        assert each.versions["agent"]
        assert {"stdout", "requests", "first-request"} <= set(each.blobs)
        for digest in each.blobs.values():
            assert KEY.encode() not in made.blob(digest)
    first, second = (json.loads(made.blob(outcomes[name].blobs["first-request"])) for name in ("base", "more"))
    assert "sums" not in json.dumps(first)
    assert "sums" in json.dumps(second)
    assert KEY not in json.dumps([*served.requests])
    assert STANDS_FOR not in json.dumps([*served.requests])
    assert still_running(tmp_path) == []


@pytest.mark.parametrize("kind", WITH_MCP)
def test_an_arm_whose_server_is_broken_looks_fine_and_is_invalid(
    kind: str, installed: Give, service: Any, tmp_path: Path
) -> None:
    real = installed(kind)
    arms = (arm_of(real, "base"), arm_of(real, "more", program("exit"), expect={"mcp_servers": ["sums"]}))
    with model_server(solves(kind)) as served:
        service(real, served)
        made = experiment(tmp_path, real, *arms)
        made.run()
    refused = made.records(InvalidEnvironment)
    assert refused  # codex never begins without a required server, so the registered rule asks for more attempts
    for invalid in refused:
        assert invalid.trial == "t1/more/1"
        assert invalid.expected["mcp_servers"] == ["sums"]
        assert invalid.got["mcp_servers"] == [{"name": "sums", "status": "failed"}]
        assert invalid.measures["environment_ok"] is False
    assert [(each.arm, each.verdict) for each in made.records(Outcome)] == [("base", "pass")]


def test_mini_swe_agent_runs_and_takes_no_servers(installed: Give, service: Any, tmp_path: Path) -> None:
    real = installed("mini-swe-agent")
    with model_server(solves("mini-swe-agent")) as served:
        service(real, served)
        made = experiment(tmp_path / "runs", real, arm_of(real, "base", expect={"tools": ["bash"], "mcp_servers": []}))
        made.run()
        (outcome,) = made.records(Outcome)
        assert (outcome.verdict, outcome.measures["environment_ok"]) == ("pass", True)
        assert outcome.measures["cost"] is not None
        with pytest.raises(WorldFault, match="takes no mcp"):
            experiment(tmp_path / "refused", real, arm_of(real, "base", program("ok"))).run()


def test_skills_tools_model_and_version_are_held_against_what_was_registered(
    installed: Give, service: Any, tmp_path: Path
) -> None:
    real = installed("claude-code")
    pure = arm_of(real, "base", expect={"skills": [], "mcp_servers": [], "tools": ["Read", "Edit", "Bash"]})
    skilled = arm_of(real, "more", expect={"skills": ["none-such"]})
    with model_server(solves("claude-code", mcp("sums", "add", a=1, b=1))) as served:
        service(real, served)
        made = experiment(tmp_path, real, pure, skilled)
        made.run()
    assert [each.arm for each in made.records(Outcome)] == ["base"]
    (invalid,) = made.records(InvalidEnvironment)
    assert (invalid.expected, invalid.got) == ({"skills": ["none-such"]}, {"skills": []})


def test_another_version_is_refused_before_anything_is_claimed(installed: Give, service: Any, tmp_path: Path) -> None:
    real = installed("claude-code")
    made = experiment(tmp_path, real, arm_of(real, "base", version="1.0.0"))
    with pytest.raises(WorldFault) as raised:
        made.run()
    fault = raised.value.reasons[0]
    assert (fault.code, fault.expected) == ("agent-version", "1.0.0")
    assert "install claude-code 1.0.0" in str(fault.hint)
    assert made.records(Claimed) == []


def test_a_service_that_refuses_counts_for_no_arm(installed: Give, service: Any, tmp_path: Path) -> None:
    real = installed("claude-code")
    with model_server(Script(fault=Fault(kind="status", status=401))) as served:
        service(real, served)
        made = experiment(tmp_path, real, arm_of(real, "base"))
        made.rules = PlainRules()
        with pytest.raises(WorldFault) as raised:
            made.run()
    assert "401" in str(raised.value.reasons[0].got)
    assert made.records(Outcome) == []
    lost = made.records(Infrastructure)
    assert [each.measures["terminal_reason"] for each in lost] == ["api_error"] * 3


@pytest.mark.parametrize("read", [[], ["project"]])
def test_nothing_of_the_host_reaches_the_agent(
    read: list[str], installed: Give, service: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, host = installed("claude-code"), tmp_path / "host"
    skill = host / ".claude/skills/leaky/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: leaky\ndescription: LEAKED words of a skill\n---\nLEAKED\n")
    for place in (host / ".claude/CLAUDE.md", tmp_path / "CLAUDE.md"):  # the second one above all workspaces
        place.write_text("LEAKED words of the host\n")
    servers = {"mcpServers": {"leaky": {"command": "LEAKED", "args": []}}}
    for place in (host / ".claude.json", tmp_path / ".mcp.json"):
        place.write_text(json.dumps(servers))
    monkeypatch.setenv("HOME", str(host))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(host / ".claude"))
    options = {"settings": read} if read else {}
    with model_server(solves("claude-code")) as served:
        service(real, served)
        made = experiment(
            tmp_path, real, arm_of(real, "base", expect={"skills": [], "mcp_servers": []}, options=options)
        )
        made.run()
    assert [each.verdict for each in made.records(Outcome)] == ["pass"]
    assert served.requests
    assert "LEAKED" not in json.dumps(served.requests)
