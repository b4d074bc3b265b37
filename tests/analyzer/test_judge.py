"""System N's decision rule from end to end on hand-made ledgers."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.judge import head
from analyzer.verdict import Verdict
from analyzer.verdict_file import decode, encode
from compiler.plan import AnalysisPlan, EndpointPlan, MissingPlan, TaskFacts
from ledger.canonical import digest
from ledger.chain import encode as encode_line
from ledger.errors import IntegrityFault, UndecidedFault
from ledger.records import Analysis, Claimed, Closed, Opened, Outcome, Record
from tests.analyzer.runs import PLAN, SPEC, Shot, chained, cheaper, judged, lines_of, plan_of, records_of, trials_of


def holding(verdict: Verdict) -> list[bool | None]:
    return [each.holds for each in verdict.conditions]


def costs(
    of: Callable[[int], tuple[str, str]], solved: Callable[[str, int], bool] = lambda _arm, _task: True
) -> Callable[..., Shot]:
    """The same cost in every seed: (baseline, neuralmind) by task number."""

    def shots(task: str, arm: str, seed: int) -> Shot:
        number = int(task[1:])
        return Shot(cost=of(number)[arm == "neuralmind"], solved=solved(arm, number))

    return shots


def test_a_clear_saving_is_supported() -> None:
    plan = plan_of()
    verdict = judged(plan, lines_of(plan, cheaper))
    assert verdict.status == "supported"
    assert verdict.wording == plan.decision.wording["supported"]
    assert holding(verdict) == [True, True, True]
    assert verdict.conditions[2].values == {"solved.count(neuralmind)": 20, "solved.count(baseline)": 20}
    assert verdict.endpoints["cost"].values["p"] == 2**-20
    assert verdict.arms["baseline"].planned == 60
    assert verdict.arms["baseline"].outcomes == {"pass": 60}
    assert (verdict.spec_digest, verdict.plan_digest) == (SPEC, PLAN)


def test_only_the_p_value_fails() -> None:
    """Fifteen tasks a little cheaper, five much dearer: the median is below zero, the signed ranks are not."""
    plan = plan_of()
    verdict = judged(plan, lines_of(plan, costs(lambda task: ("1", "0.9") if task <= 15 else ("1", "1.8"))))
    assert holding(verdict) == [False, True, True]
    assert verdict.status == "not_supported"
    assert verdict.wording == "no difference shown, or a loss"


def test_only_the_interval_fails() -> None:
    """Twelve tasks much cheaper, eight a little dearer: the ranks say less, the median's interval holds zero."""
    plan = plan_of()
    verdict = judged(plan, lines_of(plan, costs(lambda task: ("1", "0.4") if task <= 12 else ("1", "1.05"))))
    assert holding(verdict) == [True, False, True]
    assert verdict.status == "not_supported"


@pytest.mark.parametrize(("lost", "status"), [(0, "supported"), (1, "supported"), (2, "not_supported")])
def test_the_margin_is_one_task(lost: int, status: str) -> None:
    plan = plan_of()
    shots = costs(lambda task: ("1", f"0.{90 - task}"), lambda arm, task: arm == "baseline" or task > lost)
    verdict = judged(plan, lines_of(plan, shots))
    assert verdict.status == status
    assert holding(verdict)[:2] == [True, True]


def test_the_pilot_of_seed_000() -> None:
    """18 of 20 solved in each arm, a median change near zero, p far above 0.05: not supported, and labelled pilot."""
    plan = plan_of(stage="pilot")
    shots = costs(lambda task: ("1", f"{0.8 + 0.02 * task:.2f}"), lambda _arm, task: task > 2)
    verdict = judged(plan, lines_of(plan, shots))
    assert verdict.status == "not_supported"
    assert verdict.endpoints["solved"].values["counts"] == {"baseline": 18, "neuralmind": 18}
    assert 0.5 < float(str(verdict.endpoints["cost"].values["p"])) < 0.9
    lower, upper = (float(str(verdict.endpoints["relative_cost"].values[key])) for key in ("lower", "upper"))
    assert lower < 0 < upper
    assert verdict.stage == "pilot"
    assert any(each.startswith("PILOT") for each in verdict.warnings)
    assert verdict.sizing["sigma"] == pytest.approx(0.1183, abs=1e-3)
    assert verdict.sizing["n"] == 5


