"""The way out of a trial: under ``network: model`` nothing leads out but the proxy; arms' first requests are held against one another."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import ArmPlan, Chosen
from executor.agents.command import CommandAgent
from executor.evidence import HELD
from executor.ports import Sandbox
from executor.providers.mcp import McpProvider
from executor.providers.settings import SettingsProvider
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.way_out import STANDS_FOR
from ledger.blobs import Blobs
from ledger.errors import WorldFault
from ledger.records import Infrastructure, InvalidEnvironment, Outcome
from tests.executor.upstream import Upstream, upstream
from tests.executor.worlds import World, arm, world
from tests.needs import require

SECRET = "kk-3141592653589793"
PYTHON = f"{sys.base_prefix}/bin/python3"
AGENT = """
import json, os, pathlib, socket, sys, urllib.request
url, servers, settings, prompt = sys.argv[1:5]
servers = json.loads(pathlib.Path(servers).read_text())["mcpServers"]
settings = json.loads(pathlib.Path(settings).read_text())
context = "".join(f"{each.name}: {each.read_text()}\\n" for each in sorted(pathlib.Path().glob("*.md")))
broken = [name for name in servers if servers[name].get("command") == "missing"]
tools = [{"name": "Read"}, *({"name": f"mcp__{name}__add"} for name in servers if name not in broken), *settings.get("tools", [])]
if os.environ.get("LEAK"):
    tools.append({"name": "skill__leaked"})
body = {"model": "m", "system": f"You work here.\\n{context}", "messages": [{"role": "user", "content": prompt}], "tools": tools}
body["metadata"] = {"session": os.urandom(16).hex()}
asked = urllib.request.Request(url + "/v1/messages", json.dumps(body).encode(), {"Authorization": "Bearer " + os.environ["KEY"]})
with urllib.request.urlopen(asked, timeout=20) as answer:
    said = json.loads(answer.read())
tool = pathlib.Path("tool.py")
tool.write_text(tool.read_text().replace("41", "42"))
try:
    socket.create_connection(("1.1.1.1", 53), 0.3).close()
    way = "open"
except OSError:
    way = "shut"
