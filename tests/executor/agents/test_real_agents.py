"""Real agents, real processes, a scripted service: how each ends in every way that a run can end, and that nothing is left of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from compiler.plan import AgentPlan
from compiler.routes import RoutesPlan
from executor.agents.programs import find
from executor.cost_route import by_route
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.turns import Turn
from ledger.errors import WorldFault
from tests.doubles.model_server import model_server
from tests.doubles.script import Script, mcp, run
from tests.executor.agents.driving import (
    BLOCKS,
    IS_ENDED,
    LEAVES_CHILDREN,
    MENDED,
    REAL,
    Real,
    failing,
    installed,
    limits,
    mend,
    order,
    play,
    sums,
)
from tests.needs import require

pytestmark = pytest.mark.agents
Give = Callable[[str], Real]
KINDS = tuple(REAL)
WITH_MCP = ("claude-code", "codex", "gemini-cli")
__all__ = ["installed"]

API = ("error", True, "api_error", "api")
CALLS_SUMS = Script(turns=[[mcp("sums", "add", a=2, b=3)]], answer="five")


@pytest.mark.parametrize("kind", KINDS)
def test_it_mends_a_program_and_what_it_left_running_is_ended(kind: str, installed: Give, tmp_path: Path) -> None:
    script = mend(tmp_path, kind)
    script = replace(script, turns=[[run(LEAVES_CHILDREN)], *script.turns])
    played = play(installed(kind), tmp_path, script)
    assert played.verdict == ("finished", True, "completed", None)
    assert played.text == MENDED
    end, asked = played.end, len(played.service.requests)
    assert (end.measures["turns"], end.measures["output_tokens"]) == (asked, 50 * asked)
    assert (end.measures["input_tokens"], end.measures["cache_read"]) == (1000 * asked, 200 * asked)
    assert sum(event.kind == "tool_call" for event in end.events) == len(script.turns)
    assert next(event.kind for event in end.events) == "session"
    assert [event.kind for event in end.events][-2:] == ["usage", "result"]
    assert (end.session["model"], end.session["mcp_servers"]) == (REAL[kind].model, [])
    if kind != "mini-swe-agent":  # its answer is what it submits
        assert end.answer == "I mended calc.py."
    left = end.measures["left_running"]
    assert isinstance(left, int)
    assert left >= 1
    assert (end.measures.get("cost") is None) is (kind in ("codex", "gemini-cli"))  # they know no prices


FAULTS = {
    "claude-code": ("401", "429", "500", "refused", "cut", "garbage"),
    "codex": ("401", "429", "500", "cut", "garbage"),
    "gemini-cli": ("401", "429", "500", "refused", "cut", "garbage"),
    "mini-swe-agent": ("401", "429", "500", "refused", "cut", "garbage"),
}


@pytest.mark.parametrize(("kind", "fault"), [(kind, fault) for kind, faults in FAULTS.items() for fault in faults])
def test_a_failing_service_is_infrastructure_and_no_failure_of_the_agent(
    kind: str, fault: str, installed: Give, tmp_path: Path
) -> None:
    script = failing("status", int(fault)) if fault.isdigit() else failing("cut" if fault == "cut" else "garbage")
    played = play(installed(kind), tmp_path, script, refused=fault == "refused")
    assert played.verdict == API
    assert played.end.failed is not None
    if fault.isdigit() and (kind, fault) != ("codex", "500"):  # which speaks of high demand
        assert fault in played.end.failed[1]
    if fault == "cut":  # what the broken call cost is not told
        assert played.end.measures.get("cost") in (None, Decimal(0))


def test_codex_waits_for_a_refused_connection_until_its_time_is_up(installed: Give, tmp_path: Path) -> None:
    played = play(installed("codex"), tmp_path, failing("status"), refused=True, limits=limits(4))
    assert played.verdict == ("timeout", False, "api_error", "api")


@pytest.mark.parametrize("kind", WITH_MCP)
def test_a_service_that_never_answers_ends_at_the_time_limit(kind: str, installed: Give, tmp_path: Path) -> None:
    played = play(installed(kind), tmp_path, failing("hang"), limits=limits(4))
    assert played.verdict == ("timeout", False, None, None)
    assert played.end.measures.get("cost") is None


def test_mini_swe_agent_says_nothing_before_its_first_answer(installed: Give, tmp_path: Path) -> None:
    played = play(installed("mini-swe-agent"), tmp_path, failing("hang"), limits=limits(8))
    assert played.verdict == ("timeout", False, None, "start")
    assert played.end.measures.get("cost") is None


NOT_LOGGED_IN = {
    "claude-code": ("api", "Not logged in"),
    "gemini-cli": ("start", "GEMINI_API_KEY"),
    "mini-swe-agent": ("api", "Missing credentials"),
}


@pytest.mark.parametrize("kind", NOT_LOGGED_IN)
def test_an_agent_that_is_not_logged_in_says_so(kind: str, installed: Give, tmp_path: Path) -> None:
    played = play(installed(kind), tmp_path, Script(), logged_in=False)
    assert played.end.failed is not None
    said = NOT_LOGGED_IN[kind]
    assert played.end.failed[0] == said[0]
    assert said[1] in played.end.failed[1]
    assert played.service.requests == []


def test_codex_is_not_started_without_credentials(installed: Give, tmp_path: Path) -> None:
    with pytest.raises(WorldFault, match="no credentials"):
        play(installed("codex"), tmp_path, Script(), logged_in=False)
    real, asked = installed("codex"), order(REAL["codex"], tmp_path, "http://127.0.0.1:1")
    with pytest.raises(WorldFault, match="SCRIPTED_KEY, which the spec names"):
        real.agent.run(replace(asked, env={}))


@pytest.mark.parametrize("kind", ["claude-code", "gemini-cli", "mini-swe-agent"])
def test_its_own_limit_of_turns(kind: str, installed: Give, tmp_path: Path) -> None:
    script = Script(turns=[[run("echo one")], [run("echo two")], [run("echo three")]], loop=True)
    played = play(installed(kind), tmp_path, script, limits=limits(60, turns=2))
    assert played.verdict == ("limit", True, "max_turns", None)
    assert len(played.service.requests) <= 3


def test_its_own_budget(installed: Give, tmp_path: Path) -> None:
    script = Script(turns=[[run("echo one")]], loop=True)
    played = play(installed("claude-code"), tmp_path, script, limits=limits(60, cost_usd=Decimal("0.005")))
    assert played.verdict == ("limit", True, "budget_exhausted", None)
    cost = played.end.measures["cost"]
    assert isinstance(cost, Decimal)
    assert cost > Decimal("0.005")  # it stops behind the call that exceeds it


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_that_is_ended_from_outside_has_no_result(kind: str, installed: Give, tmp_path: Path) -> None:
    played = play(installed(kind), tmp_path, Script(turns=[[run(IS_ENDED)]]))
    assert played.verdict == ("no-result", False, None, None)  # gemini even exits 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_time_limit_ends_it_and_all_that_it_started(kind: str, installed: Give, tmp_path: Path) -> None:
    mark = f"echo reached > {tmp_path}/workspace/reached; "
    script = Script(turns=[[run(mark + BLOCKS)]])
    seconds = {"mini-swe-agent": 15, "gemini-cli": 8}.get(kind, 5)  # to come so far on a busy machine
    played = play(installed(kind), tmp_path, script, limits=limits(seconds))
    assert played.verdict == ("timeout", False, None, None)
    assert (tmp_path / "workspace/reached").exists()


@pytest.mark.parametrize("kind", WITH_MCP)
@pytest.mark.parametrize("mode", ["ok", "slow:2"])
def test_a_server_is_connected_before_it_begins(kind: str, mode: str, installed: Give, tmp_path: Path) -> None:
    played = play(installed(kind), tmp_path, CALLS_SUMS, mcp=(sums(mode),))
    assert played.verdict == ("finished", True, "completed", None)
    assert played.end.session["mcp_servers"] == [{"name": "sums", "status": "connected"}]
    results = [event for event in played.end.events if event.kind == "tool_result"]
    assert [(event.data["error"], "SUM=5" in str(event.data["text"])) for event in results] == [(False, True)]


@pytest.mark.parametrize("kind", WITH_MCP)
def test_a_server_that_fails_is_told_though_the_run_looks_fine(kind: str, installed: Give, tmp_path: Path) -> None:
    played = play(installed(kind), tmp_path, CALLS_SUMS, mcp=(sums("exit"),))
    assert played.end.session["mcp_servers"] == [{"name": "sums", "status": "failed"}]
    if kind == "codex":  # its servers are required
        assert played.verdict == ("no-result", False, None, "start")
    else:
        assert played.end.ended == "finished"


def test_a_server_that_hangs_is_never_taken_for_connected(installed: Give, tmp_path: Path) -> None:
    claude = installed("claude-code")
    waits = play(claude, tmp_path / "waits", CALLS_SUMS, mcp=(sums("hang"),), env={"MCP_TIMEOUT": "2000"})
    assert waits.end.session["mcp_servers"] == [{"name": "sums", "status": "failed"}]
    eager = {"MCP_CONNECTION_NONBLOCKING": "1", "CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "500"}
    begins = play(claude, tmp_path / "begins", CALLS_SUMS, mcp=(sums("hang"),), env=eager)
    assert begins.end.session["mcp_servers"] == [{"name": "sums", "status": "pending"}]
    gemini = play(installed("gemini-cli"), tmp_path / "gemini", CALLS_SUMS, mcp=(sums("hang"),), limits=limits(5))
    assert gemini.verdict == ("timeout", False, None, "start")


@pytest.mark.parametrize("kind", WITH_MCP)
def test_a_task_of_two_turns_is_one_conversation_within_one_set_of_limits(
    kind: str, installed: Give, tmp_path: Path
) -> None:
    script = Script(turns=[[run("echo once")]], answer="done")
    played = play(installed(kind), tmp_path, script, turns=(Turn(prompt="And now this."),))
    assert played.verdict == ("finished", True, "completed", None)
    last = json.dumps(played.service.requests[-1])
    assert "-Mend calc.py" in last
    assert "And now this." in last
    asked = len(played.service.requests)
    assert played.end.measures["turns"] == asked == 3
    assert played.end.measures["output_tokens"] == 50 * asked
    assert set(played.end.artefacts) == {"stdout", "stderr", "stdout-2", "stderr-2"}


def test_a_price_that_the_agent_guesses_is_unknown(installed: Give, tmp_path: Path) -> None:
    claude = play(installed("claude-code"), tmp_path / "claude", Script(), model="model-of-nobody")
    assert claude.end.measures["cost"] is None
    assert claude.end.reasons["cost"] == "the agent guesses the price of model-of-nobody"


def test_its_tokens_at_the_registered_prices_give_a_cost(installed: Give, tmp_path: Path) -> None:
    prices = {"input": Decimal(2), "output": Decimal(8), "cache_read": Decimal("0.5")}
    played = play(installed("codex"), tmp_path, Script())
    routes = RoutesPlan(cost="price-table", prices="sha256:x", models={REAL["codex"].model: prices})
    agent = AgentPlan(kind="codex", version=None, model=REAL["codex"].model, limits=limits(20))
    priced = by_route(played.end, routes, agent, None)
    assert priced.measures["cost"] == Decimal("0.0025")  # 1000 x 2 + 50 x 8 + 200 x 0.5, by the million


@pytest.mark.parametrize("kind", KINDS)
def test_versions_are_asked_of_the_binary(kind: str, installed: Give, tmp_path: Path) -> None:
    real = installed(kind)
    plan = order(real, tmp_path, None).agent
    versions = real.agent.versions(plan, LocalSandbox())
    script = (Path(__file__).parents[3] / ".ci/agents").read_text()
    assert f"\n{kind.replace('-', '_')}={versions['agent']}\n" in script
    name = REAL[kind].bin.rpartition("/")[2]
    assert versions[f"program {name}"].startswith("sha256:")
    assert real.agent.versions(replace(plan, version=versions["agent"]), LocalSandbox()) == versions
    with pytest.raises(WorldFault) as raised:
        real.agent.versions(replace(plan, version="0.0.1"), LocalSandbox())
    fault = raised.value.reasons[0]
    assert (fault.code, fault.expected, fault.got) == ("agent-version", "0.0.1", versions["agent"])
    assert fault.hint is not None


def test_a_program_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(WorldFault, match="there is no program 'claude'"):
        find("claude", "claude-code", "install it")


@pytest.mark.bubblewrap
@pytest.mark.parametrize("kind", KINDS)
def test_it_works_behind_the_walls_of_bubblewrap(kind: str, installed: Give, tmp_path: Path) -> None:
    sandbox = BubblewrapSandbox()
    require(sandbox.unavailable())
    real = installed(kind)
    script = mend(Path("/"), kind)  # where the workspace is seen inside
    with model_server(script) as service:
        end = real.agent.run(order(real, tmp_path, service.url, sandbox=sandbox))
    assert (end.ended, end.terminal_reason) == ("finished", "completed")
    assert (tmp_path / "workspace/calc.py").read_text() == MENDED