def test_the_margin_reads_tasks_solved_by_most_seeds() -> None:
    plan = plan_of(tasks=6)
    shots = lambda task, arm, seed: Shot(cost="1", solved=seed == 1 or (arm == "baseline" and seed == 2))  # noqa: E731
    counts = judged(plan, lines_of(plan, shots)).endpoints["solved"].values["counts"]
    assert counts == {"baseline": 6, "neuralmind": 0}


def shuffled(records: list[Record], order: list[int]) -> list[Record]:
    """Put the blocks of trials in another order; the opening stays first, the close last."""
    blocks: dict[str, list[Record]] = {}
    for each in records[1:-1]:
        blocks.setdefault(each.trial, []).append(each)  # type: ignore[union-attr]
    names = sorted(blocks)
    keys = sorted(names, key=lambda name: order[names.index(name) % len(order)])
    return [records[0], *(each for key in keys for each in blocks[key]), records[-1]]


def everything_but_the_head(verdict: Verdict) -> Verdict:
    return replace(verdict, ledger_head="")


@given(order=st.permutations(range(17)))
def test_the_order_of_independent_trials_changes_nothing(order: list[int]) -> None:
    plan = plan_of(tasks=7)
    records = records_of(plan, cheaper)
    one, other = judged(plan, chained(records)), judged(plan, chained(shuffled(records, order)))
    assert everything_but_the_head(one) == everything_but_the_head(other)


@given(cents=st.lists(st.tuples(*[st.integers(1, 400)] * 6), min_size=3, max_size=9), swap=st.randoms())
def test_neither_seeds_nor_tasks_nor_arms_have_an_order(cents: list[tuple[int, ...]], swap: object) -> None:
    """Permute seeds inside a task, tasks in the plan, and arms in the plan: the same estimates and the same verdict."""
    plan = plan_of(tasks=len(cents))

    def shots(task: str, arm: str, seed: int) -> Shot:
        return Shot(cost=f"{cents[int(task[1:]) - 1][seed - 1 + 3 * (arm == 'neuralmind')] / 100:.2f}")

    def turned(task: str, arm: str, seed: int) -> Shot:
        return shots(task, arm, seed % 3 + 1)

    mixed = list(plan.tasks)
    swap.shuffle(mixed)  # type: ignore[attr-defined]
    other = replace(plan, tasks=tuple(mixed), arms=tuple(reversed(plan.arms)))
    one, two = judged(plan, lines_of(plan, shots)), judged(other, lines_of(other, turned))
    assert one.endpoints == two.endpoints
    assert one.conditions == two.conditions
    assert one.status == two.status


@given(factor=st.fractions(Fraction(1, 100), 100).map(lambda each: each.limit_denominator(64)).filter(bool))
def test_the_unit_of_cost_does_not_matter_to_the_decision(factor: Fraction) -> None:
    """Multiply every cost by one number with few decimals: p, relative change and verdict stay."""
    scale = Fraction(round(factor * 100) or 1, 100)
    plan = plan_of(tasks=8)

    def scaled(task: str, arm: str, seed: int) -> Shot:
        cost = Fraction(cheaper(task, arm, seed).cost or 0) * scale
        return Shot(cost=f"{int(cost * 10**6) // 10**6}.{int(cost * 10**6) % 10**6:06}")

    one, two = judged(plan, lines_of(plan, cheaper)), judged(plan, lines_of(plan, scaled))
    assert one.status == two.status
    assert one.conditions == two.conditions


