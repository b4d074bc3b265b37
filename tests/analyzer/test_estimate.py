"""Estimates on hand-made tables: comparisons, tests, intervals, breakdowns, and what to beware of."""

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.procedures import Pairs
from analyzer.procedures import test as run_test
from analyzer.verdict import Estimate
from analyzer.wording import probability
from compiler.plan import AnalysisPlan, Chosen, EndpointPlan, TaskFacts
from ledger.errors import IntegrityFault
from tests.analyzer.runs import ENDPOINTS, Shot, judged, lines_of, plan_of

GOLD = json.loads((Path(__file__).parents[1] / "gold" / "stats.json").read_text())["cases"]
COST, SOLVED, RELATIVE = ENDPOINTS[:3]
BOOTSTRAP = Chosen(kind="bootstrap-percentile", options={"level": "0.95", "resamples": 2000, "seed": 1})


def estimate(endpoint: EndpointPlan, table: list[tuple[Any, Any]], **changes: Any) -> Estimate:
    """Judge one endpoint over (baseline, neuralmind) costs or answers, one seed a task."""
    plan = replace(plan_of(tasks=len(table), seeds=1, missing=(), endpoints=(endpoint,)), **changes)
    plan = replace(plan, decision=replace(plan.decision, supported_when=(f"{endpoint.name}.n >= 0 tasks",)))

    def shots(task: str, arm: str, seed: int) -> Shot:
        found = table[int(task[1:]) - 1][arm == "neuralmind"]
        return Shot(solved=found) if isinstance(found, bool) else Shot(cost=found)

    return judged(plan, lines_of(plan, shots)).endpoints[endpoint.name]


def answers(both: int = 0, first: int = 0, second: int = 0, neither: int = 0) -> list[tuple[bool, bool]]:
    """Pairs of (baseline, neuralmind): ``first`` counts tasks that only neuralmind solves."""
    return [(True, True)] * both + [(False, True)] * first + [(True, False)] * second + [(False, False)] * neither


@pytest.mark.parametrize(
    "case", [each for each in GOLD if each["procedure"] == "median_relative_change"], ids=lambda each: each["id"]
)
def test_gold_median_relative_changes(case: Mapping[str, Any]) -> None:
    table = list(zip(case["inputs"]["baseline"], case["inputs"]["treatment"], strict=True))
    found = estimate(RELATIVE, table)
    if case["expected"].get("refuse"):
        assert found.values["estimate"] is None
        assert "baseline is 0" in found.reasons["estimate"]
        return
    assert found.values["estimate"] == case["expected"]["median"]
    assert [row["difference"] for row in found.tasks.values()] == case["expected"]["per_task"]


def test_gold_signed_rank_of_decimals_through_the_ledger() -> None:
    """In doubles this case would give 0.3203; read as decimals its ties are ties."""
    case = next(each for each in GOLD if each["id"] == "wilcoxon_signed_rank-32")
    given = case["inputs"]
    chosen = Chosen(
        kind="wilcoxon-signed-rank", options={"alternative": given["alternative"], "zeros": given["zero_method"]}
    )
    found = estimate(replace(COST, test=chosen), list(zip(given["y"], given["x"], strict=True)))
    assert found.values["p"] == case["expected"]["p"]


def test_ctxbench_over_all_tasks() -> None:
    """b = 2, c = 1 of 22: McNemar 1, Newcombe [-14.3, +23.9] pp, and the arms' counts."""
    values = estimate(SOLVED, answers(both=19, first=2, second=1)).values
    assert (values["p"], values["discordant"], values["counts"]) == (1.0, 3, {"neuralmind": 21, "baseline": 20})
    assert values["lower"] == pytest.approx(-0.143, abs=5e-4)
    assert values["upper"] == pytest.approx(0.239, abs=5e-4)
    assert values["estimate"] == pytest.approx(1 / 22)


def test_a_ceiling_is_no_equivalence_and_has_a_width() -> None:
    found = estimate(SOLVED, answers(both=8))
    assert any(note.startswith("ceiling") for note in found.notes)
    assert float(str(found.values["lower"])) < 0 < float(str(found.values["upper"]))
    assert any(note.startswith("floor") for note in estimate(SOLVED, answers(neither=8)).notes)
    assert any(note.startswith("degenerate") for note in estimate(SOLVED, answers(both=4, neither=4)).notes)


def test_no_difference_at_all_cannot_decide() -> None:
    found = estimate(replace(COST, interval=BOOTSTRAP), [("1", "1")] * 7)
    assert found.values["p"] == 1.0
    assert found.values["lower"] is None
    assert "cannot decide" in found.reasons["lower"]
    assert any("degenerate" in note for note in found.notes)


def test_one_task_has_no_interval() -> None:
    assert estimate(replace(COST, interval=BOOTSTRAP), [("1", "0.5")]).reasons["upper"].startswith("one task")


