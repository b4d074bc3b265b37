"""Seeded orders: golden vectors, equality with the interpreter's own shuffle, and what an addition leaves alone."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.chance import Twister, keyed_order, python_shuffle

NAMES = st.lists(st.text(max_size=8), unique=True, max_size=30)
SEEDS = st.integers(0, 2**64)


def test_golden_shuffle_of_the_registered_seed() -> None:
    # random.Random(20261014).shuffle of range(20), by CPython 3.11
    assert python_shuffle(range(20), 20261014) == (14, 0, 1, 19, 3, 9, 7, 6, 11, 2, 12, 8, 13, 18, 16, 10, 15, 4, 5, 17)


def test_golden_words() -> None:
    # The first outputs of MT19937 after init_by_array({5489}) as getrandbits(32) gives them, by CPython 3.11.
    twister = Twister(5489)
    assert [twister.below(2**31) for _ in range(4)] == [956215839, 417760592, 166104981, 1596625880]


def test_golden_keyed_order() -> None:
    assert keyed_order(["a", "b", "c", "d", "e"], 1) == ("c", "b", "d", "e", "a")


@given(st.lists(st.integers(), max_size=200), SEEDS)
def test_it_is_the_shuffle_of_the_interpreter(items: list[int], seed: int) -> None:
    theirs = list(items)
    random.Random(seed).shuffle(theirs)
    assert python_shuffle(items, seed) == tuple(theirs)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="not negative"):
        python_shuffle([1, 2], -1)


@given(NAMES, SEEDS)
def test_orders_are_permutations(names: list[str], seed: int) -> None:
    assert sorted(keyed_order(names, seed)) == sorted(names)
    assert sorted(python_shuffle(names, seed)) == sorted(names)


@given(NAMES, st.text(max_size=8), SEEDS, st.randoms())
def test_an_added_name_never_reshuffles_the_others(names: list[str], new: str, seed: int, chaos: random.Random) -> None:
    mixed = [*(name for name in names if name != new), new]
    chaos.shuffle(mixed)
    with_it = keyed_order(mixed, seed)
    without = keyed_order([name for name in names if name != new], seed)
    assert tuple(name for name in with_it if name != new) == without


@pytest.mark.parametrize("shuffle", [python_shuffle, keyed_order])
def test_every_order_is_as_likely(shuffle: object) -> None:
    assert callable(shuffle)
    seen = Counter(shuffle(["a", "b", "c"], seed) for seed in range(6000))
    assert len(seen) == 6
    assert all(850 < count < 1150 for count in seen.values())