listed = [{"name": name, "status": "failed" if name in broken else "connected"} for name in servers]
print(json.dumps({"result": f"network {way}, key {os.environ['KEY']}", "servers": listed if "--init" in sys.argv else None}))
"""


@pytest.fixture(params=[LocalSandbox, pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    made: Sandbox = request.param()
    require(made.unavailable())
    return made


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    monkeypatch.setenv("KEY", SECRET)
    with upstream() as served:
        yield served


def with_provider(
    name: str, service: Upstream, provider: Chosen | None = None, env: Mapping[str, str] | None = None, **options: Any
) -> ArmPlan:
    run = [PYTHON, "-c", AGENT, "{model_url}", "{mcp_config}", "{settings}", "{prompt}"]
    agent = {"run": run, "network": "model", "api": {"base_url": service.url, "key_env": "KEY"}, **options}
    return arm(name, "command", options=agent, provider=provider or Chosen(kind="none"), env=env or {})


def servers(**more: Any) -> Chosen:
    return Chosen(kind="mcp", options={"servers": {"sums": {"run": ["python3", "server.py"], **more}}})


def experiment(root: Path, *arms: ArmPlan, sandbox: Sandbox | None = None, **plan: Any) -> World:
    return world(
        root, agent=CommandAgent(), arms=arms, providers=(McpProvider(), SettingsProvider()), sandbox=sandbox, **plan
    )


def outcomes(made: World) -> dict[str, Outcome]:
    return {each.arm: each for each in made.records(Outcome)}


def test_nothing_leads_out_but_the_proxy_and_the_key_stays_outside(
    tmp_path: Path, service: Upstream, sandbox: Sandbox
) -> None:
    made = experiment(tmp_path, with_provider("base", service), sandbox=sandbox)
    made.run()
    found = outcomes(made)["base"]
    assert found.verdict == "pass", found
    assert service.seen[0][1] == "/base/v1/messages"
    assert service.seen[0][2]["authorization"] == f"Bearer {SECRET}"
    answer = made.blob(found.blobs["answer"]).decode()
    assert f"key {STANDS_FOR}" in answer
    if sandbox.kind == "bubblewrap":
        assert "network shut" in answer
    assert found.measures["input_tokens"] == 3  # the program does not say; the service did
    assert found.measures["tokens"] == 7
    assert found.measures["left_running"] == 0
    (line,) = [json.loads(each) for each in made.blob(found.blobs["requests"]).splitlines()]
    assert (line["route"], line["status"], line["path"]) == ("model", 200, "v1/messages")
    assert all(SECRET.encode() not in file.read_bytes() for file in (tmp_path / "blobs").iterdir())


def test_arms_that_differ_in_the_treatment_alone_are_valid_and_the_difference_is_kept(
    tmp_path: Path, service: Upstream, sandbox: Sandbox
) -> None:
    arms = (with_provider("base", service), with_provider("more", service, servers()))
    made = experiment(tmp_path, *arms, sandbox=sandbox)
    made.run()
    found = outcomes(made)
    assert set(found) == {"base", "more"}
    (later,) = [each for each in found.values() if HELD in each.blobs]
    (held,) = json.loads(made.blob(later.blobs[HELD])).values()
    assert held["not_registered"] == []
    assert [each["path"] for each in held["differs"]] == ["/tools/1"]
    assert "mcp__sums__add" in str(held["differs"])


def test_the_same_arm_again_asks_the_same(tmp_path: Path, service: Upstream) -> None:
    made = experiment(tmp_path, with_provider("base", service), with_provider("more", service))
    made.run()
    (held,) = [made.blob(each.blobs[HELD]) for each in outcomes(made).values() if HELD in each.blobs]
    assert [each["differs"] for each in json.loads(held).values()] == [[]]


def test_a_static_file_may_show_and_nothing_else(tmp_path: Path, service: Upstream) -> None:
    files = Chosen(kind="files", options={"write": {"GUIDE.md": "guide.md"}})
    made = experiment(tmp_path, with_provider("base", service), with_provider("more", service, files))
    digest = Blobs(tmp_path / "inputs").put(b"read me\nand be kind\n")
    made.run(plan=replace(made.plan, files={"guide.md": digest}))
    assert set(outcomes(made)) == {"base", "more"}


def test_what_the_registered_difference_does_not_explain_is_an_invalid_environment(
    tmp_path: Path, service: Upstream
) -> None:
    # A skill of the host leaks into one arm: same plan, another request.
    tools = Chosen(kind="mcp", options={"servers": {"sums": {"run": ["python3", "server.py"], "env": {"X": "1"}}}})
    leaky = [
        "python3",
        "-c",
        AGENT.replace('os.environ.get("LEAK")', '"sums" in servers'),
        *["{model_url}", "{mcp_config}", "{settings}", "{prompt}"],
    ]
    arms = (with_provider("base", service, run=leaky), with_provider("more", service, tools, run=leaky))
    made = experiment(tmp_path, *arms, concurrency=1)
    made.run()
    (invalid,) = made.records(InvalidEnvironment)
    assert "differs from that of t1/" in invalid.detail
    assert "skill__leaked" in str((invalid.expected, invalid.got))
    assert HELD in invalid.blobs


def test_settings_may_change_anything_and_are_told(tmp_path: Path, service: Upstream) -> None:
    variant = Chosen(kind="settings", options={"name": "v2", "settings": {"tools": [{"name": "Think"}]}})
    made = experiment(tmp_path, with_provider("base", service), with_provider("more", service, variant))
    made.run()
    found = outcomes(made)
    assert found["more"].versions["variant v2"].startswith("sha256:")
    assert b"Think" in made.blob(found["more"].blobs["first-request"])


@pytest.mark.parametrize("init", [[], ["--init"]])
def test_a_server_that_is_not_connected_is_an_invalid_environment(
    tmp_path: Path, service: Upstream, init: list[str]
) -> None:
    broken = Chosen(kind="mcp", options={"servers": {"sums": {"run": ["missing"]}}})
    run = [PYTHON, "-c", AGENT, "{model_url}", "{mcp_config}", "{settings}", "{prompt}", *init]
    result = {"answer": "result", "mcp_servers": "servers"} if init else {"answer": "result"}
    made = experiment(tmp_path, with_provider("more", service, broken, run=run, result=result))
    made.run()
    (invalid,) = made.records(InvalidEnvironment)
    assert invalid.expected["mcp servers in the first request"] == ["sums"]
    assert invalid.got["mcp servers in the first request"] == []


def test_a_tool_that_the_server_must_bring_is_missing(tmp_path: Path, service: Upstream) -> None:
    made = experiment(tmp_path, with_provider("more", service, servers(tools=["add", "subtract"])))
    made.run()
    assert [each.got for each in made.records(InvalidEnvironment)] == [{"mcp servers in the first request": []}]


def test_servers_by_address_are_reached_through_the_proxy(
    tmp_path: Path, service: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_TOKEN", "tt-2718281828459045")
    ask = AGENT.replace(
        "tool = pathlib",
        'address = servers["far"]["url"]; urllib.request.urlopen(address, data=b"{}", timeout=9).read()\ntool = pathlib',
    )
    run = [PYTHON, "-c", ask, "{model_url}", "{mcp_config}", "{settings}", "{prompt}"]
    far = Chosen(kind="mcp", options={"servers": {"far": {"url": f"{service.url}/mcp", "bearer": "MCP_TOKEN"}}})
    made = experiment(tmp_path, with_provider("more", service, far, run=run))
    made.run()
    assert set(outcomes(made)) == {"more"}, made.records(InvalidEnvironment)
    assert service.seen[1][1:3] == ("/base/mcp", service.seen[1][2])
    assert service.seen[1][2]["authorization"] == "Bearer tt-2718281828459045"


def test_a_treatment_that_the_agent_does_not_take_is_refused_before_anything_runs(
    tmp_path: Path, service: Upstream
) -> None:
    deaf = with_provider("more", service, servers(), run=["true"])
    made = experiment(tmp_path, deaf)
    with pytest.raises(WorldFault, match="takes no mcp"):
        made.run()


def test_a_credential_that_is_not_set_fails_the_attempt(
    tmp_path: Path, service: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEY")
    made = experiment(tmp_path, with_provider("base", service))
    with pytest.raises(WorldFault):
        made.run()
    assert "KEY is not set" in made.records(Infrastructure)[0].detail


@pytest.mark.bubblewrap
def test_a_missing_program_is_told_behind_the_forwarder_too(tmp_path: Path, service: Upstream) -> None:
    require(BubblewrapSandbox().unavailable())
    hidden = tmp_path / "hidden.sh"  # the host has it, the sandbox does not show it
    hidden.write_text("#!/bin/sh\n")
    hidden.chmod(0o755)
    made = experiment(tmp_path, with_provider("base", service, run=[str(hidden)]), sandbox=BubblewrapSandbox())
    with pytest.raises(WorldFault):
        made.run()
    assert "no program" in made.records(Infrastructure)[0].detail