@pytest.mark.parametrize(
    "interval",
    [
        BOOTSTRAP,
        Chosen(kind="bootstrap-bca", options={**BOOTSTRAP.options, "ties": "mid"}),
        Chosen(kind="clustered-t", options={"level": "0.95"}),
    ],
)
@pytest.mark.parametrize("tasks", [2, 7])
def test_the_same_difference_everywhere_gives_no_interval(interval: Chosen, tasks: int) -> None:
    """A width of nothing would carry any claim about the sign, from two tasks on."""
    found = estimate(replace(COST, interval=interval), [("1", "0.5")] * tasks)
    assert (found.values["estimate"], found.values["lower"], found.values["upper"]) == (-0.5, None, None)
    assert "exactly the same difference" in found.reasons["upper"]
    assert any(note.startswith("degenerate") for note in found.notes)


def test_an_interval_that_has_no_width_says_so() -> None:
    few = [("1", "1")] * 19 + [("1", "0.5")]
    found = estimate(replace(COST, interval=BOOTSTRAP, statistic="median"), few)
    assert (found.values["lower"], found.values["upper"]) == (0, 0)
    assert any("no width" in note for note in found.notes)


def test_a_tail_effect_is_labelled() -> None:
    """Two of twenty tasks carry the mean; the median is zero."""
    endpoint = replace(COST, test=None, interval=Chosen(kind="clustered-t", options={"level": "0.5"}))
    table = [("1", "1")] * 12 + [("9", "1")] * 4 + [("1", "1.01")] * 4
    found = estimate(endpoint, table)
    assert float(str(found.values["upper"])) < 0
    assert found.values["median"] == 0
    assert any(note.startswith("tail effect only") for note in found.notes)
    steady = estimate(endpoint, [("2", f"1.{task}") for task in range(10, 30)])
    assert not any("tail" in note for note in steady.notes)


def test_an_interval_that_disagrees_with_the_test_says_so() -> None:
    endpoint = replace(COST, statistic="median", interval=BOOTSTRAP)
    found = estimate(endpoint, [("1", "0.9")] * 15 + [("1", "1.8")] * 5)
    assert float(str(found.values["upper"])) < 0
    assert float(str(found.values["p"])) > 0.05
    assert any(note.startswith("interval and test disagree") for note in found.notes)


def test_a_test_that_cannot_reach_its_level_says_so() -> None:
    found = estimate(COST, [("1", "0.9")] * 4)
    assert found.values["attainable_p"] == 1 / 16
    assert any("0.0625" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["newcombe-paired", "tango-score"])
def test_intervals_of_paired_shares(kind: str) -> None:
    values = estimate(
        replace(SOLVED, interval=Chosen(kind=kind, options={"level": "0.95"})), answers(10, 6, 1, 3)
    ).values
    assert float(str(values["lower"])) < float(str(values["estimate"])) < float(str(values["upper"]))


@pytest.mark.parametrize("kind", ["hodges-lehmann", "clustered-t", "bootstrap-percentile", "bootstrap-bca"])
def test_intervals_of_amounts(kind: str) -> None:
    options = (
        {"level": "0.95", "resamples": 500, "seed": 1, "ties": "mid"}
        if kind.startswith("bootstrap")
        else {"level": "0.95"}
    )
    table = [("2", f"1.{task}") for task in range(10, 30)]
    values = estimate(replace(COST, interval=Chosen(kind=kind, options=options)), table).values
    assert float(str(values["lower"])) < float(str(values["estimate"])) < float(str(values["upper"])) < 0


def test_hodges_lehmann_says_what_few_tasks_reach() -> None:
    found = estimate(
        replace(COST, interval=Chosen(kind="hodges-lehmann", options={"level": "0.95"})),
        [("2", "1"), ("2", "1.5"), ("2", "1.2")],
    )
    assert found.values["lower"] is None
    assert found.values["achieved_level"] == 0.75
    assert "0.75" in found.reasons["lower"]


def test_thousands_of_tasks_give_no_p_of_zero() -> None:
    """2^-10000 is too small for a double; nothing of it reads as zero, and Holm's correction finds a number to multiply."""
    pairs = Pairs(differences=(Fraction(-1),) * 10_000, statistic="median")
    for kind, options in (("wilcoxon-signed-rank", {}), ("sign-flip", {"resamples": 1_000, "seed": 1})):
        chosen = Chosen(kind=kind, options={"alternative": "less", **options})
        found = run_test(pairs, replace(COST, test=chosen)).values
        assert found["p"] == found["attainable_p"] == 5e-324
        assert probability(found["p"]) == "below 1e-300"
    solved = Pairs(differences=(Fraction(1),) * 10_000, statistic="mean", solved=(0, 10_000, 0, 0))
    assert run_test(solved, SOLVED).values["p"] == run_test(solved, SOLVED).values["attainable_p"] == 5e-324


