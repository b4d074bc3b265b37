"""Reading aids: sturdiness against what is missing and against seeds, remedies of nulls, rates, and carried effects."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.document import facts
from analyzer.fragility import fragility
from analyzer.frame import frame
from analyzer.missing import Settled, settle
from analyzer.notes import CARRIES
from analyzer.nulls import NO_EFFECT, ODD, reading
from analyzer.rates import apart, changed, disagreement, over_k, rate, side_by_side, tries
from analyzer.sections.course import _drift
from analyzer.sensitivity import scenarios
from analyzer.verdict_file import encode
from compiler.plan import AnalysisPlan, Chosen
from tests.analyzer.runs import Shot, cheaper, judged, lines_of, plan_of, records_of, trials_of
from tests.analyzer.test_report import document, written


def settled(plan: AnalysisPlan, shots: Callable[[str, str, int], Shot]) -> tuple[Settled, ...]:
    return settle(plan, frame(plan, lines_of(plan, shots), trials_of(plan)))


def test_nothing_missing_needs_no_worst_case() -> None:
    plan = plan_of(tasks=6)
    assert scenarios(plan, settled(plan, cheaper)) == ()
    assert "| worst cases | SUPPORTED | nothing is missing |" in written(plan)


def test_a_verdict_that_hangs_on_what_is_missing_says_so() -> None:
    """Two timeouts of the baseline are registered as not solved; were they solved, the treatment would solve too few."""
    plan = plan_of(tasks=8, seeds=1)

    def shots(task: str, arm: str, seed: int) -> Shot:
        if arm == "baseline" and task in ("t01", "t02"):
            return Shot(cost=None, ended="timeout", solved=False)
        if arm == "neuralmind" and task in ("t01", "t02"):
            return Shot(cost="0.5", solved=False)
        return cheaper(task, arm, seed)

    assert judged(plan, lines_of(plan, shots)).status == "supported"
    found = {each.against: each.status for each in scenarios(plan, settled(plan, shots))}
    assert found == {"baseline": "supported", "neuralmind": "not_supported"}
    text = written(plan, records_of(plan, shots))
    assert "| everything missing against neuralmind | NOT SUPPORTED | the verdict hangs on what is missing |" in text
    assert "**Missing data: 2 trials decided by a rule or unknown" in text


def test_only_what_is_missing_is_taken_badly() -> None:
    """A trial of unknown cost that solved its task solved it: that is measured, and stays."""
    plan = plan_of(tasks=8, seeds=1, missing=())
    shots = lambda task, arm, _: Shot(cost=None if task == "t01" and arm == "neuralmind" else "1")  # noqa: E731  # one line says it
    found = {each.against: each.endpoints for each in scenarios(plan, settled(plan, shots))}
    for against in ("baseline", "neuralmind"):
        assert found[against]["solved"].values["counts"] == {"baseline": 8, "neuralmind": 8}
        assert found[against]["cost"].values["unknown"] == 0


@given(st.integers(0, 2**20))
@settings(max_examples=15)
def test_bounds_enclose_the_verdict(seed: int) -> None:
    """A rule that holds with everything missing against the treatment holds as registered too."""
    plan = plan_of(tasks=6, seeds=1)

    def shots(task: str, arm: str, _: int) -> Shot:
        bit = seed >> (int(task[1:]) * 2 + (arm == "baseline")) & 1
        return Shot(cost=None, ended="timeout", solved=False) if bit else cheaper(task, arm, 1)

    found = {each.against: each.status for each in scenarios(plan, settled(plan, shots))}
    if found.get("neuralmind") == "supported":
        assert judged(plan, lines_of(plan, shots)).status == "supported"


def weighed(cut: str, resamples: int | None = 200, statistic: str = "median", **more: object) -> object:
    plan = plan_of(tasks=12)
    options = {"level": "0.95", "resamples": resamples, "seed": 3, **more}
    interval = Chosen(kind="bootstrap-percentile", options=options)
    endpoints = (replace(plan.endpoints[2], interval=interval, statistic=statistic),)
    plan = replace(plan, endpoints=endpoints, decision=replace(plan.decision, supported_when=(cut,)), sample_size={})
    known = facts(document(plan, records_of(plan, cheaper)))
    verdict = known.document.verdict
    return fragility(
        endpoints[0], known.pairings["relative_cost"], verdict.endpoints["relative_cost"], verdict.conditions
    )


def test_seeded_intervals_of_a_breakdown_are_weighed_too() -> None:
    plan = plan_of(tasks=12)
    tasks = tuple(
        replace(task, category="odd" if place % 2 else "even", facts={"category": "odd" if place % 2 else "even"})
        for place, task in enumerate(plan.tasks)
    )
    options = {"level": "0.95", "resamples": 200, "seed": 3}
    interval = Chosen(kind="bootstrap-percentile", options=options)
    endpoints = (replace(plan.endpoints[2], interval=interval, by=("category",)),)
    decision = replace(plan.decision, supported_when=("relative_cost.upper < 0.5",))
    plan = replace(plan, tasks=tasks, endpoints=endpoints, decision=decision, sample_size={})
    known = facts(document(plan, records_of(plan, cheaper)))
    assert [each.name for each in known.weighed] == ["relative_cost", "relative_cost (even)", "relative_cost (odd)"]
    assert all(each.ideal is not None for each in known.weighed)
    assert [len(each.differences) for each in known.weighed] == [12, 6, 6]
    page = written(plan, records_of(plan, cheaper))
    assert "| `relative_cost (odd)` |" in page


def test_a_bound_far_away_is_turned_by_no_seed_and_one_at_the_end_is() -> None:
    far = weighed("relative_cost.upper < 0.5")
    assert far is not None
    assert far.fragile
    assert far.flips == ()
    assert far.lower[0] <= far.ideal[0] <= far.lower[1]
    near = weighed(f"relative_cost.upper < {sum(far.upper) / 2:.6f}")
    assert near is not None
    assert near.flips == (f"relative_cost.upper < {sum(far.upper) / 2:.6f}",)


@pytest.mark.parametrize(("statistic", "more"), [("mean", {}), ("median", {"quantile": "linear"})])
def test_an_interval_without_an_exact_law_is_held_against_the_resamples_of_other_seeds(
    statistic: str, more: dict[str, object]
) -> None:
    far = weighed("relative_cost.upper < 0.5", statistic=statistic, **more)
    assert far.ideal is None
    assert far.why
    assert far.fragile
    assert far.flips == ()
    near = f"relative_cost.upper < {sum(far.upper) / 2:.6f}"
    assert weighed(near, statistic=statistic, **more).flips == (near,)
    for seed in range(40):
        other = weighed("relative_cost.upper < 0.5", statistic=statistic, **more, seed=seed).seeded
        slack = 0.02 * (far.upper[1] - far.lower[0])  # a linear quantile may lie between two resamples
        assert far.lower[0] - slack <= other[0] <= far.lower[1] + slack
        assert far.upper[0] - slack <= other[1] <= far.upper[1] + slack


def test_an_interval_without_a_seed_cannot_be_fragile() -> None:
    assert weighed("relative_cost.upper < 0", resamples=None) is None


@pytest.mark.parametrize(
    ("values", "kind", "remedy"),
    [
        ({"n": 30, "estimate": 0.02, "lower": -0.01, "upper": 0.05}, "null", "the interval excludes"),
        ({"n": 30, "estimate": 0.02, "lower": -0.30, "upper": 0.35}, "null", "uninformative"),
        ({"n": 30, "estimate": 0.2, "lower": 0.1, "upper": 0.35}, "higher", ""),
        ({"n": 30, "estimate": -0.2, "lower": -0.3, "upper": -0.05}, "lower", ""),
        (
            {"n": 30, "estimate": 0.02, "lower": -0.1, "upper": 0.1, "discordant": 5},
            "null",
            "too few informative pairs",
        ),
        (
            {"n": 4, "estimate": 0.02, "lower": -0.1, "upper": 0.1, "attainable_p": 0.125},
            "null",
            "too few informative pairs",
        ),
        ({"n": 30, "estimate": 0.02, "p": 0.2}, "null", "uninformative: no interval is registered"),
        (
            {"n": 30, "estimate": 0.02, "p": 0.2, "lower": None},
            "null",
            "uninformative: its interval could not be worked out",
        ),
        ({"n": 30, "estimate": 0.02, "p": 0.02}, "higher", ""),
        ({"n": 30, "estimate": 0.02}, "none", ""),
        ({"n": 5, "estimate": 0.2, "lower": 0.1, "upper": 0.35}, "none", "take more tasks"),
        ({"n": 5, "estimate": -0.2, "lower": -0.3, "upper": -0.1, "p": 0.03}, "lower", ""),
        ({"n": 5, "estimate": 0.2, "lower": -0.1, "upper": 0.35}, "null", "uninformative: fewer than six tasks"),
        ({"n": 0, "estimate": None}, "none", ""),
    ],
)
def test_nulls_are_told_apart_by_their_remedy(values: dict[str, object], kind: str, remedy: str) -> None:
    plan = plan_of()
    found = reading(plan, plan.endpoints[2], "share", values, ())  # type: ignore[arg-type]
    assert found.kind == kind
    assert (found.says == NO_EFFECT) == (kind == "null")
    assert found.remedy.startswith(remedy)
    assert bool(found.remedy) == bool(remedy)


MARGIN = "solved.lower >= -30 pp"


@pytest.mark.parametrize(
    ("rule", "lower", "upper", "says"),
    [
        (MARGIN, -0.1, 0.5, "the interval excludes the margin of the decision (-30.0 pp)"),
        (MARGIN, -0.35, 0.1, "uninformative: the interval still allows the margin of the decision (-30.0 pp)"),
        ("solved.upper < 20 pp", -0.5, 0.1, "the interval excludes the margin of the decision (+20.0 pp)"),
        ("solved.upper < 20 pp", -0.1, 0.2, "uninformative: the interval still allows the margin of the decision (+20"),
    ],
)
def test_a_margin_lies_on_one_side(rule: str, lower: float, upper: float, says: str) -> None:
    """A gain of 50 points that is still possible is no loss of 30."""
    plan = plan_of()
    plan = replace(plan, decision=replace(plan.decision, supported_when=(rule,)))
    values = {"n": 30, "estimate": 0.0, "lower": lower, "upper": upper, "discordant": 12}
    assert reading(plan, plan.endpoints[1], "pp", values, ()).remedy.startswith(says)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("alternative", "lower", "upper", "excluded"),
    [("less", -0.1, 0.4, True), ("less", -0.2, 0.1, False), ("greater", -0.1, 0.4, False), (None, -0.1, 0.4, False)],
)
def test_a_run_is_sized_for_an_effect_on_the_side_that_is_tested(
    alternative: str | None, lower: float, upper: float, excluded: bool
) -> None:
    plan = plan_of()
    test = None if alternative is None else Chosen(kind="wilcoxon-signed-rank", options={"alternative": alternative})
    endpoint = replace(plan.endpoints[2], test=test)
    values = {"n": 30, "estimate": 0.0, "lower": lower, "upper": upper}
    found = reading(plan, endpoint, "share", values, ())  # type: ignore[arg-type]
    assert found.remedy.startswith("the interval excludes" if excluded else "uninformative")


def test_five_discordant_pairs_are_enough_for_a_mid_p() -> None:
    plan = plan_of()
    values = {"n": 30, "estimate": 0.0, "lower": -0.1, "upper": 0.1, "discordant": 5}
    for kind, scarce in (("mcnemar-exact", True), ("mcnemar-midp", False)):
        endpoint = replace(plan.endpoints[1], test=Chosen(kind=kind, options={"alternative": "two-sided"}))
        found = reading(plan, endpoint, "pp", values, ())  # type: ignore[arg-type]
        assert found.remedy.startswith("too few informative pairs") == scarce


def test_where_interval_and_test_disagree_no_difference_is_claimed() -> None:
    """Three of five tasks improved: Newcombe's interval excludes zero, and no split of three could have reached 5 %."""
    plan = plan_of(tasks=5, seeds=1)
    shots = lambda task, arm, _: Shot(solved=arm == "neuralmind" or task in ("t01", "t02"))  # noqa: E731  # one line says it
    text = written(plan, records_of(plan, shots))
    (row,) = [each for each in text.splitlines() if each.startswith("| `solved` | all | 5 | +3 of 5 tasks")]
    assert f"| {ODD} | too few informative pairs: the arms differ on 3" in row
    assert "of them rest on a few tasks" not in text


