"""The exact signed-rank test against enumeration, and its laws."""

import itertools
from collections import Counter
from fractions import Fraction
from math import log10
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.number import StatError
from stats.signed_rank import signed_rank, smallest_n_for

small = st.lists(st.integers(-4, 4).map(Fraction), min_size=1, max_size=10)
wide = st.lists(st.integers(-60, 60).map(lambda k: Fraction(k, 7)), min_size=1, max_size=40)
zeros = st.sampled_from(["wilcox", "pratt"])
alternatives = st.sampled_from(["two-sided", "less", "greater"])
MIRROR = {"less": "greater", "greater": "less", "two-sided": "two-sided"}


def enumerated(differences, zero_rule, alternative):
    """p by listing every sign vector, ranks by their definition."""
    kept = [d for d in differences if d] if zero_rule == "wilcox" else differences
    sizes = [abs(d) for d in kept]
    ranks = [Fraction(sum(other < size for other in sizes) * 2 + sizes.count(size) + 1, 2) for size in sizes]
    used = [(rank, d > 0) for rank, d in zip(ranks, kept, strict=True) if d]
    observed = sum(rank for rank, positive in used if positive)
    centre = sum(rank for rank, _ in used) / 2
    hits = 0
    for signs in itertools.product((False, True), repeat=len(used)):
        plus = sum(rank for (rank, _), positive in zip(used, signs, strict=True) if positive)
        hits += {
            "less": plus <= observed,
            "greater": plus >= observed,
            "two-sided": abs(plus - centre) >= abs(observed - centre),
        }[alternative]
    return Fraction(hits, 2 ** len(used))


@given(small, zeros, alternatives)
def test_equals_enumeration(differences, zero_rule, alternative):
    result = signed_rank(differences, zeros=zero_rule, alternative=alternative)
    top, bottom = result.p_exact.split("/2^")
    assert Fraction(int(top), 2 ** int(bottom)) == enumerated(differences, zero_rule, alternative)
    assert result.p == float(enumerated(differences, zero_rule, alternative))


@given(wide, zeros, alternatives, st.randoms())
def test_order_of_tasks_cannot_matter(differences, zero_rule, alternative, chance):
    shuffled = list(differences)
    chance.shuffle(shuffled)
    assert signed_rank(shuffled, zeros=zero_rule, alternative=alternative) == signed_rank(
        differences, zeros=zero_rule, alternative=alternative
    )


@given(wide, zeros, alternatives)
def test_swapping_the_arms_mirrors(differences, zero_rule, alternative):
    one = signed_rank(differences, zeros=zero_rule, alternative=alternative)
    other = signed_rank([-d for d in differences], zeros=zero_rule, alternative=MIRROR[alternative])
    assert (one.p, one.w_plus, one.w_minus) == (other.p, other.w_minus, other.w_plus)


@given(wide, zeros, alternatives, st.fractions(min_value=Fraction(1, 1000), max_value=1000))
def test_unit_cannot_matter(differences, zero_rule, alternative, scale):
    scaled = [d * scale for d in differences]
    assert signed_rank(scaled, zeros=zero_rule, alternative=alternative) == signed_rank(
        differences, zeros=zero_rule, alternative=alternative
    )


@given(st.sets(st.integers(-200, 200), min_size=1, max_size=25), st.integers(1, 50))
def test_p_is_monotone_in_a_shift(distinct, shift):
    """Adding to every difference can only make "greater" more significant (odd multiples, so that nothing becomes zero)."""
    differences = [Fraction(2 * d + 1) for d in distinct]
    before = signed_rank(differences, zeros="wilcox", alternative="greater").p
    after = signed_rank([d + 2 * shift for d in differences], zeros="wilcox", alternative="greater").p
    assert after <= before


@given(wide, zeros, alternatives)
def test_never_below_what_is_attainable(differences, zero_rule, alternative):
    result = signed_rank(differences, zeros=zero_rule, alternative=alternative)
    assert 0 < result.attainable_min <= result.p <= 1


@given(st.integers(1, 20))
def test_the_extreme_attains_the_minimum(n):
    result = signed_rank(range(1, n + 1), zeros="wilcox", alternative="greater")
    assert result.p == result.attainable_min == 2.0**-n