def test_mcnemar_variants_and_directions() -> None:
    table = answers(10, 6, 1, 3)

    def p(kind: str, alternative: str) -> float:
        return float(
            str(
                estimate(replace(SOLVED, test=Chosen(kind=kind, options={"alternative": alternative})), table).values[
                    "p"
                ]
            )
        )

    assert p("mcnemar-exact", "two-sided") == 0.125
    assert p("mcnemar-exact", "greater") == 0.0625
    assert p("mcnemar-exact", "less") > 0.9
    assert p("mcnemar-midp", "two-sided") == 0.125 - 7 / 128
    assert p("mcnemar-midp", "greater") == 0.0625 - 7 / 256


def test_a_procedure_nobody_has_is_refused_by_name() -> None:
    for endpoint in (
        replace(COST, test=Chosen(kind="t-test")),
        replace(COST, interval=Chosen(kind="wald")),
        replace(COST, test=Chosen(kind="mcnemar-exact", options={"alternative": "less"})),
        replace(COST, compare=None, test=None, interval=Chosen(kind="newcombe-paired")),
    ):
        with pytest.raises(IntegrityFault) as refused:
            estimate(endpoint, [("1", "2")] * 3)
        assert refused.value.reasons[0].code == "plan"


def categories(plan: AnalysisPlan) -> tuple[TaskFacts, ...]:
    kinds = ("easy", "hard")
    return tuple(
        replace(task, category=kinds[place % 2], facts={"files": place, "closed": f"2026-08-0{place % 9 + 1}"})
        for place, task in enumerate(plan.tasks)
    )


def test_a_breakdown_repeats_the_estimate_within_each_level() -> None:
    plan = plan_of(tasks=8, seeds=1)
    found = estimate(replace(SOLVED, by=("category",)), answers(2, 3, 1, 2), tasks=categories(plan))
    assert set(found.by) == {"easy", "hard"}
    parts = list(found.by.values())
    assert [part["n"] for part in parts] == [4, 4]
    assert sum(int(str(part["discordant"])) for part in parts) == found.values["discordant"]
    assert all("lower" in part and "notes" in part for part in parts)


def test_where_keeps_tasks_by_their_facts() -> None:
    plan = plan_of(tasks=8, seeds=1)
    for where, n in (
        ('category == "easy"', 4),
        ("files in 2..4", 3),
        ('closed > date("2026-08-06")', 2),
        ('set == "nowhere"', 0),
        ('unheard_of == "x"', 0),
    ):
        assert estimate(replace(SOLVED, where=(where,)), answers(8), tasks=categories(plan)).values["n"] == n
    empty = estimate(replace(SOLVED, where=('set == "nowhere"',)), answers(8))
    assert empty.values["p"] is None
    assert empty.reasons["p"] == "no task is left to compare"


def test_an_endpoint_without_a_comparison_stands_for_each_arm() -> None:
    endpoint = replace(SOLVED, compare=None, test=None, interval=Chosen(kind="wilson", options={"level": "0.95"}))
    values = estimate(endpoint, answers(16, 1)).values
    assert values["counts"] == {"baseline": 16, "neuralmind": 17}
    intervals = values["intervals"]
    assert isinstance(intervals, dict)
    assert isinstance(intervals["baseline"], dict)
    assert "estimate" not in values


def test_an_arm_with_an_unknown_task_keeps_its_known_part_apart() -> None:
    endpoint = EndpointPlan(name="spent", role="secondary", unit="USD", measure="cost", per_task="only")
    found = estimate(endpoint, [("1", "2"), ("3", None), ("4", "6")])
    assert found.values["arms"] == {"baseline": pytest.approx(8 / 3), "neuralmind": None}
    assert found.values["known"] == {"arms": {"neuralmind": 4.0}, "counts": {"neuralmind": None}}
    assert found.reasons["neuralmind"] == "t02 is unknown (unknown), 1 in all"


def test_a_wilson_interval_of_an_unknown_count_is_unknown() -> None:
    endpoint = EndpointPlan(
        name="x",
        role="secondary",
        unit="share",
        per_arm="share(cost > 1 USD)",
        interval=Chosen(kind="wilson", options={"level": "0.95"}),
    )
    found = estimate(endpoint, [("1", None), ("2", "3")])
    assert found.values["intervals"]["neuralmind"] is None  # type: ignore[index, call-overload]


def test_an_interval_over_trials_says_that_repeats_are_not_tasks() -> None:
    endpoint = EndpointPlan(
        name="gold", role="secondary", unit="share", per_arm="share(solved)", interval=Chosen(kind="wilson")
    )
    plan = plan_of(tasks=3, seeds=2, endpoints=(*ENDPOINTS, endpoint))
    found = judged(plan, lines_of(plan, lambda task, arm, seed: Shot())).endpoints["gold"]
    assert any("too narrow" in note for note in found.notes)
    assert estimate(endpoint, answers(3)).notes == ()