def test_one_task_that_carries_the_effect_is_named() -> None:
    plan = plan_of(tasks=8, seeds=1)

    def shots(task: str, arm: str, seed: int) -> Shot:
        if arm == "baseline":
            return Shot(cost="1")
        return Shot(cost="0.2" if task == "t03" else "0.95")

    notes = judged(plan, lines_of(plan, shots)).endpoints["cost"].notes
    assert [each for each in notes if "carries" in each] == [
        "t03 alone carries 70% of the summed difference; without it the mean is -0.05"
    ]
    assert Fraction(7, 10) > CARRIES
    assert not any("carries" in each for each in judged(plan, lines_of(plan, cheaper)).endpoints["cost"].notes)


def test_rates_repeats_and_changes() -> None:
    plan = plan_of(tasks=8, seeds=3)

    def shots(task: str, arm: str, seed: int) -> Shot:
        number = int(task[1:])
        return Shot(solved=seed > number % 4 if arm == "baseline" else number != 3)

    mine = settled(plan, shots)
    base = tries(mine, "baseline")
    assert base["t01"] == (2, 3)
    assert over_k(base, 1) == (0.5, 0.5)
    at, hat = over_k(base, 2) or (0, 0)
    assert at > 0.5 > hat
    assert over_k(base, 4) is None
    assert disagreement(base) == pytest.approx(1 / 3)
    assert apart(base, base) == pytest.approx(2 / 9)
    assert disagreement({"t": (1, 1)}) is None
    found = rate(base)
    assert found.share == 0.5
    assert found.ends is not None
    assert found.ends[0] < 0.5 < found.ends[1]
    assert [(task, yes) for task, _, yes, _ in changed(plan, {arm: tries(mine, arm) for arm in plan.arms})] == [
        (task, base[task]) for task in base if base[task][0] != 3 and task != "t03"
    ]
    text = written(plan, records_of(plan, shots))
    assert "| two runs of baseline | 33.3 % | noise floor |" in text
    assert "| baseline | 3 | " in text
    assert "| t01 | neuralmind | 2 of 3 | 3 of 3 | improved |" in text