def test_floor_of_the_design():
    assert smallest_n_for(Fraction(1, 20), two_sided=False) == 5
    assert smallest_n_for(Fraction(1, 20), two_sided=True) == 6


@pytest.mark.parametrize("step", [1, Fraction(1, 2)])
def test_doubles_agree_with_integers(step, monkeypatch):
    """400 tasks with ties: the same p whether counted in integers or summed in doubles."""
    differences = [Fraction((k * 7919) % 401 - 180) * step // 1 for k in range(400)]
    summed = signed_rank(differences, zeros="pratt", alternative="less")
    monkeypatch.setattr("stats.subset_sums.INTEGER_BUDGET", 10**12)
    counted = signed_rank(differences, zeros="pratt", alternative="less")
    assert summed.p_exact is None
    assert counted.p_exact is not None
    assert summed.p == pytest.approx(counted.p, rel=1e-13)
    assert summed.log10_p == pytest.approx(counted.log10_p, rel=1e-12)


def test_two_thousand_tasks_far_in_the_tail_keep_their_logarithm():
    differences = [Fraction(k if k % 3 else -k) for k in range(1, 1501)]
    result = signed_rank(differences, zeros="wilcox", alternative="greater")
    assert result.p >= result.attainable_min
    assert -60 < result.log10_p < -20


@pytest.mark.parametrize("ties", [1, 3, 500])
def test_ten_thousand_tasks(ties):
    """The law is inverted, which is said, and p is near that of the normal law with its variance for ties."""
    differences = [Fraction(((place * 7919 % 10_007) - 4_900) // ties) for place in range(10_000)]
    result = signed_rank(differences, zeros="wilcox", alternative="greater")
    assert result.method == "characteristic-function"
    assert result.p_exact is None
    ranks = Counter(abs(each) for each in differences if each)
    below, squares = 0, 0.0
    for size in sorted(ranks):
        squares += ranks[size] * (below + (ranks[size] + 1) / 2) ** 2
        below += ranks[size]
    away = (result.w_plus - (result.w_plus + result.w_minus) / 2) / (squares / 4) ** 0.5
    assert result.p == pytest.approx(NormalDist().cdf(-away), rel=2e-3)


@given(st.sampled_from([0, 1, 17, 40]), alternatives)
@settings(deadline=None, max_examples=12)
def test_swapping_the_arms_of_two_thousand_tasks_mirrors(ties, alternative):
    differences = [Fraction(((place * 7919 % 2_003) - 950) // (ties + 1)) for place in range(2_000)]
    one = signed_rank(differences, zeros="pratt", alternative=alternative)
    other = signed_rank([-each for each in differences], zeros="pratt", alternative=MIRROR[alternative])
    assert one.method == other.method == "characteristic-function"
    assert one.p == pytest.approx(other.p, rel=1e-9)


def test_rounding_noise_buys_no_significance_in_decimals():
    """0.3 - (0.1 + 0.2) is zero in decimals, and ranks first among doubles."""
    decimals = [Fraction(0), *map(Fraction, (-1, -2, -3, -4, -5))]
    doubles = [Fraction(0.3) - Fraction(0.1 + 0.2), *decimals[1:]]
    assert signed_rank(decimals, zeros="wilcox", alternative="two-sided").p == 0.0625
    assert signed_rank(doubles, zeros="wilcox", alternative="two-sided").p == 0.03125


@pytest.mark.parametrize("bad", [[], [0.5], [True], [float("nan")]])
def test_refuses_what_is_not_exact(bad):
    with pytest.raises(StatError):
        signed_rank(bad, zeros="wilcox", alternative="less")


@pytest.mark.parametrize(("sign", "p"), [(-1, 0.0), (1, 1.0)])
@pytest.mark.parametrize("tasks", [1_100, 20_000])
def test_beyond_the_doubles_nothing_is_claimed_to_be_zero(tasks, sign, p):
    """2^-20000 is no double, and the count of all its sign vectors has more digits than Python writes."""
    result = signed_rank([sign * (place + 1) for place in range(tasks)], zeros="wilcox", alternative="less")
    assert (result.p, result.attainable_min) == (p, 5e-324)
    assert result.p_exact == (f"1/2^{tasks}" if sign < 0 else None)
    assert result.log10_p == pytest.approx(-tasks * log10(2) if sign < 0 else 0)