def test_the_names_of_arms_play_no_part() -> None:
    """Rename both arms so that they sort the other way round."""
    plan = plan_of(tasks=9)
    names = {"baseline": "zeta", "neuralmind": "alpha"}

    def renamed(text: str | None) -> str:
        for old, new in names.items():
            text = (text or "").replace(old, new)
        return text or ""

    endpoints = tuple(replace(each, compare=renamed(each.compare)) if each.compare else each for each in plan.endpoints)
    decision = replace(plan.decision, supported_when=tuple(map(renamed, plan.decision.supported_when)))
    limits = {names[arm]: each for arm, each in plan.limits.items()}
    other = replace(
        plan, arms=tuple(names[arm] for arm in plan.arms), endpoints=endpoints, decision=decision, limits=limits
    )
    back = {new: old for old, new in names.items()}
    one = judged(plan, lines_of(plan, cheaper))
    two = judged(other, lines_of(other, lambda task, arm, seed: cheaper(task, back[arm], seed)))
    assert one.status == two.status
    for name in ("cost", "relative_cost", "solved"):
        for key in ("estimate", "lower", "upper", "p", "discordant"):
            assert one.endpoints[name].values.get(key) == two.endpoints[name].values.get(key)
    assert [list(each.values.values()) for each in one.conditions] == [
        list(each.values.values()) for each in two.conditions
    ]


def test_a_smoke_run_is_never_decided() -> None:
    plan = plan_of(tasks=2, stage="smoke")
    plan = replace(plan, decision=replace(plan.decision, decidable_when=("false",)))
    assert judged(plan, lines_of(plan, cheaper)).status == "no_verdict"


def test_a_verdict_survives_its_file() -> None:
    plan = plan_of(tasks=4, stage="pilot")
    verdict = judged(plan, lines_of(plan, cheaper))
    data = encode(verdict)
    assert decode(data) == verdict
    assert encode(decode(data)) == data
    assert data == encode(judged(plan, lines_of(plan, cheaper)))


def test_an_altered_verdict_file_is_refused() -> None:
    plan = plan_of(tasks=4)
    data = encode(judged(plan, lines_of(plan, cheaper)))
    for bad in (
        data + b"\n",
        data.replace(b"prereg.verdict/v1", b"prereg.verdict/v9"),
        b"{}",
        b"[1]",
        b"\xff",
        data.replace(b'"gaps"', b'"gasp"'),
    ):
        with pytest.raises(IntegrityFault) as refused:
            decode(bad)
        assert refused.value.reasons[0].hint


def test_the_head_is_before_any_analysis() -> None:
    plan = plan_of(tasks=2)
    records = records_of(plan, cheaper)
    lines = chained(records)
    again = chained([*records, Analysis(verdict="sha256:0", status="supported", ledger_head="sha256:0")])
    assert head(lines) == head(again) == digest(encode_line(lines[-1]))
    assert judged(plan, lines) == judged(plan, again)


def test_an_open_run_is_undecided_and_names_the_trials() -> None:
    plan = plan_of(tasks=2)
    records = [
        each for each in records_of(plan, cheaper, closed=False) if getattr(each, "trial", "") != "t02/neuralmind/3"
    ]
    with pytest.raises(UndecidedFault) as refused:
        judged(plan, chained(records))
    fault = refused.value.reasons[0]
    assert fault.code == "open"
    assert fault.got == "t02/neuralmind/3"
    assert fault.hint


def test_an_empty_ledger_is_open() -> None:
    with pytest.raises(UndecidedFault):
        judged(plan_of(tasks=2), ())


def test_an_unexplained_gap_is_undecided() -> None:
    plan = plan_of(tasks=2)
    records = [
        each for each in records_of(plan, cheaper, closed=False) if getattr(each, "trial", "") != "t02/neuralmind/3"
    ]
    with pytest.raises(UndecidedFault) as refused:
        judged(plan, chained([*records, Closed(outcomes=11, attempts=11)]))
    assert [each.code for each in refused.value.reasons] == ["gap"]
    assert "t02/neuralmind/3" in (refused.value.reasons[0].where or "")