@given(st.lists(st.integers(0, 20), min_size=3, max_size=12))
def test_drift_is_a_rank_correlation(found: list[int]) -> None:
    from scipy.stats import spearmanr

    points = [(place, float(each)) for place, each in enumerate(found)]
    if len(set(found)) == 1:
        assert _drift(points) == "none"
        return
    expected = float(spearmanr(range(len(found)), found).statistic)
    assert float(_drift(points)) == pytest.approx(expected, abs=0.0051)


def test_an_imbalance_of_failures_is_a_warning_light() -> None:
    plan = plan_of(tasks=8)
    lost = Shot(rule="harness_failure", more={"terminal_reason": "api_error"})

    def shots(task: str, arm: str, seed: int) -> Shot | list[Shot]:
        found = cheaper(task, arm, seed)
        return [lost, found] if arm == "neuralmind" else found

    text = written(plan, records_of(plan, shots))
    assert (
        "| lost an attempt (infrastructure, environment, retry) | 0 of 24 (baseline) | neuralmind | 24 of 24 | 6.2e-14 |"
        in text
    )


def test_the_baseline_is_what_others_are_set_against_and_not_the_first_of_the_alphabet() -> None:
    plan = plan_of(tasks=6, seeds=1)
    assert side_by_side(plan) == (("baseline", "neuralmind"),)
    turned = [replace(each, compare=each.compare and "baseline - neuralmind") for each in plan.endpoints]
    assert side_by_side(replace(plan, endpoints=tuple(turned))) == (("neuralmind", "baseline"),)
    floor = replace(turned[0], role="noise-floor")
    assert side_by_side(replace(plan, endpoints=(floor, *plan.endpoints[1:]))) == (("baseline", "neuralmind"),)
    assert side_by_side(replace(plan, endpoints=plan.endpoints[3:4])) == (("baseline", "neuralmind"),)


