"""pass@k and pass^k are shares of subsets."""

from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from stats.pass_k import pass_at_k, pass_hat_k


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_k_are_shares_of_subsets(case):
    n, c, k = case
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == Fraction(sum(map(any, subsets)), len(subsets))
    assert pass_hat_k(n, c, k) == Fraction(sum(map(all, subsets)), len(subsets))
