"""Relative changes are exact."""

from fractions import Fraction

import pytest

from stats import relative_change
from stats.number import StatError


def test_relative_changes_tie_exactly():
    changes = relative_change.relative_changes(
        [Fraction(3, 10), Fraction(9, 10)], [Fraction(33, 100), Fraction(99, 100)]
    )
    assert changes == (Fraction(1, 10), Fraction(1, 10))
    assert relative_change.median(changes) == relative_change.mean(changes) == Fraction(1, 10)
    with pytest.raises(StatError):
        relative_change.relative_changes([Fraction(1)], [])