def test_aids_change_no_verdict() -> None:
    """What the report adds is computed beside the verdict and never written into it."""
    plan = plan_of(tasks=6)
    found = document(plan, records_of(plan, cheaper))
    before = encode(found.verdict)
    written(plan)
    assert encode(found.verdict) == before


def test_a_page_says_how_each_endpoint_is_worked_out_and_what_its_columns_mean() -> None:
    text = written(plan_of(tasks=8))
    told = text[text.index("## Endpoints") : text.index("## Where it does not help")]
    assert "n is the number of these tasks; pp are percentage points." in told
    assert "The interval first, the p-value second: an interval holds" in told
    rows = told.partition("**How each endpoint is worked out, as registered**")[2].splitlines()
    assert (
        "| `cost` | cost | mean | neuralmind - baseline, mean | none | Exact signed-rank test of per-task differences, ties "
        "enumerated (alternative less, zeros wilcox) |" in rows
    )
    assert (
        "| `relative_cost` | cost | mean | neuralmind / baseline - 1, median | Percentile bootstrap over tasks (level 0.95, "
        "resamples 10000, seed 20261014) | none |" in rows
    )
    assert (
        "| `cost_per_solved` |  |  | each arm by itself: sum(cost) / count(solved), over its trials | none | none |"
        in rows
    )


