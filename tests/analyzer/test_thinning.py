"""Figures of many trials: what is drawn is a part, evenly taken, and the title says so."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from analyzer.figures.course import spreads
from analyzer.figures.sheet import MOST_DOTS, thinned, thinning
from analyzer.page import table


@given(st.integers(0, 5000))
def test_no_more_dots_than_can_be_told_apart_and_told_where_some_are_left_out(count: int) -> None:
    dots = thinned(range(count))
    assert len(dots) <= MOST_DOTS
    assert (len(dots) < count) == bool(thinning(3, count))
    steps = {other - one for one, other in pairwise(dots)}
    assert len(steps) <= 1
    assert all(f"one in {step} " in thinning(count) for step in steps if step > 1)


def test_the_title_of_a_spread_says_what_it_draws() -> None:
    def title(trials: int) -> str:
        amounts = {"baseline": [1.0 + each for each in range(trials)], "guide": [1.0]}
        (found,) = spreads([("cost", "USD", amounts)], table("Distributions", ("arm",), ()))
        assert found.draw().count("<use") < 3 * MOST_DOTS
        return found.title

    assert "one in" not in title(MOST_DOTS)
    assert title(30_000).endswith("(where dots are many, one in 75 is drawn; bars and lines are those of all)")
