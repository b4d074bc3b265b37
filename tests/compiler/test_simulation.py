"""Simulated trials: golden vectors, purity, and that shares, medians and correlations are those of the profile."""

from dataclasses import replace
from decimal import Decimal
from statistics import correlation, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.simulation import Lognormal, Profile, SimulatedTrial, arm_profile, read_profile, sample

OPTIONS = {
    "solve": "85 %",
    "cost": {"median": "0.42 USD", "spread": "0.35"},
    "time": {"median": "210 s", "spread": "0.4"},
    "turns": 18,
    "tool_calls": 31,
    "harness_failure": "3 %",
    "timeout": "1 %",
}
PROFILE = read_profile(OPTIONS)
MANY = 4000


def trials(profile: Profile, arm: str = "a", seed: int = 1, repeat: int = 1) -> list[SimulatedTrial]:
    return [sample(profile, seed=seed, trial_id=f"t{task}/{arm}/{repeat}", attempt=1) for task in range(MANY)]


def test_golden_trials() -> None:
    assert sample(PROFILE, seed=7, trial_id="t/a/1", attempt=1) == SimulatedTrial(
        ended="finished",
        result_event=True,
        terminal_reason="completed",
        solved=True,
        cost_usd=Decimal("0.3532"),
        time_s=Decimal("155.158"),
        turns=16,
        tool_calls=22,
        calls_before_first_edit=2,
        hooks_ran=True,
        touched_gold=True,
    )
    lost = [
        sample(replace(PROFILE, harness_failure=Decimal(1)), seed=7, trial_id="t/a/1", attempt=each)
        for each in (1, 2, 3)
    ]
    assert [(each.ended, each.result_event, each.terminal_reason) for each in lost] == [
        ("no-result", False, None),
        ("no-result", False, None),
        ("finished", True, "api_error"),
    ]


@given(st.integers(0, 2**32), st.text(max_size=5), st.integers(1, 9), st.lists(st.integers(1, 9), max_size=3))
def test_a_trial_is_what_it_is_whatever_ran_before(seed: int, task: str, attempt: int, before: list[int]) -> None:
    first = sample(PROFILE, seed=seed, trial_id=f"{task}/a/1", attempt=attempt)
    for other in before:
        sample(PROFILE, seed=seed, trial_id=f"{task}/b/{other}", attempt=other)
    assert sample(PROFILE, seed=seed, trial_id=f"{task}/a/1", attempt=attempt) == first


def test_shares_and_medians_are_those_of_the_profile() -> None:
    found = trials(PROFILE)
    lost = [each for each in found if each.terminal_reason == "api_error" or each.ended == "no-result"]
    late = [each for each in found if each.ended == "timeout"]
    whole = [each for each in found if each not in lost and each not in late]
    assert 0.02 < len(lost) / MANY < 0.04
    assert 0.004 < len(late) / MANY < 0.018
    assert 0.83 < sum(each.solved for each in whole) / len(whole) < 0.87
    assert Decimal("0.40") < median(each.cost_usd for each in whole if each.cost_usd) < Decimal("0.44")
    assert 200 < median(each.time_s for each in whole) < 220
    assert 17 <= median(each.turns for each in whole if each.turns) <= 19
    assert not any(each.solved for each in (*lost, *late))
    assert {each.terminal_reason for each in lost} == {"api_error", None}
    assert all(each.cost_usd is None for each in found if not each.result_event)  # unknown, never 0


def test_trials_of_a_task_are_alike_in_all_arms() -> None:
    calm = replace(PROFILE, harness_failure=Decimal(0), timeout=Decimal(0), solve=Decimal("0.5"))
    for within, low, high in ((Decimal(0), -0.06, 0.06), (Decimal("0.5"), 0.3, 0.55), (Decimal(1), 0.7, 1.0)):
        profile = replace(calm, within_task=within)
        one, other = trials(profile, "a"), trials(profile, "b")
        costs = [[float(each.cost_usd or 0) for each in side] for side in (one, other)]
        assert low < correlation(*costs) < high
        both = sum(first.solved and second.solved for first, second in zip(one, other, strict=True)) / MANY
        assert abs(both - {0: 0.25, 0.5: 1 / 3, 1: 0.5}[float(within)]) < 0.03  # 1/4 + asin(r)/2π


