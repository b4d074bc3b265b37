"""Overhead: every arm on the same prompt that asks for nothing, a few times, in turn."""

import json
import sys
from pathlib import Path

from tests.prereg.conftest import Call
from tests.prereg.history import lay_history

AGENT = """\
import json, pathlib, sys
servers = json.loads(pathlib.Path(sys.argv[1]).read_text())["mcpServers"]
print(json.dumps({"result": "OK", "usage": {"input_tokens": 1000 + 945 * len(servers), "output_tokens": 2,
  "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}, "total_cost_usd": 0.001, "num_turns": 1, "servers": list(servers)}))
"""


def lay(root: Path, agent: str = AGENT) -> Path:
    lay_history(root)
    spec = (root / "spec.yaml").read_text()
    (root / "agent.py").write_text(agent)
    head, _, rest = spec.partition("agent:\n")
    _, _, rest = rest.partition("arms:\n")
    arms = """\
  baseline: {provider: {kind: none}}
  guide: {provider: {kind: mcp, servers: {sums: {run: [python3, sums.py]}}}}
"""
    program = f"""\
agent:
  kind: command
  version: "1"
  run: ["{sys.base_prefix}/bin/python3", "{root / "agent.py"}", "{{mcp_config}}"]
  result: {{answer: result, input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, mcp_servers: servers,
    cache_read: usage.cache_read_input_tokens, cache_write: usage.cache_creation_input_tokens, cost: total_cost_usd}}
  limits: {{time: 1 min, cost: 1 USD, turns: 10}}
sandbox: {{kind: local}}
arms:
"""
    _, _, after = rest.partition("write: {GUIDE.md: guide.md}}}\n")
    (root / "spec.yaml").write_text(head + program + arms + after)
    return root / "spec.yaml"


def test_the_overhead_of_holding_tools_is_measured_in_every_arm(tmp_path: Path, call: Call) -> None:
    spec = lay(tmp_path / "one")
    said = call("overhead", spec, "--replicates", "2", "--json")
    assert said.code == 0, said.err + said.out
    written = json.loads((spec.parent / "overhead.json").read_text())
    assert written == said.json
    assert written["differences"] == {
        "guide - baseline": {
            **written["differences"]["guide - baseline"],
            "tokens": "945",
            "cost": "0",
            "output_tokens": "0",
        }
    }
    guide = written["arms"]["guide"]
    assert guide["mean"]["tokens"] == "1947"
    assert guide["identical"]["tokens"] is True
    assert len(guide["replicates"]) == 2
    assert guide["mean"]["turns"] is None
    assert "turns" in guide["reasons"]
    assert written["simulated"] is False
    shown = call("overhead", spec, "--replicates", "1")
    assert shown.code == 0
    assert "1947" in shown.out


def test_an_attempt_that_fails_is_no_overhead(tmp_path: Path, call: Call) -> None:
    spec = lay(tmp_path / "two", agent="raise SystemExit('no licence')\n")
    said = call("overhead", spec, "--json")
    assert (said.code, said.codes) == (3, ["overhead"])
    assert "its stderr ends: no licence" in said.json["reasons"][0]["got"]
    assert not (spec.parent / "overhead.json").exists()


def test_a_simulated_agent_is_called_one(tmp_path: Path, call: Call) -> None:
    root = lay_history(tmp_path / "three")
    said = call("overhead", root, "--replicates", "1")
    assert said.code == 0, said.err
    assert "SIMULATED" in said.out


def test_a_simulated_agent_that_draws_no_end_is_told_apart_from_one_that_fails(tmp_path: Path, call: Call) -> None:
    root = lay_history(tmp_path / "five")
    spec = root / "spec.yaml"
    spec.write_text(spec.read_text().replace("{solve:", "{timeout: 100 %, solve:"))
    said = call("overhead", root, "--replicates", "1", "--json")
    assert (said.code, said.codes) == (3, ["overhead"])
    assert "a simulated agent ends as its profile draws it" in said.json["reasons"][0]["hint"]


def test_an_endpoint_net_of_the_overhead_from_measurement_to_audit(tmp_path: Path, call: Call) -> None:
    spec = lay(
        tmp_path / "four", AGENT.replace("945 * len(servers)", "(945 + 55 * (len(sys.argv[2]) > 60)) * len(servers)")
    )
    text = spec.read_text().replace('"{mcp_config}"]', '"{mcp_config}", "{prompt}"]')
    spec.write_text(text)
    assert call("overhead", spec, "--replicates", "1", "--json").code == 0
    net = "  net: {role: secondary, measure: net, per_task: mean, compare: guide - baseline, statistic: mean}\n"
    text = text.replace("measures:\n", "overhead: overhead.json\nmeasures:\n  net: tokens - overhead.tokens\n", 1)
    spec.write_text(text.replace("endpoints:\n", f"endpoints:\n{net}", 1))
    root = spec.parent
    for arguments in (
        ("harvest", root),
        ("compile", root),
        ("execute", root, "--run", "one"),
        ("analyze", root / "runs/one"),
    ):
        said = call(*arguments)
        assert said.code == 0, said.err
    verdict = json.loads((root / "runs/one/verdict.json").read_text())
    assert verdict["endpoints"]["net"]["estimate"] == -55  # the prompt that asks for nothing is the longer one
    audited = call("audit", root / "runs/one", "--json")
    assert audited.json["status"] == "verified", audited.out
    (root / "overhead.json").write_text("{}")
    assert call("check", root).code == 1
