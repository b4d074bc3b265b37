"""Holm's adjustment: bounds, monotony, order."""

from hypothesis import given
from hypothesis import strategies as st

from stats.holm import holm


@given(st.lists(st.fractions(0, 1, max_denominator=1000), min_size=1, max_size=8), st.randoms())
def test_holm_is_monotone_and_moves_with_the_order(values, chance):
    adjusted = holm(values)
    order = list(range(len(values)))
    chance.shuffle(order)
    assert holm([values[place] for place in order]) == tuple(adjusted[place] for place in order)
    assert all(value <= fixed <= min(1, len(values) * value) for value, fixed in zip(values, adjusted, strict=True))
    ranked = sorted(zip(values, adjusted, strict=True))
    assert [fixed for _, fixed in ranked] == sorted(adjusted)