def test_how_an_arm_is_worked_out_by_itself_names_its_tasks_and_its_interval() -> None:
    plan = plan_of(tasks=6)
    wilson = Chosen(kind="wilson", options={"level": "0.95"})
    per_arm = replace(
        plan.endpoints[3],
        name="rate",
        per_arm="share(solved)",
        interval=wilson,
        where=('id != "t01"', 'set == "fixes"'),
    )
    text = written(replace(plan, endpoints=(*plan.endpoints, per_arm)))
    row = next(each for each in text.splitlines() if each.startswith("| `rate` |  |"))
    assert 'each arm by itself: share(solved), over its trials, where id != "t01" and set == "fixes" | Wilson' in row
    assert row.endswith("(level 0.95) | none |")


def test_what_is_unknown_of_every_task_counts_no_task() -> None:
    """A table of counts that holds none would read as if no task had a yes."""
    plan = plan_of(tasks=6, seeds=1)
    plan = replace(plan, measures={"solved": 'judgment == "success"'}, missing=())
    text = written(plan, records_of(plan, lambda *_: Shot()))
    assert "Tasks with a yes" not in text
    assert "known tasks alone: unknown" not in text


def test_of_one_run_a_task_no_disagreement_within_an_arm_is_told() -> None:
    plan = plan_of(tasks=6, seeds=1)
    text = written(plan, records_of(plan, lambda task, arm, _: Shot(solved=arm == "baseline" or task > "t03")))
    assert "a run of baseline and one of neuralmind | 50.0 % | noise floor: both arms are the same" in text
    assert "| two runs of" not in text


