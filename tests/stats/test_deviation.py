"""Spreads: equivariant, honest where there is little to go by, and covering under heavy tails as well as normally."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.deviation import deviation_interval
from stats.number import StatError
from stats.sample_size import detectable_wilcoxon, sample_size_wilcoxon

VALUES = st.lists(st.fractions(-50, 50, max_denominator=100), min_size=6, max_size=30)


@given(VALUES, st.integers(1, 9), st.integers(-5, 5))
def test_equivariant(values: list[Fraction], factor: int, shift: int) -> None:
    found = deviation_interval(values, level="0.95")
    other = deviation_interval([factor * each + shift for each in values], level="0.95")
    assert other.value == pytest.approx(factor * found.value)
    if found.lo is not None and found.hi is not None:
        assert other.lo == pytest.approx(factor * found.lo)
        assert other.hi == pytest.approx(factor * found.hi)
        assert found.lo < found.hi


@given(VALUES)
def test_the_order_does_not_matter(values: list[Fraction]) -> None:
    assert deviation_interval(values, level="0.95") == deviation_interval(sorted(values), level="0.95")


def test_little_to_go_by() -> None:
    with pytest.raises(StatError):
        deviation_interval([Fraction(1)], level="0.95")
    few = deviation_interval([Fraction(1), Fraction(3)], level="0.95")
    assert few.value == pytest.approx(math.sqrt(2))
    assert few.lo is few.hi is None
    assert few.reason
    alike = deviation_interval([Fraction(1)] * 9, level="0.95")
    assert (alike.value, alike.lo) == (0.0, None)
    assert alike.reason == "all values are alike"


@pytest.mark.parametrize(
    ("draw", "truth", "least"),
    [
        (lambda chance: chance.gauss(0, 2), 2.0, 0.92),
        (lambda chance: chance.expovariate(1), 1.0, 0.85),
    ],
    ids=["normal", "exponential"],
)
def test_it_covers(draw: object, truth: float, least: float) -> None:
    chance = random.Random(5)
    held = 0
    for _ in range(400):
        found = deviation_interval([Fraction(round(draw(chance) * 1000), 1000) for _ in range(25)], level="0.95")  # type: ignore[operator]
        assert found.lo is not None
        assert found.hi is not None
        held += found.lo <= truth <= found.hi
    assert held / 400 >= least


@given(st.fractions(Fraction(1, 20), 3, max_denominator=100), st.integers(2, 400))
def test_detectable_turns_the_sample_size_around(sigma: Fraction, n: int) -> None:
    effect = detectable_wilcoxon(sigma=sigma, n=n, alpha_one_sided="0.05", power="0.8")
    size = sample_size_wilcoxon(
        sigma=sigma, delta=Fraction(effect), alpha_one_sided="0.05", power="0.8", constants="exact"
    )
    assert size.n_raw == pytest.approx(n)


@pytest.mark.parametrize("bad", [{"sigma": 0}, {"n": 0}, {"power": "1"}])
def test_detectable_refuses(bad: dict[str, object]) -> None:
    with pytest.raises(StatError):
        detectable_wilcoxon(**{"sigma": 1, "n": 5, "alpha_one_sided": "0.05", "power": "0.8", **bad})  # type: ignore[arg-type]