def test_hard_tasks_cost_more_and_are_solved_less() -> None:
    profile = replace(PROFILE, solve=Decimal("0.5"), harness_failure=Decimal(0), timeout=Decimal(0))
    found = trials(profile)
    solved = [each.cost_usd for each in found if each.solved and each.cost_usd]
    unsolved = [each.cost_usd for each in found if not each.solved and each.cost_usd]
    assert median(unsolved) > median(solved)


@pytest.mark.parametrize("share", [0, 1])
def test_the_ends_of_a_share_are_certain(share: int) -> None:
    profile = Profile(solve=Decimal(share), hooks=Decimal(share), timeout=Decimal(0))
    assert {(each.solved, each.hooks_ran, each.touched_gold) for each in trials(profile)} == {(bool(share),) * 3}


def test_what_a_profile_does_not_say_is_unknown() -> None:
    found = sample(Profile(solve=Decimal(1)), seed=1, trial_id="t/a/1", attempt=1)
    assert (found.cost_usd, found.turns, found.tool_calls, found.calls_before_first_edit) == (None,) * 4


def test_reads_what_a_spec_says() -> None:
    assert read_profile(
        {"solve": "85 %", "cost": "1.5 USD", "time": {"median": "3 min"}, "within_task": "0.2"}
    ) == Profile(
        solve=Decimal("0.85"),
        cost=Lognormal(median=Decimal("1.5")),
        time=Lognormal(median=Decimal(180)),
        within_task=Decimal("0.2"),
    )
    assert arm_profile({"profiles": {"a": OPTIONS}, "seed": 7}, "a") == PROFILE


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, r"profile\.solve is missing"),
        ({"solve": "85 %", "sovle": 1}, "profile has no sovle"),
        ({"solve": "101 %"}, "at most 100 %"),
        ({"solve": "-1 %"}, r"profile\.solve is a share"),
        ({"solve": True}, "is a share"),
        ({"solve": "85 USD"}, "is a share"),
        ({"solve": 1, "cost": "2 min"}, "is an amount of USD"),
        ({"solve": 1, "cost": {"median": 0}}, r"cost\.median is above 0"),
        ({"solve": 1, "cost": {"mean": 1}}, "has a median and a spread, not mean"),
        ({"solve": 1, "cost": {"median": 1, "spread": "wide"}}, r"cost\.spread is a number"),
        ({"solve": 1, "time": None}, "is a time"),
        ({"solve": 1, "turns": "18"}, "is a count"),
        ({"solve": 1, "turns": -1}, "is a count"),
    ],
)
def test_a_profile_that_makes_no_sense_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_profile(options)  # type: ignore[arg-type]  # what an author might write


def test_an_arm_without_a_profile_is_refused() -> None:
    for options in ({}, {"profiles": {}}, {"profiles": {"b": OPTIONS}}):
        with pytest.raises(ValueError, match="no profile of the arm a"):
            arm_profile(options, "a")  # type: ignore[arg-type]  # what an author might write


@given(st.decimals(0, 80, places=2), st.integers(1, 10**15), st.integers(0, 10**6))
def test_the_widest_spread_draws_an_amount(spread: Decimal, median: int, seed: int) -> None:
    """A sizing widens what is assumed by up to 16 to find the pilot's spread."""
    like = Lognormal(median=Decimal(median), spread=spread)
    found = sample(Profile(solve=Decimal(1), cost=like, time=like), seed=seed, trial_id="t/a/1", attempt=1)
    assert found.cost_usd is not None
    assert found.cost_usd >= 0
    assert found.time_s >= 0