def test_levels_of_two_facts_carry_their_names() -> None:
    plan = plan_of(tasks=8, seeds=1)
    found = estimate(replace(SOLVED, by=("category", "set")), answers(2, 3, 1, 2), tasks=categories(plan))
    assert set(found.by) == {"category=easy", "category=hard", "set=fixes"}


def test_three_arms_in_a_comparison_have_no_two_by_two_table() -> None:
    endpoint = replace(SOLVED, compare="neuralmind - baseline + 0 * baseline", test=None, interval=None)
    assert estimate(endpoint, answers(2, 1)).values["counts"] == {"baseline": 2, "neuralmind": 3}
    doubled = replace(SOLVED, compare="2 * neuralmind - baseline", test=None, interval=None)
    assert "counts" not in estimate(doubled, answers(2, 1)).values


def test_a_text_can_be_shown_for_each_task() -> None:
    endpoint = EndpointPlan(
        name="quality", role="primary", unit="text", measure="verdict", per_task="only", show="each-task"
    )
    found = estimate(endpoint, answers(1, 1))
    assert found.tasks == {
        "t01": {"baseline": "pass", "neuralmind": "pass"},
        "t02": {"baseline": "fail", "neuralmind": "pass"},
    }


def test_values_of_an_arm_over_all_its_trials() -> None:
    def arms(expression: str, table: list[tuple[Any, Any]], **changes: Any) -> Any:
        return estimate(
            EndpointPlan(name="x", role="secondary", unit="USD", per_arm=expression, **changes), table
        ).values

    costs = [("1", "2"), ("3", "2.5")]
    assert arms("sum(cost) / count(solved)", costs)["arms"] == {"baseline": 2.0, "neuralmind": 2.25}
    assert arms("median(cost)", costs)["arms"] == {"baseline": 2.0, "neuralmind": 2.25}
    assert arms("count(cost > 1 USD)", costs)["arms"] == {"baseline": 1.0, "neuralmind": 2.0}
    shares = arms("share(solved)", answers(6, 2), interval=Chosen(kind="wilson", options={"level": "0.95"}))
    assert shares["arms"] == {"baseline": 0.75, "neuralmind": 1.0}
    assert shares["intervals"]["neuralmind"]["upper"] == 1.0
    unsolved = estimate(
        EndpointPlan(name="x", role="secondary", unit="USD", per_arm="sum(cost) / count(solved)"), answers(neither=3)
    )
    assert unsolved.values["arms"] == {"baseline": None, "neuralmind": None}
    assert "divides by zero" in unsolved.reasons["baseline"]


def test_an_unknown_trial_leaves_the_known_part_of_a_total() -> None:
    endpoint = EndpointPlan(name="x", role="secondary", unit="USD", per_arm="sum(cost)")
    found = estimate(endpoint, [("1", None), ("2", "3")])
    assert found.values["arms"] == {"baseline": 3.0, "neuralmind": None}
    assert found.values["known"] == {"arms": {"neuralmind": 3.0}}
    unknown = estimate(replace(endpoint, per_arm="count(not known(cost))"), [("1", None), ("2", "3")])
    assert unknown.values["arms"] == {"baseline": 0.0, "neuralmind": 1.0}


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=2, max_size=8))
def test_swapping_the_arms_mirrors_the_estimate(cents: list[tuple[int, int]]) -> None:
    endpoint = replace(
        COST, test=Chosen(kind="wilcoxon-signed-rank", options={"alternative": "two-sided", "zeros": "wilcox"})
    )
    table = [(f"0.{one:02}", f"0.{two:02}") for one, two in cents]
    there, back = estimate(endpoint, table), estimate(endpoint, [(two, one) for one, two in table])
    assert there.values["p"] == back.values["p"]
    assert there.values["estimate"] == pytest.approx(-float(str(back.values["estimate"])), abs=1e-15)


@given(st.lists(st.sampled_from([(True, True), (True, False), (False, True), (False, False)]), min_size=1, max_size=9))
def test_counts_add_up(pairs: list[tuple[bool, bool]]) -> None:
    found = estimate(SOLVED, pairs)
    counts, signs = found.values["counts"], found.values["signs"]
    assert isinstance(counts, dict)
    assert isinstance(signs, dict)
    assert int(str(counts["neuralmind"])) - int(str(counts["baseline"])) == int(str(signs["above"])) - int(
        str(signs["below"])
    )
    assert int(str(signs["above"])) + int(str(signs["below"])) == found.values["discordant"]
    assert sum(int(str(each)) for each in signs.values()) == found.values["n"] == len(pairs)
