"""Plain inputs of a calculation, read by name and checked for leftovers."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from stats.number import StatError, count, exact, exact_double


class Inputs:
    """Named inputs; remembers which were read, so that a misspelt one is refused and not ignored."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self._read: set[str] = set()

    def has(self, name: str) -> bool:
        """Whether the input is given, and not null."""
        self._read.add(name)
        return self._given.get(name) is not None

    def raw(self, name: str) -> Any:
        """The input as it is.

        Raises:
            StatError: not given.
        """
        if not self.has(name):
            raise StatError(f"missing input: {name}")
        return self._given[name]

    def number(self, name: str) -> Fraction:
        """The input as an exact number.

        Raises:
            StatError: not given, or no finite number.
        """
        return exact(self.raw(name))

    def count(self, name: str, default: int | None = None) -> int:
        """The input as a count.

        Raises:
            StatError: not given without a default, or no count.
        """
        return default if default is not None and not self.has(name) else count(self.raw(name), name)

    def word(self, name: str, choices: Sequence[str], default: str | None = None) -> Any:
        """The input as one of the ``choices``.

        Raises:
            StatError: not given without a default, or another word.
        """
        word = default if default is not None and not self.has(name) else self.raw(name)
        if word not in choices:
            raise StatError(f"{name} must be one of {', '.join(choices)}, not {word!r}")
        return word

    def flag(self, name: str) -> bool:
        """The input as a yes or no; absent is no.

        Raises:
            StatError: not a boolean.
        """
        value = self._given.get(name, False) if self.has(name) else False
        if not isinstance(value, bool):
            raise StatError(f"{name} must be true or false, not {value!r}")
        return value

    def items(self, name: str) -> Sequence[Any]:
        """The input as a list.

        Raises:
            StatError: not given, or no list.
        """
        value = self.raw(name)
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise StatError(f"{name} must be a list")
        return value

    def numbers(self, name: str) -> list[Fraction]:
        """The input as a list of exact numbers.

        Raises:
            StatError: not given, no list, or something in it that is no finite number.
        """
        return [exact(value) for value in self.items(name)]

    def doubles(self, name: str) -> list[float]:
        """The input as a list of doubles.

        Raises:
            StatError: not given, no list, or something in it that is no finite double.
        """
        return [float(exact_double(value)) for value in self.items(name)]

    def labels(self, name: str) -> list[Hashable]:
        """The input as a list of labels: words, numbers or booleans.

        Raises:
            StatError: not given, no list, or something in it that is no label.
        """
        labels = list(self.items(name))
        for label in labels:
            if label is None or not isinstance(label, Hashable):
                raise StatError(f"not a label in {name}: {label!r}")
        return labels

    def refuse_unread(self) -> None:
        """Refuse inputs that nothing asked for.

        Raises:
            StatError: naming the first, and the known one nearest to it.
        """
        for name in self._given:
            if name not in self._read:
                raise StatError(f"unknown input: {name}{hint(name, self._read)}")


def hint(word: str, known: Iterable[str]) -> str:
    """The words `; did you mean …?` with the known word that begins alike or is spelt nearest; empty when none is near."""
    words = sorted(known)
    near = [one for one in words if len(word) > 2 and one.startswith(word)] or get_close_matches(word, words, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
