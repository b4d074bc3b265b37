"""The fixed sequence and Holm, each against the closed test that it is a short cut of, and on the numbers of a known trial."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from stats.calculator import calculate
from stats.fixed_sequence import fixed_sequence
from stats.holm import holm
from stats.number import StatError

P = st.lists(st.fractions(0, 1, max_denominator=400), min_size=1, max_size=6)


def closed(values: Sequence[Fraction], local: Callable[[list[Fraction]], Fraction]) -> tuple[Fraction, ...]:
    """Closed testing (Marcus, Peritz & Gabriel 1976), by brute force: the largest local p of any intersection with the hypothesis."""
    places = range(len(values))
    subsets = [each for size in range(1, len(values) + 1) for each in combinations(places, size)]
    return tuple(max(local([values[k] for k in each]) for each in subsets if place in each) for place in places)


@given(P)
def test_the_fixed_sequence_is_the_closed_test_that_looks_at_the_first_alone(values):
    assert fixed_sequence(values) == closed(values, lambda chosen: chosen[0])


@given(P)
def test_holm_is_the_closed_test_by_bonferroni(values):
    assert holm(values) == closed(values, lambda chosen: min(Fraction(1), len(chosen) * min(chosen)))


@given(P, st.fractions(0, 1, max_denominator=400))
def test_a_member_counts_only_if_all_before_it_did(values, level):
    """The gate as it is told in words: test in order at the whole level, stop at the first that is not rejected."""
    open_, rejected = True, []
    for p in values:
        open_ = open_ and p < level
        rejected.append(open_)
    assert [p < level for p in fixed_sequence(values)] == rejected


@given(P)
def test_the_adjusted_grow_and_are_never_below_their_own(values):
    adjusted = fixed_sequence(values)
    assert list(adjusted) == sorted(adjusted)
    assert all(own <= fixed for own, fixed in zip(values, adjusted, strict=True))
    assert fixed_sequence(adjusted) == adjusted


@given(P, st.integers(0, 5), st.sampled_from([holm, fixed_sequence]))
def test_an_unknown_p_taken_as_one_is_the_worst_it_could_be(values, place, correct):
    """Whatever the unknown p truly is, no other member's adjusted p is larger than with 1 in its place."""
    place %= len(values)
    worst = correct([*values[:place], Fraction(1), *values[place + 1 :]])
    assert all(adjusted <= most for adjusted, most in zip(correct(values), worst, strict=True))


def test_the_dose_finding_trial_of_dmitrienko_and_others():
    """Three doses against placebo, 180 patients an arm: differences 2.3, 2.5, 1.9 with a pooled deviation of 9.5.

    Dmitrienko et al. (2009), Multiple Testing Problems in Pharmaceutical Statistics, section 2.6; its raw p-values round to
    0.0110, 0.0064 and 0.0293. In order 1, 2, 3 the middle dose waits for the first; Holm goes by size.
    """
    error = 9.5 * sqrt(2 / 180)
    raw = [float(t.sf(effect / error, 2 * (180 - 1))) for effect in (2.3, 2.5, 1.9)]
    assert [round(p, 4) for p in raw] == pytest.approx([0.0110, 0.0064, 0.0293], abs=1.1e-4)
    assert [float(p) for p in fixed_sequence(raw)] == [raw[0], raw[0], raw[2]]
    assert [float(p) for p in holm(raw)] == pytest.approx([2 * raw[0], 3 * raw[1], max(2 * raw[0], raw[2])])
    at = 0.025  # one-sided: the sequence rejects the first two doses; Holm too, and neither the third
    assert [p <= at for p in fixed_sequence(raw)] == [p <= at for p in holm(raw)] == [True, True, False]


def test_a_gate_that_stays_shut_shuts_out_the_smallest_p():
    assert fixed_sequence(["0.06", "0.0001", "0.2", "0.01"]) == tuple(map(Fraction, ("0.06", "0.06", "0.2", "0.2")))
    assert calculate("fixed_sequence", {"p": [0.06, 0.0001, 0.2]}) == {"adjusted": [0.06, 0.06, 0.2]}


@pytest.mark.parametrize("values", [[], ["1.2"], ["-0.1"], ["NaN"]])
def test_what_is_no_p_is_refused(values):
    with pytest.raises(StatError):
        fixed_sequence(values)