def without(records: list[Record], kind: type[Record], trial: str) -> list[Record]:
    return [each for each in records if not (isinstance(each, kind) and getattr(each, "trial", "") == trial)]


def doubled(records: list[Record]) -> list[Record]:
    place = next(at for at, each in enumerate(records) if isinstance(each, Outcome))
    return [*records[: place + 1], records[place], *records[place + 1 :]]


def foreign(records: list[Record]) -> list[Record]:
    return [
        records[0],
        Claimed(trial="x/baseline/1", attempt=1, task="x", arm="baseline", seed=1, machine="m"),
        *records[1:],
    ]


def renamed(records: list[Record]) -> list[Record]:
    place = next(at for at, each in enumerate(records) if isinstance(each, Outcome))
    outcome = records[place]
    assert isinstance(outcome, Outcome)
    return [*records[:place], replace(outcome, arm="neuralmind"), *records[place + 1 :]]


def other_plan(records: list[Record]) -> list[Record]:
    opened = records[0]
    assert isinstance(opened, Opened)
    return [replace(opened, plan_digest=digest(b"other")), *records[1:]]


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("doubled", doubled),
        ("foreign", foreign),
        ("foreign", renamed),
        ("foreign", other_plan),
        ("unclaimed", lambda records: without(records, Claimed, "t01/baseline/1")),
        ("count", lambda records: without(records, Outcome, "t01/baseline/1")),
        ("after-close", lambda records: [records[0], records[-1], *records[1:-1]]),
        ("not-opened", lambda records: records[1:]),
        ("doubled", lambda records: [*records, records[-1]]),
        ("doubled", lambda records: [records[0], *records]),
    ],
)
def test_what_does_not_belong_is_refused(code: str, change: Callable[[list[Record]], list[Record]]) -> None:
    plan = plan_of(tasks=2, seeds=1)
    with pytest.raises(IntegrityFault) as refused:
        judged(plan, chained(change(records_of(plan, cheaper))))
    fault = refused.value.reasons[0]
    assert fault.code == code
    assert all((fault.what, fault.expected, fault.got, fault.where, fault.hint)), fault


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-0.01", "1e3", "", " 1", "1,5", "0x1", True, [1], {"a": 1}, "9" * 101, -1]
)
def test_what_is_no_cost_is_refused_again(value: object) -> None:
    plan = plan_of(tasks=2, seeds=1)
    shots = lambda task, arm, seed: Shot(more={"cost": value}) if (task, arm) == ("t02", "baseline") else Shot()  # type: ignore[dict-item]  # noqa: E731
    with pytest.raises(IntegrityFault) as refused:
        judged(plan, lines_of(plan, shots))
    fault = refused.value.reasons[0]
    assert fault.code == "measure"
    assert "t02/baseline/1" in (fault.where or "")
    assert all((fault.what, fault.expected, fault.got, fault.hint))


@pytest.mark.parametrize("value", ["9" * 100, "0." + "0" * 97 + "1"])
def test_the_longest_numbers_give_a_verdict(value: str) -> None:
    """A ratio of the largest to the smallest of them is still a number that a verdict can hold."""
    plan = plan_of(tasks=6, seeds=3)
    other = {"9" * 100: "0." + "0" * 97 + "1"}.get(value, "9" * 100)
    verdict = judged(plan, lines_of(plan, lambda task, arm, seed: Shot(cost=value if arm == "baseline" else other)))
    assert verdict.endpoints["relative_cost"].values["n"] == 6


