"""Real agents led through the recording proxy, without a network of their own: two arms that differ in an MCP server and nothing else."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from compiler.plan import ArmPlan, Chosen
from compiler.routes import RoutesPlan
from compiler.steps import CancelPlan, RepairsPlan, StepPlan
from executor.evidence import HELD
from executor.providers.mcp import McpProvider
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from ledger.blobs import Blobs
from ledger.records import Infrastructure, InvalidEnvironment, Outcome
from tests.doubles.model_server import ModelServer, model_server
from tests.doubles.script import Script, run
from tests.executor.agents.driving import KEY, REAL, Real, installed
from tests.executor.worlds import LIMITS, World, arm, world
from tests.needs import require

Give = Callable[[str], Real]
__all__ = ["installed"]  # a fixture

SERVER = Path(__file__).parents[1] / "doubles/mcp_server.py"
MENDS = Script(turns=[[run("sed -i s/41/42/ tool.py")]])


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    require(BubblewrapSandbox().unavailable())
    with model_server(MENDS) as served:
        monkeypatch.setenv("SCRIPTED_KEY", KEY)
        yield served


def two_arms(root: Path, kind: str, mode: str, monkeypatch: pytest.MonkeyPatch, served: ModelServer) -> World:
    real = REAL[kind]
    monkeypatch.setenv("SCRIPTED_URL", served.url + real.path)
    options = {"api": {"key_env": "SCRIPTED_KEY", "base_url_env": "SCRIPTED_URL"}, "network": "model"}
    servers = {"sums": {"run": ["python3", "{files}/mcp_server.py", mode], "tools": ["add"]}}
    mcp = Chosen(kind="mcp", options={"servers": servers, "files": {"mcp_server.py": "mcp_server.py"}})

    def made(name: str, provider: Chosen) -> ArmPlan:
        return arm(
            name,
            kind,
            provider=provider,
            options=options,
            model=real.model,
            env=real.env,
            flags=real.flags,
            limits=LIMITS,
        )

    files = {"mcp_server.py": Blobs(root / "inputs").put(SERVER.read_bytes())}
    arms = (made("base", Chosen(kind="none")), made("more", mcp))
    return world(
        root,
        agent=real.agent,
        arms=arms,
        providers=(McpProvider(),),
        sandbox=BubblewrapSandbox(),
        files=files,
        concurrency=1,
    )


@pytest.mark.bubblewrap
@pytest.mark.parametrize("kind", ["claude-code", "codex"])
def test_two_arms_differ_in_the_server_alone(
    kind: str, installed: Give, service: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(kind)
    made = two_arms(tmp_path, kind, "ok", monkeypatch, service)
    made.run()
    found = {each.arm: each for each in made.records(Outcome)}
    assert set(found) == {"base", "more"}, (made.records(InvalidEnvironment), made.records(Infrastructure))
    assert [each.verdict for each in found.values()] == ["pass", "pass"]
    (held,) = [json.loads(made.blob(each.blobs[HELD])) for each in found.values() if HELD in each.blobs]
    (compared,) = held.values()
    assert compared["differs"]
    assert compared["not_registered"] == []
    assert all(KEY.encode() not in file.read_bytes() for file in (tmp_path / "blobs").iterdir())


@pytest.mark.bubblewrap
@pytest.mark.parametrize("kind", ["claude-code"])
def test_a_server_that_fails_makes_the_environment_invalid(
    kind: str, installed: Give, service: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(kind)
    made = two_arms(tmp_path, kind, "exit", monkeypatch, service)
    made.run()
    assert [each.arm for each in made.records(Outcome)] == ["base"]
    (invalid,) = made.records(InvalidEnvironment)
    assert invalid.expected["mcp_servers"] == ["sums"]
    assert invalid.got["mcp_servers"] == [{"name": "sums", "status": "failed"}]


@pytest.mark.slow
@pytest.mark.bubblewrap
@pytest.mark.parametrize("kind", ["claude-code", "codex", "gemini-cli", "mini-swe-agent"])
def test_the_providers_records_and_the_agents_own_tokens_come_to_one_cost(
    kind: str, installed: Give, service: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(kind)
    prices = {name: Decimal(price) for name, price in (("input", "3"), ("output", "15"), ("cache_read", "0.3"))}
    model = REAL[kind].model
    models = dict.fromkeys((model, model.partition("/")[2]), prices)  # some name the service beside the model
    costs = {}
    for route in ("provider-usage", "price-table"):
        made = two_arms(tmp_path / route, kind, "ok", monkeypatch, service)
        routes = RoutesPlan(cost=route, prices="sha256:p", models=models)
        made.plan = replace(made.plan, routes=routes, trials=made.plan.trials[:1])
        asked = len(service.requests)
        made.run()
        (found,) = made.records(Outcome)
        costs[route] = (found.measures["cost"], found.reasons.get("cost"))
        asked = len(service.requests) - asked
    each = (1000 * 3 + 50 * 15 + 200 * Decimal("0.3")) / 1_000_000  # what the service says of every answer
    assert costs == dict.fromkeys(costs, (str((asked * each).normalize()), None))


@pytest.mark.bubblewrap
@pytest.mark.parametrize("kind", ["claude-code", "codex", "gemini-cli"])
def test_a_cancel_a_new_run_and_a_repair_behind_walls(
    kind: str, installed: Give, service: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt reaches the agent through the sandbox and the forwarder beside it; what it had started is ended with it."""
    installed(kind)
    sleeps = "setsid nohup sleep 300 >/dev/null 2>&1 & sleep 20; sed -i s/41/42/ tool.py"
    service.script = Script(
        turns=[[run(sleeps)]],
        answer="Done.",
        when={"It does not pass": Script(turns=[[run("true")], *MENDS.turns]), "Finish it": Script(answer="Done.")},
    )
    made = two_arms(tmp_path, kind, "ok", monkeypatch, service)
    inputs = Blobs(tmp_path / "inputs")
    steps = (StepPlan(cancel=CancelPlan(after="shell")), StepPlan(new_run=inputs.put(b"Finish it.")))
    task = replace(made.plan.tasks[0], steps=steps)
    repairs = RepairsPlan(at_most=1, say=inputs.put(b"It does not pass."))
    trials = tuple(each for each in made.plan.trials if (each.arm, each.task) == ("base", task.id))
    made.plan = replace(made.plan, tasks=(task,), trials=trials[:1], repairs=repairs)
    begin = time.monotonic()
    made.run()
    (found,) = made.records(Outcome)
    assert (found.verdict, found.ended) == ("pass", "finished")
    assert (found.measures["repairs"], found.measures["first_verdict"]) == (1, "fail")
    assert {"stdout", "stdout-2", "stdout-3"} <= set(found.blobs)
    assert time.monotonic() - begin < 20