def test_a_whole_sum_is_called_no_subtotal() -> None:
    plan = plan_of(tasks=6, seeds=1)
    text = written(
        plan, records_of(plan, lambda task, arm, _: Shot(cost=None if (task, arm) == ("t01", "baseline") else "1"))
    )
    arms = text[text.index("## Arms") : text.index("## Every task")]
    assert "| 5 USD (known subtotal) | 1 |" in arms
    assert "| 6 USD | 0 |" in arms


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "no interval and no test is registered"),
        ({"lower": None, "upper": None}, "its interval could not be worked out"),
        ({"lower": None, "upper": None, "p": None}, "its interval and its p could not be worked out"),
    ],
)
def test_what_could_not_be_worked_out_is_not_said_to_be_unregistered(values: dict[str, object], says: str) -> None:
    plan = plan_of()
    found = reading(plan, plan.endpoints[2], "share", {"n": 8, "estimate": -0.5, **values}, ())  # type: ignore[arg-type]
    assert (found.kind, found.says) == ("none", f"{says}, so no difference is claimed")


def test_a_null_without_an_interval_sends_nobody_to_one() -> None:
    plan = plan_of(tasks=12, seeds=1)
    text = written(plan, records_of(plan, lambda task, *_: Shot(cost=f"{int(task[1:])}")))
    (row,) = [each for each in text.splitlines() if each.startswith("| `cost` | all | 12 | 0 USD")]
    assert "| too few informative pairs: the arms come out alike on every task" in row
    text = written(
        plan, records_of(plan, lambda task, arm, _: Shot(cost=f"{5 + (-1) ** int(task[1:]) * len(arm) / 10}"))
    )
    (row,) = [each for each in text.splitlines() if each.startswith("| `cost` | all | 12 |")]
    assert "uninformative: no interval is registered for it" in row


def test_what_a_condition_read_stands_in_the_unit_that_it_is_written_in() -> None:
    plan = plan_of(tasks=8)
    rules = (
        "solved.lower >= -40 pp",
        "relative_cost.upper < 0",
        "cost.estimate < 0 USD",
        "cost.p < 0.05",
        "turns.median <= 0 turns",
    )
    text = written(replace(plan, decision=replace(plan.decision, supported_when=rules)), records_of(plan, cheaper))
    read = dict(re.findall(r"^\| `(.*?)` \| (.*?) \| holds \|$", text, re.MULTILINE))
    assert re.fullmatch(r"solved\.lower = -0\.\d{4} \(-\d\d\.\d\d pp\)", read[rules[0]])
    assert re.fullmatch(r"relative_cost\.upper = -0\.\d{4} \(-\d\d\.\d\d %\)", read[rules[1]])
    assert re.fullmatch(r"cost\.estimate = -0\.\d{4} USD", read[rules[2]])
    assert read[rules[3]] == "cost.p = 0.003906"
    assert read[rules[4]] == "turns.median = 0 turns"
    few = written(
        replace(plan_of(tasks=5), decision=replace(plan.decision, supported_when=rules[:1])),
        records_of(plan_of(tasks=5), cheaper),
    )
    assert re.search(r"solved\.lower = -0\.\d{4} \|", few)


def test_an_unknown_task_says_what_the_ledger_says_of_it() -> None:
    plan = plan_of(tasks=6, seeds=2)

    def shots(task: str, arm: str, seed: int) -> Shot:
        if (task, arm, seed) == ("t02", "baseline", 2):
            return Shot(cost=None, reasons={"cost": "the agent reported none"})
        return cheaper(task, arm, seed)

    text = written(plan, records_of(plan, shots))
    assert "cost.p is unknown (t02 is unknown (baseline: 1 of 2 seeds unknown, the agent reported none))" in text
