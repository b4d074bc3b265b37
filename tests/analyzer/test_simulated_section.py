"""A registered simulation on the page: its two rates, its worlds, its intervals, its curve; marked as simulated everywhere."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from analyzer.report import page, render
from compiler.operating import Condition, Coverage, Rate, Scenario, Simulation, Spend, decode, encode, rate
from compiler.worlds import Kind
from tests.analyzer.runs import cheaper, plan_of, records_of
from tests.analyzer.test_report import TEMPLATES, document

PROFILES = {
    "baseline": {"solve": "0.8", "cost": {"median": "0.42", "spread": "0.35"}, "timeout": "0.01"},
    "neuralmind": {"solve": "0.82", "cost": {"median": "0.3", "spread": "0.35"}, "turns": 18},
}


def scenario(name: str, kind: Kind, supported: int, share: str | None, of: int = 2000) -> Scenario:
    claim = kind != "null"
    covered = Coverage(
        endpoint="relative_cost",
        arm="",
        interval="bootstrap-percentile",
        level=Decimal("0.95"),
        unit="share",
        truth=Decimal("-0.281"),
        truth_error=Decimal("0.0021"),
        covered=rate(of - supported // 9 - 90, of),
        below=40,
        above=50,
        none=3,
    )
    return Scenario(
        name=name,
        kind=kind,
        claim=claim,
        says=f"the world of {name}",
        share=None if share is None else Decimal(share),
        experiments=of,
        arms=PROFILES,
        supported=rate(supported, of),
        not_supported=rate(of - supported, of),
        no_verdict=rate(0, of),
        conditions=(Condition(text="cost.p < 0.05", holds=supported, fails=of - supported, unknown=0),),
        coverage=(covered,),
        spend=Spend(
            known_usd=Decimal("52.3"), attempts=Decimal("123.4"), unknown=Decimal("1.2"), most_usd=Decimal("54.7")
        ),
    )


def simulation() -> Simulation:
    scenarios = (
        scenario("as_assumed", "assumed", 1642, "1"),
        scenario("no_difference", "null", 31, "0"),
        scenario("cheaper_solves_fewer", "null", 55, None),
        scenario("fewer_failures_only", "null", 28, None),
        scenario("effect_50", "effect", 210, "0.5", 500),
        scenario("effect_150", "effect", 489, "1.5", 500),
    )
    return Simulation(
        experiment="neuralmind",
        design="sha256:0",
        seed=7,
        experiments=2000,
        resamples=2000,
        tasks=20,
        trials=120,
        control="baseline",
        treatment="neuralmind",
        assumptions={},
        assumptions_digest="sha256:1",
        power=scenarios[0].supported,
        false_positives=scenarios[2].supported,
        worst="cheaper_solves_fewer",
        scenarios=scenarios,
        notes=("the assumptions say nothing of what turns measures",),
    )


def written(found: Simulation | None, **size: str) -> dict[str, str]:
    plan = plan_of(tasks=6, sample_size={"rationale": "power", "simulation": "simulation.json", **size})
    return render(replace(document(plan, records_of(plan, cheaper)), simulation=found), TEMPLATES)


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    return written(decode(encode(simulation())), power="0.8", false_positive="0.05")


def section(text: str) -> str:
    return text.split("## What the rule was simulated to do")[1].split("\n## ", maxsplit=1)[0]


def test_the_two_rates_stand_beside_what_was_claimed(shown: dict[str, str]) -> None:
    text = section(shown["report.md"])
    assert "SIMULATED before the run, from assumptions: 20 tasks, 120 trials" in text
    assert "| power, where the assumption is true | 0.821 ± 0.009 | at least 0.8 |" in text
    assert "| false positives, at most, in cheaper_solves_fewer | 0.028 ± 0.004 | at most 0.05 |" in text
    assert "2000 experiments in each world, 500 at a point of the grid; seed 7" in text
    assert "- the assumptions say nothing of what turns measures" in text


def test_every_world_and_interval_has_its_row(shown: dict[str, str]) -> None:
    text = section(shown["report.md"])
    for each in simulation().scenarios:
        assert re.search(
            rf"^\| `{each.name}` \| .* \| {'true' if each.claim else 'false'} \| 0\.\d+ ± 0\.\d+ \|", text, re.MULTILINE
        )
    assert "52.30 USD, 54.70 at most" in text
    assert "| `relative_cost` | bootstrap-percentile, 95 % | -28.1 % ± 0.2 % | 0.864 ± 0.008 |" in text
    assert "| cost | median 0.42, spread 0.35 | median 0.3, spread 0.35 |" in text
    assert "| turns | none | 18 |" in text


def test_the_curve_is_told_in_words_and_says_that_it_is_simulated(shown: dict[str, str]) -> None:
    (figure,) = [name for name in shown if name.endswith("figure-power.svg")]
    assert "SIMULATED" in shown[figure]
    for said in ("0 % of the difference: 0.016", "100 % of the difference: 0.821", "where the claim is false: 0.028"):
        assert said in shown[figure]
        assert said in shown["report.html"]
    assert shown["report.html"].count('id="figure-power-title"') == 1


def test_without_one_the_page_says_so() -> None:
    text = section(written(None)["report.md"])
    assert "No simulation of this rule is registered" in text
    assert "SIMULATED" not in text


def test_a_simulation_of_two_worlds_has_no_curve_and_no_claim() -> None:
    found = simulation()
    few = replace(found, scenarios=found.scenarios[2:4], power=Rate(count=0, of=0, rate=None, error=None), worst="")
    plan = plan_of(tasks=6, sample_size={"rationale": "budget"})
    shown = page(replace(document(plan, records_of(plan, cheaper)), simulation=few))
    (told,) = [each for each in shown.sections if each.id == "simulated"]
    assert told.figures == ()
    assert [row[2].text for row in told.tables[0].rows] == ["no claim", "no claim"]
    assert told.tables[0].rows[0][1].text == "none"
