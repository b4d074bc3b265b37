"""The rules of the outcome frontier on the command line: routes of cost, void matrices, retries, post-hoc endpoints, estimates."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.executor.test_way_out import AGENT
from tests.executor.upstream import Upstream, upstream
from tests.prereg.conftest import Call
from tests.prereg.laying import lay_experiment, run_by_hand
from tests.prereg.test_command_agent import DONE, hand_to, harvested_kit, records, road
from tests.prereg.test_compile import edit

__all__ = ["harvested_kit", "road"]

PRICES = 'currency: USD\nas_of: "2026-11-01"\nmodels:\n  {}: {{input: 1000, output: 1000}}\n'


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    monkeypatch.setenv("KEY", "kk-3141592653589793")
    with upstream() as served:
        yield served


def ask_the_service(root: Path, service: Upstream, model: str) -> None:
    """Let the agent ask a model through the harness's proxy, and measure costs by what the model's answers say."""
    run = [
        f"{sys.base_prefix}/bin/python3",
        "-c",
        WITHOUT_TOOL,
        "{model_url}",
        "{mcp_config}",
        "{settings}",
        "{prompt}",
    ]
    hand_to(root, run, sandbox="local")
    spec = root / "spec.yaml"
    edit(spec, '"network": "none"', f'"network": "model", "api": {{"base_url": "{service.url}", "key_env": "KEY"}}')
    edit(spec, "\nmeasures:\n", "\nroutes: {cost: provider-usage, prices: prices.yaml}\nmeasures:\n")
    (root / "prices.yaml").write_text(PRICES.format(model))


WITHOUT_TOOL = "\n".join(
    line for line in AGENT.splitlines() if not line.startswith(("tool = pathlib", "tool.write_text", "context ="))
).replace("{context}", "")


def test_costs_come_from_the_providers_answers_and_the_route_stands_everywhere(
    road: Path, call: Call, service: Upstream
) -> None:
    ask_the_service(road, service, "m")
    assert call("compile", road, "--json").code == 0
    plan = json.loads(next(road.glob("registry/*/plan.json")).read_text())
    assert plan["run"]["routes"]["models"] == {"m": {"input": "1000", "output": "1000"}}
    digest = plan["analysis"]["routes"]["prices"]
    said = call("execute", road, "--run", "one", "--json")
    assert said.code == 0, said.out
    run = road / "runs" / "one"
    found = records(run, "outcome")
    assert {each["measures"]["cost"] for each in found} == {"0.007"}  # 3 tokens read, 4 written
    assert {each["versions"]["cost route"] for each in found} == {f"provider-usage, prices {digest}"}
    judged = call("analyze", run, "--json")
    assert judged.code == 0, judged.out
    assert judged.json["routes"] == plan["analysis"]["routes"]
    assert judged.json["not_compared"] == {}
    report = (run / "report.md").read_text()
    assert "provider-usage" in report
    assert f"Prices of tokens as of 2026-11-01, from prices.yaml, {digest}" in report
    assert call("audit", run).code == 0
    (road / "prices.yaml").write_text(PRICES.format("m").replace("1000", "2000"))
    assert call("amend", road, "--reason", "the costs looked low", "--json").code == 0
    assert call("execute", road, "--run", "two", "--json").code == 0
    late = call("analyze", road / "runs" / "two", "--json").json["post_hoc"]
    assert list(late) == ["cost"]
    assert late["cost"].startswith("changed in 0002-")
    compared = call("compare", run, road / "runs" / "two", "--json").json
    assert compared["notes"][0].startswith("costs are not compared: provider-usage, prices sha256:")
    assert all("cost" not in arm["measures"] and "time" in arm["measures"] for arm in compared["arms"].values())
    (road / "prices.yaml").write_text(PRICES.format("m").replace("1000", "3000"))
    said = call("audit", run, "--json")
    assert (said.code, next(each["code"] for each in said.json["reasons"])) == (4, "spec-changed")


def test_a_cost_that_nobody_knows_is_compared_with_nothing_and_said_so(
    road: Path, call: Call, service: Upstream
) -> None:
    ask_the_service(road, service, "another")
    assert call("compile", road, "--json").code == 0
    assert call("execute", road, "--run", "one", "--json").code == 0
    run = road / "runs" / "one"
    found = records(run, "outcome")
    assert {each["measures"]["cost"] for each in found} == {None}
    assert {each["reasons"]["cost"] for each in found} == {"the price table has no price of m"}
    judged = call("analyze", run, "--json").json
    assert "the price table has no price of m" in judged["not_compared"]["cost"]
    shown = call("analyze", run).out
    assert "not compared: cost: " in shown
    assert "There is no comparison of costs: no arm has a measured cost." in (run / "report.md").read_text()
    assert call("audit", run).code == 0


def test_a_price_table_that_is_not_there_or_is_none(road: Path, call: Call, service: Upstream) -> None:
    ask_the_service(road, service, "m")
    (road / "prices.yaml").write_text("currency: EUR\nas_of: soon\nmodels: {m: {input: -1}}\n")
    said = call("compile", road)
    assert said.code == 1
    for word in ("prices.yaml:1:", "prices.yaml:2:", "prices.yaml:3:"):
        assert word in said.err, said.err
    (road / "prices.yaml").unlink()
    said = call("compile", road, "--json")
    assert (said.code, said.codes) == (1, ["P931"])


def test_a_tool_that_changes_under_the_run_stops_it_and_is_a_deviation(road: Path, call: Call, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    edit(road / "spec.yaml", "concurrency: 2", "concurrency: 1")
    text = f"#!/bin/sh\necho '{DONE}'\n"
    updates = f"{text}sed -i 's/^#!.*/#!\\/bin\\/sh -u/' {program}\n"  # it updates itself while it works
    hand_to(road, [str(program)], sandbox="local")
    assert call("compile", road, "--json").code == 0
    program.write_text(updates)
    program.chmod(0o755)
    said = call("execute", road, "--run", "one", "--json")
    assert (said.code, said.codes) == (3, ["versions-mixed"])
    run = road / "runs" / "one"
    (deviation,) = records(run, "deviation")
    assert "changed within the run, at attempt 1 of " in deviation["what"]
    assert "program agent sha256:" in deviation["reason"]
    assert len(records(run, "outcome")) == 1
    again = call("execute", road, "--run", "one", "--json")
    assert (again.code, again.codes) == (3, ["versions-mixed"])
    assert call("analyze", run).code == 5, "the matrix is not finished, and no other version can finish it"
    # The first version, kept from updating itself, finishes the run; the deviation stays.
    program.write_text(updates)
    program.chmod(0o555)
    assert call("status", run).code == 0


@pytest.mark.parametrize("verb", ["analyze", "audit"])
def test_a_ledger_of_several_versions_is_refused_and_its_trials_named(tmp_path: Path, call: Call, verb: str) -> None:
    root = lay_experiment(tmp_path / "small")
    assert call("compile", root, "--json").code == 0
    odd = ""

    def versions(trial: Any) -> dict[str, str]:
        nonlocal odd
        if trial.arm == "guide" and not odd:
            odd = trial.id
        return {"agent": "2" if trial.id == odd else "1"}

    run = run_by_hand(root, versions=versions)
    said = call(verb, run, "--json")
    assert said.code == 4, said.out
    reason = next(each for each in said.json["reasons"] if each["code"] == "versions-mixed")
    assert reason["got"] == f"2: {odd}"
    assert not (run / "verdict.json").exists()


def test_a_second_run_is_another_experiment_and_says_so(experiment: Path, call: Call) -> None:
    first = json.loads((experiment / "runs" / "one" / "head.json").read_text())["head"]
    run = run_by_hand(experiment, "two")
    (opened,) = records(run, "opened")
    assert [(each["run"], each["head"], each["outcomes"]) for each in opened["earlier"]] == [("one", first, 16)]
    judged = call("analyze", run, "--json").json
    assert any(each.startswith("RETRY EXPERIMENT: this is run 2 of 0001-") for each in judged["warnings"])
    report = (run / "report.md").read_text()
    assert first in report
    assert call("audit", run).code == 0
    assert not [
        each for each in call("analyze", experiment / "runs" / "one", "--json").json["warnings"] if "RETRY" in each
    ]


def test_an_oracle_and_a_draw_that_were_changed_after_outcomes_were_seen_are_post_hoc(
    analyzed: Path, call: Call
) -> None:
    root = analyzed.parent.parent
    edit(root / "spec.yaml", "      pass: [", "      pass: [fixed.count >= 0, ")
    assert call("amend", root, "--reason", "the oracle looked hard", "--json").code == 0
    edit(root / "spec.yaml", "take: 8", "take: 7")
    assert call("amend", root, "--reason", "one task looked odd", "--json").code == 0
    judged = call("analyze", run_by_hand(root, "two"), "--json").json
    told = judged["post_hoc"]
    assert {"solved", "the oracle of fixes", "the tasks of fixes"} <= set(told)
    assert "the oracle looked hard" in told["solved"]
    assert "one task looked odd" in told["the tasks of fixes"]
    assert "cost" not in told


def test_an_endpoint_that_was_added_after_outcomes_were_seen_is_post_hoc(analyzed: Path, call: Call) -> None:
    root = analyzed.parent.parent
    edit(root / "spec.yaml", "\ndecision:", "  effort: {role: secondary, per_arm: mean(turns)}\n\ndecision:")
    edit(root / "spec.yaml", 'solved: verdict == "pass"', 'solved: verdict in ["pass", "partial"]')
    assert call("amend", root, "--reason", "the guide's trials looked short", "--json").code == 0
    run = run_by_hand(root, "two")
    judged = call("analyze", run, "--json").json
    assert set(judged["post_hoc"]) == {"effort", "solved"}
    assert judged["post_hoc"]["effort"].startswith("added in 0002-")
    assert judged["post_hoc"]["solved"].startswith("changed in 0002-")
    assert all("the guide's trials looked short" in each for each in judged["post_hoc"].values())
    assert "post hoc: effort: added in 0002-" in call("analyze", run).out
    report = (run / "report.md").read_text()
    assert "| `effort` | secondary, post hoc |" in report
    first = report.partition("## What to know first")[2].partition("\n## ")[0]
    assert "- post hoc: effort: added in 0002-" in first
    assert "- post hoc: solved: changed in 0002-" in first
    assert call("audit", run).code == 0
    assert call("analyze", analyzed, "--json").json["post_hoc"] == {}


def test_an_estimate_is_labelled_where_it_is_made_and_where_it_is_held_against_the_run(
    tmp_path: Path, call: Call
) -> None:
    root = lay_experiment(tmp_path / "small")
    edit(root / "spec.yaml", "{total: 60 USD}", "{total: 60 USD, estimate: 4 USD..9 USD, estimate_time: 30 min..2 h}")
    said = call("compile", root)
    assert said.code == 0, said.err
    assert "likely 4 to 9 USD, 0.5 to 2 h" in said.out
    assert "the author's own estimate" in said.out
    again = call("compile", root, "--json").json["author_estimate"]
    assert (again["usd"], again["s"]) == (["4", "9"], ["1800", "7200"])
    run = run_by_hand(root)
    assert call("analyze", run).code == 0
    report = (run / "report.md").read_text()
    assert "4 USD to 9 USD" in report
    assert "estimated by the author before the run" in report


def test_how_each_tool_was_driven_and_what_it_was_granted_is_recorded(tmp_path: Path, call: Call) -> None:
    root = lay_experiment(tmp_path / "small")
    edit(root / "spec.yaml", "  baseline: {provider", "  baseline: {accommodations: [a pseudo-terminal], provider")
    edit(root / "spec.yaml", "\nthreats:", "\nunscored: {maintainability: no checker tells}\nthreats:")
    assert call("compile", root).code == 0
    run = run_by_hand(root)
    (opened,) = records(run, "opened")
    assert opened["commands"]["baseline"] == ["simulated", "--model", "simulated-model"]
    assert call("analyze", run).code == 0
    report = (run / "report.md").read_text()
    assert "| baseline | `simulated --model simulated-model` | a pseudo-terminal |" in report
    assert "| guide | `simulated --model simulated-model` | none |" in report
    assert "| maintainability | no checker tells |" in report
