"""Seeded orders: CPython's shuffle, written out so that it cannot change, and an order by keyed hash that additions leave alone."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Twister:
    """MT19937 (Matsumoto and Nishimura 1998), seeded and read as CPython's ``random.Random(seed)`` does it.

    Only the generator's raw words come from the standard library, whose seeding by an integer and ``getrandbits`` have
    been the same since Python 3.2; how words become choices stands here. Golden vectors in the tests hold both still.
    """

    def __init__(self, seed: int) -> None:
        """Seed the generator.

        Raises:
            ValueError: The seed is negative: CPython would take it for its absolute value.
        """
        if seed < 0:
            raise ValueError(f"a seed is not negative, and this one is {seed}")
        self._words = random.Random(seed)  # noqa: S311  # drawing lots in public, not cryptography

    def below(self, bound: int) -> int:
        """Draw an integer in 0 … bound - 1, all alike: ``bit_length`` bits, drawn again while too large."""
        bits = bound.bit_length()
        drawn = self._words.getrandbits(bits)
        while drawn >= bound:
            drawn = self._words.getrandbits(bits)
        return drawn

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """Shuffle as CPython does: Fisher-Yates from the end (Durstenfeld 1964), one ``below`` a place."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            chosen = self.below(last + 1)
            order[last], order[chosen] = order[chosen], order[last]
        return tuple(order)


def python_shuffle(items: Sequence[T], seed: int) -> tuple[T, ...]:
    """Give the order that ``random.Random(seed).shuffle`` would leave (``python-random-v1``).

    Raises:
        ValueError: The seed is negative.
    """
    return Twister(seed).shuffled(items)


def keyed_order(names: Sequence[str], seed: int) -> tuple[str, ...]:
    """Order names by SHA-256 of the seed and the name (``keyed-sha256-v1``).

    A name's place depends on nothing but itself and the seed, so that adding or removing another one never reshuffles
    the rest. The order is that of the hashes of ``prereg/keyed-order/v1``, NUL, the seed in decimal, NUL, the name.
    """
    return tuple(sorted(names, key=lambda name: (_key(seed, name), name)))


def _key(seed: int, name: str) -> bytes:
    return hashlib.sha256(b"\0".join((b"prereg/keyed-order/v1", str(seed).encode(), name.encode()))).digest()
