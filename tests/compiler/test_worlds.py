"""Worlds: the generated nulls, the author's own, and a grid that ends where it should."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.simulation import Lognormal, Profile
from compiler.worlds import GENERATED, Assumed, Variation, World, between, worlds

CONTROL = Profile(
    solve=Decimal("0.8"), cost=Lognormal(median=Decimal("0.4"), spread=Decimal("0.3")), harness_failure=Decimal("0.03")
)
TREATMENT = replace(CONTROL, solve=Decimal("0.9"), cost=Lognormal(median=Decimal("0.3"), spread=Decimal("0.5")))
ASSUMED = Assumed(profiles={"a": TREATMENT, "b": CONTROL}, control="b", treatment="a")


def by_name(assumed: Assumed = ASSUMED) -> dict[str, World]:
    return {each.name: each for each in worlds(assumed)}


def test_the_generated_worlds() -> None:
    found = by_name()
    assert tuple(found)[: len(GENERATED)] == GENERATED
    assert [name for name, each in found.items() if not each.claim] == list(GENERATED[1:])
    assert found["as_assumed"].profiles == ASSUMED.profiles
    assert set(found["no_difference"].profiles.values()) == {CONTROL}
    cheaper = found["cheaper_solves_fewer"].profiles["a"]
    assert cheaper.cost is not None
    assert cheaper.cost.median == Decimal("0.28")
    assert cheaper.solve == Decimal("0.55")
    failures = found["fewer_failures_only"].profiles
    assert failures["a"] == replace(CONTROL, harness_failure=Decimal(0))
    assert failures["b"] == replace(CONTROL, harness_failure=Decimal("0.1"))


def test_the_grid_lies_between_and_beyond() -> None:
    found = by_name(replace(ASSUMED, grid=(Decimal("0.5"), Decimal("1.5"), Decimal(0), Decimal(1))))
    assert [each.name for each in found.values() if each.share is not None and each.kind == "effect"] == [
        "effect_50",
        "effect_150",
    ]
    half, beyond = found["effect_50"].profiles["a"], found["effect_150"].profiles["a"]
    assert half.solve == Decimal("0.85")
    assert half.cost == Lognormal(median=Decimal("0.34641"), spread=Decimal("0.4"))
    assert beyond.solve == Decimal("0.95")


def test_an_author_adds_worlds_and_renames_what_a_generated_one_means() -> None:
    dearer = {"a": replace(TREATMENT, cost=Lognormal(median=Decimal(2))), "b": CONTROL}
    assumed = replace(
        ASSUMED,
        variations=(
            Variation(name="dearer", claim=False, says="it costs more", profiles=dearer),
            Variation(name="cheaper_solves_fewer", claim=True),
        ),
    )
    found = by_name(assumed)
    assert (found["dearer"].kind, found["dearer"].claim, found["dearer"].profiles) == ("null", False, dearer)
    assert (found["cheaper_solves_fewer"].kind, found["cheaper_solves_fewer"].claim) == ("effect", True)
    assert found["cheaper_solves_fewer"].profiles == by_name()["cheaper_solves_fewer"].profiles


@given(st.decimals(0, 3, places=2))
def test_shares_stay_shares_and_medians_positive(share: Decimal) -> None:
    found = between(CONTROL, TREATMENT, share)
    assert 0 <= found.solve <= 1
    assert found.cost is not None
    assert found.cost.median > 0
    assert found.cost.spread >= 0


@pytest.mark.parametrize("share", [Decimal(0), Decimal(1)])
def test_the_ends_are_the_ends(share: Decimal) -> None:
    assert between(CONTROL, TREATMENT, share) == (TREATMENT if share else CONTROL)