def test_a_float_is_refused_even_where_no_ledger_could_hold_one() -> None:
    plan = plan_of(tasks=1, seeds=1)
    lines = list(lines_of(plan, lambda task, arm, seed: Shot()))
    outcome = lines[2].record
    assert isinstance(outcome, Outcome)
    lines[2] = replace(lines[2], record=replace(outcome, measures={**outcome.measures, "cost": float("nan")}))  # type: ignore[dict-item]
    with pytest.raises(IntegrityFault):
        judged(plan, lines)


def test_tasks_of_a_development_set_do_not_decide() -> None:
    plan = plan_of(tasks=6)
    practice = replace(plan, tasks=(*plan.tasks, TaskFacts(id="t99", set="practice", use="development")))
    shots = lambda task, arm, seed: Shot(cost="100") if task == "t99" else cheaper(task, arm, seed)  # noqa: E731
    one, two = judged(plan, lines_of(plan, cheaper)), judged(practice, lines_of(practice, shots))
    assert one.endpoints == two.endpoints
    assert two.arms["baseline"].planned == 21


def test_simulated_outcomes_are_said_even_when_the_plan_is_silent() -> None:
    plan = plan_of(tasks=2)
    records = [
        replace(each, simulated=True) if isinstance(each, Outcome) else each for each in records_of(plan, cheaper)
    ]
    verdict = judged(plan, chained(records))
    assert verdict.simulated
    assert verdict.warnings[0].startswith("SIMULATED")


def _plan_without(field: str) -> AnalysisPlan:
    plan = plan_of(tasks=2)
    return replace(plan, decision=replace(plan.decision, **{field: ()}))


@pytest.mark.parametrize(
    "condition",
    [
        "solved.count(neuralmind) >= solved.count(baseline) - 1 task",
        "solved.discordant <= 3 tasks",
        "solved.lower >= -30 pp",
        "cost.p > 0.05",
        "alone.count(neuralmind) <= 1 task",
        "gold.arm(neuralmind) <= 0",
        "spent.arm(neuralmind) <= 0 USD",
    ],
)
def test_no_data_support_nothing(condition: str) -> None:
    """Every pair is struck by a registered rule: no task is left, and a count of nothing is no count of zero."""
    late = (MissingPlan(rule="late", when='stop == "timeout"', exclude="pair"),)
    plan = plan_of(tasks=6, seeds=1, missing=late)
    more = (
        EndpointPlan(name="alone", role="secondary", unit="share", measure="solved", per_task="only"),
        EndpointPlan(name="gold", role="secondary", unit="count", per_arm="count(solved)"),
        EndpointPlan(name="spent", role="secondary", unit="USD", per_arm="sum(cost)"),
    )
    decision = replace(plan.decision, supported_when=(condition,))
    plan = replace(plan, endpoints=(*plan.endpoints, *more), decision=decision)
    verdict = judged(plan, lines_of(plan, lambda task, arm, seed: Shot(cost=None, ended="timeout", solved=False)))
    assert verdict.status == "no_verdict"
    assert verdict.conditions[0].holds is None
    assert verdict.endpoints["solved"].values["n"] == 0


def test_a_rule_without_conditions_supports_nothing() -> None:
    plan = _plan_without("supported_when")
    with pytest.raises(IntegrityFault):
        judged(plan, lines_of(plan, cheaper))


def test_a_run_that_plans_what_nobody_analyses_is_refused() -> None:
    plan = plan_of(tasks=3)
    smaller = replace(plan, tasks=plan.tasks[:2])
    from analyzer.judge import judge

    trials = trials_of(plan)
    for analysis, run, odd in (
        (smaller, trials, "t03/baseline/1"),
        (plan, trials[1:], "t01/baseline/1"),
        (plan, (*trials, trials[0]), "t01/baseline/1"),
    ):
        with pytest.raises(IntegrityFault) as refused:
            judge(analysis, lines_of(plan, cheaper), spec_digest=SPEC, plan_digest=PLAN, trials=run)
        assert odd in (refused.value.reasons[0].got or "")
