"""McNemar's exact test: binomial sums by definition, symmetry, floors."""

from fractions import Fraction
from math import comb

from hypothesis import given
from hypothesis import strategies as st

from stats.mcnemar import max_minor, mcnemar, min_discordant

side = st.integers(0, 40)


@given(side, side)
def test_p_values_by_definition(b, c):
    n = b + c
    law = [Fraction(comb(n, k), 2**n) for k in range(n + 1)]
    result = mcnemar(b, c)
    assert result.p_less == float(sum(law[: b + 1]))
    assert result.p_greater == float(sum(law[b:]))
    assert result.p_two_sided == float(sum(share for k, share in enumerate(law) if abs(2 * k - n) >= abs(b - c)))
    assert result.mid_p_less == float(sum(law[: b + 1]) - law[b] / 2)


@given(side, side)
def test_swapping_the_arms_mirrors(b, c):
    one, other = mcnemar(b, c), mcnemar(c, b)
    assert (one.p_two_sided, one.mid_p_two_sided) == (other.p_two_sided, other.mid_p_two_sided)
    assert (one.p_less, one.mid_p_less) == (other.p_greater, other.mid_p_greater)


@given(side, side)
def test_more_wins_are_more_significant(b, c):
    assert mcnemar(b + 1, c).p_greater <= mcnemar(b, c).p_greater
    assert mcnemar(b, c).p_greater <= mcnemar(b, c + 1).p_greater


@given(side, side)
def test_never_below_what_is_attainable(b, c):
    result = mcnemar(b, c)
    assert result.p_two_sided >= min(1.0, 2.0 ** (1 - b - c))
    assert result.mid_p_two_sided <= result.p_two_sided


def test_floors():
    five = Fraction(1, 20)
    assert min_discordant(five, two_sided=True).min_discordant == 6
    assert min_discordant(five, two_sided=False).min_discordant == 5
    assert min_discordant(five, two_sided=True, mid_p=True).min_discordant == 5
    assert min_discordant("0.01", two_sided=True).min_discordant == 8


def test_critical_splits_of_the_table():
    table = {
        0: range(6, 9),
        1: range(9, 12),
        2: range(12, 15),
        3: range(15, 17),
        4: range(17, 20),
        5: range(20, 23),
        6: range(23, 25),
    }
    assert {m: max_minor(m, "0.05", two_sided=True) for ms in table.values() for m in ms} == {
        m: k for k, ms in table.items() for m in ms
    }


@given(st.integers(0, 80), st.booleans(), st.booleans())
def test_critical_split_is_where_p_crosses_alpha(discordant, two_sided, mid_p):
    minor = max_minor(discordant, "0.05", two_sided=two_sided, mid_p=mid_p)

    def p(losing):
        result = mcnemar(discordant - losing, losing)
        name = ("mid_p" if mid_p else "p") + ("_two_sided" if two_sided else "_greater")
        return getattr(result, name)

    if minor is None:
        assert p(0) >= 0.05
    else:
        assert p(minor) < 0.05
        assert minor == discordant // 2 or p(minor + 1) >= 0.05


def test_no_floor_is_zero():
    assert min_discordant("1e-390", two_sided=True).smallest_p > 0
