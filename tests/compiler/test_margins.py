"""The registered margin and the world that lies on it, held against the sampler itself."""

from dataclasses import replace
from decimal import Decimal
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.assumptions import from_file
from compiler.margins import Margin, _share, margin_of, solve_at
from compiler.simulation import Lognormal, Profile, sample
from compiler.worlds import Assumed, worlds
from spec_lang.span import Source
from tests.compiler import world

GUARD = "    - solved.count(notes) >= solved.count(baseline) - 1 task"
CONTROL = Profile(solve=Decimal("0.8"), timeout=Decimal("0.02"))


def margin(*conditions: str) -> Margin | None:
    text = world.edited((GUARD, "\n".join(f"    - {each}" for each in conditions)))
    return margin_of(world.loaded(text).spec, "baseline", "notes")


@pytest.mark.parametrize(
    "condition", ["solved.lower >= -30 pp", "solved.lower > -30 pp", "-30 pp <= solved.lower", "-30 pp < solved.lower"]
)
def test_a_margin_is_read_from_the_rule(condition: str) -> None:
    found = margin(condition)
    assert found == Margin(endpoint="solved", share=Decimal("0.3"), per_task="majority", seeds=3)


def test_the_narrowest_of_several_counts_and_some_bounds_are_none() -> None:
    narrow = margin("solved.lower >= -30 pp", "solved.lower >= -0.2 pp and solved.upper > -90 pp")
    assert narrow is not None
    assert narrow.share == Decimal("0.002")
    assert margin("solved.lower > 0 pp") is None
    assert margin("solved.lower <= -30 pp") is None
    assert margin(GUARD.strip("- ")) is None
    assert margin_of(world.loaded().spec, "notes", "baseline") is None


@given(
    st.decimals("0.05", "0.95", places=2),
    st.decimals("0.01", "0.4", places=2),
    st.sampled_from([("only", 1), ("mean", 3), ("majority", 3), ("majority", 4), ("pass-at-k", 3), ("pass-hat-k", 3)]),
    st.sampled_from(["0", "0.5", "0.9", "1"]),
)
@settings(max_examples=40, deadline=None)
def test_the_world_lies_on_the_margin_or_solves_nothing(
    solve: Decimal, share: Decimal, how: tuple[str, int], within: str
) -> None:
    asked = Margin(endpoint="solved", share=share, per_task=how[0], seeds=how[1])
    control = replace(CONTROL, solve=solve, within_task=Decimal(within))
    found = solve_at(asked, control)
    assert 0 <= found <= solve
    behind = _share(asked, control, float(solve)) - _share(asked, control, float(found))
    if found:
        near = 0.005 if within == "1" else 0.001  # tasks that are all or nothing move in steps of one in 400
        assert float(share) - 1e-6 <= behind <= float(share) + near
    else:
        assert behind <= float(share) + 0.02


@pytest.mark.parametrize("seeds", [1, 3])
def test_the_sampler_falls_behind_by_the_margin(seeds: int) -> None:
    """The share of tasks solved by most of their seeds, over many sampled tasks, differs by the margin within its error."""
    asked = Margin(endpoint="solved", share=Decimal("0.3"), per_task="majority", seeds=seeds)
    shares, tasks = [], 3000
    for arm, profile in (("a", CONTROL), ("b", replace(CONTROL, solve=solve_at(asked, CONTROL)))):
        won = sum(
            2 * sum(sample(profile, seed=5, trial_id=f"{task}/{arm}/{k}", attempt=1).solved for k in range(seeds))
            > seeds
            for task in range(tasks)
        )
        shares.append(won / tasks)
    assert shares[0] - shares[1] == pytest.approx(0.3, abs=3 * sqrt(2 * 0.25 / tasks))


def test_the_world_that_is_just_false_is_built_at_the_registered_margin() -> None:
    cost = Lognormal(median=Decimal("0.4"))
    assumed = Assumed(profiles={"a": replace(CONTROL, cost=cost), "b": CONTROL}, control="b", treatment="a")
    asked = Margin(endpoint="solved", share=Decimal("0.3"))
    found = {each.name: each for each in worlds(replace(assumed, margin=asked))}["cheaper_solves_fewer"]
    assert found.profiles["a"].solve == solve_at(asked, CONTROL)
    assert "by the registered margin of 30 pp" in found.says
    assert not found.claim


@pytest.mark.parametrize(
    ("solves", "asked", "claim", "says"),
    [
        ("0.2", Margin(endpoint="solved", share=Decimal("0.3")), True, "less than the registered margin of 30 pp"),
        ("0.4", Margin(endpoint="solved", share=Decimal("0.3")), False, "by the registered margin of 30 pp"),
        ("0.2", None, False, "solves 20 pp fewer"),
        ("0", None, True, "solves none, nor do the others"),
    ],
)
def test_no_claim_is_called_false_where_the_control_solves_too_little_to_fall_behind(
    solves: str, asked: Margin | None, claim: bool, says: str
) -> None:
    """What a rule supports there would be counted as a false positive, and is none."""
    control = replace(CONTROL, solve=Decimal(solves))
    assumed = Assumed(profiles={"a": control, "b": control}, control="b", treatment="a", margin=asked)
    found = {each.name: each for each in worlds(assumed)}["cheaper_solves_fewer"]
    assert (found.claim, found.kind) == (claim, "effect" if claim else "null")
    assert says in found.says


EXISTS = """\
assumptions: 1
arms:
  baseline: {solve: 40 %, cost: {median: 1 USD}}
  notes: {solve: 60 %, cost: {median: 2 USD}}
"""


def test_a_claim_that_something_can_be_done_is_false_where_nobody_can() -> None:
    text = world.edited(
        ("    - cost.p < 0.05\n    - relative_cost.upper < 0\n", ""),
        (GUARD, "    - any.count(notes) >= 1 task or any.count(baseline) >= 1 task"),
        ("endpoints:\n", "endpoints:\n  any: {role: primary, measure: solved, per_task: majority}\n"),
        ("    role: primary\n    measure: cost", "    role: secondary\n    measure: cost"),
    )
    read = from_file(world.loaded(text), Source(name="assumptions.yaml", text=EXISTS))
    assert read.assumed.existence
    found = {each.name: each for each in worlds(read.assumed)}
    assert [name for name, each in found.items() if not each.claim] == ["nobody_solves"]
    nobody = found["nobody_solves"].profiles
    assert {each.solve for each in nobody.values()} == {Decimal(0)}
    assert nobody["notes"].cost == found["as_assumed"].profiles["notes"].cost
    assert found["effect_50"].profiles["notes"].solve == Decimal("0.3")
    assert not from_file(world.loaded(), Source(name="assumptions.yaml", text=EXISTS)).assumed.existence
