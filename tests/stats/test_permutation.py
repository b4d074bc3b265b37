"""The sign-flip test: enumeration, two ways of counting, seeded draws."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.number import StatError
from stats.permutation import sign_flip

coarse = st.lists(st.integers(-9, 9).map(Fraction), min_size=1, max_size=9)
fine = st.lists(st.fractions(-9, 9, max_denominator=10**6), min_size=1, max_size=9)
SKEWED = [(-1 if k < 3 else 1) + Fraction(1, 10_000_019 + k) for k in range(70)]
alternatives = st.sampled_from(["two-sided", "less", "greater"])


def enumerated(values, alternative):
    observed = sum(values)
    totals = [
        sum(sign * abs(value) for sign, value in zip(signs, values, strict=True))
        for signs in product((-1, 1), repeat=len(values))
    ]
    hits = {
        "less": [t <= observed for t in totals],
        "greater": [t >= observed for t in totals],
        "two-sided": [abs(t) >= abs(observed) for t in totals],
    }
    return float(Fraction(sum(hits[alternative]), len(totals)))


@given(coarse | fine, alternatives)
def test_equals_enumeration(values, alternative):
    result = sign_flip(values, alternative=alternative)
    assert result.exact
    assert result.p == enumerated(values, alternative)
    assert result.attainable_min <= result.p
    assert result.statistic == pytest.approx(float(sum(values) / len(values)))


@given(coarse, alternatives, st.fractions(Fraction(1, 9), 9, max_denominator=9))
def test_unit_cannot_matter(values, alternative, scale):
    assert (
        sign_flip([scale * value for value in values], alternative=alternative).p
        == sign_flip(values, alternative=alternative).p
    )


def test_more_than_can_be_counted_is_drawn_and_says_so():
    values = [Fraction(k * 7919 % 10007 - 4000, 10_000_019 + k) for k in range(60)]
    result = sign_flip(values, alternative="greater", resamples=20_000, seed=3)
    assert (result.exact, result.p_exact, result.resamples) == (False, None, 20_000)
    assert result.p == sign_flip(values, alternative="greater", resamples=20_000, seed=3).p
    near = sign_flip([Fraction(round(value * 10**7), 100) for value in values], alternative="greater")
    assert near.exact
    assert result.p == pytest.approx(near.p, abs=4.5 * (near.p * (1 - near.p) / 20_000) ** 0.5)


def test_drawn_p_is_never_zero():
    result = sign_flip(SKEWED, alternative="greater", resamples=999, seed=1)
    assert result.p == result.attainable_min == 0.001


@pytest.mark.parametrize(("resamples", "seed"), [(0, 1), (10, -1)])
def test_refuses(resamples, seed):
    with pytest.raises(StatError):
        sign_flip(SKEWED, alternative="greater", resamples=resamples, seed=seed)


@pytest.mark.parametrize(("alternative", "p"), [("greater", 5e-324), ("two-sided", 5e-324), ("less", 1.0)])
def test_thousands_of_tasks_have_no_p_of_zero(alternative, p):
    result = sign_flip([Fraction(1)] * 20_000, alternative=alternative)
    assert (result.p, result.attainable_min, result.exact) == (p, 5e-324, True)


def test_differences_too_fine_to_be_kept_are_counted_and_not_called_drawn():
    values = [Fraction(place * 7919 % 101 - 40, 3 ** (3_000 + place)) for place in range(20)]
    result = sign_flip(values, alternative="two-sided")
    assert (result.exact, result.p_exact, result.resamples) == (False, None, None)
