"""Reads what an agent's run measured: each amount as an exact number, each flag and word as what its name says it is."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from compiler.plan import AnalysisPlan
from ledger.errors import Fault
from ledger.plain import Plain
from spec_lang.catalog import TRIAL_FACTS
from spec_lang.expr.types import BOOL, NUMBER, TEXT, BoolType, NumberType, describe, named
from spec_lang.expr.types import Type as Kind

Fact: TypeAlias = bool | str | Fraction | None
"""What is known of a trial under one name; None is unknown."""

Place: TypeAlias = tuple[int, str, str]
"""Where a measure stands: the line of the ledger, its kind, and the trial."""

_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
_LONGEST = 100
"""Characters of a number; longer ones are no measurement, and what is made of them is too large for any verdict."""

_MOST_SEEN = 1 << 18
"""Amounts that are remembered; those of a run come again, and each is made once."""

_COLLECTED: Mapping[str, Kind] = {"count": NUMBER, "bool": BOOL, "text": TEXT}
_KINDS: Mapping[str, Kind] = {name: named(written) for name, (written, _) in TRIAL_FACTS.items()}


class MeasureReader:
    """Reads the measures of many trials by the kinds that their names have in a plan, and keeps every fault."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.faults: list[Fault] = []
        kinds = {**_KINDS, **{name: _COLLECTED[each.type] for name, each in plan.collect.items()}}
        self._readers = {name: self._reader(kind) for name, kind in kinds.items()}
        self._amounts = frozenset(name for name, kind in kinds.items() if isinstance(kind, NumberType))
        self._types = {name: _type(kind) for name, kind in kinds.items() if name not in self._amounts}
        self._seen: dict[int | str, Fraction] = {}

    def read(self, measures: Mapping[str, Plain], place: Place, before: Mapping[str, Fact]) -> dict[str, Fact]:
        """Add each measure as a bool, a text or an exact number to what is known before; what the language cannot name is unknown."""
        amounts, types, seen = self._amounts, self._types, self._seen
        facts: dict[str, Fact] = {**before, **measures}  # type: ignore[dict-item]  # what is no text, flag or none is replaced
        for name, value in measures.items():  # most are of their kind, and amounts come again
            found = type(value)
            if value is None or found is types.get(name):
                continue
            if name in amounts and (found is int or found is str) and value in seen:
                facts[name] = seen[value]
            else:
                facts[name] = self._readers.get(name, self._unnamed)(name, value, place)
        return facts

    def _reader(self, kind: Kind) -> Callable[[str, Plain, Place], Fact]:
        if isinstance(kind, NumberType):
            return self._number
        wanted = _type(kind)

        def read(name: str, value: Plain, place: Place) -> Fact:
            if isinstance(value, bool | str) and isinstance(value, wanted):
                return value
            self._refuse(name, value, describe(kind), place)
            return None

        return read

    def _number(self, name: str, value: Plain, place: Place) -> Fraction | None:
        number, negative = None, False
        if type(value) is int:
            number, negative = Fraction(value), value < 0
        elif type(value) is str and len(value) <= _LONGEST:
            number = _decimal(value)
            negative = value.startswith("-") and number != 0
        if number is None:
            self._refuse(name, value, "an integer or a decimal string such as 0.0421", place)
        elif negative:
            self._refuse(name, value, "zero or more: an unknown amount is null, never negative", place)
        elif len(self._seen) < _MOST_SEEN:
            self._seen[value] = number  # type: ignore[index]  # a whole number or a text, as it was read
        return number

    def _unnamed(self, name: str, value: Plain, place: Place) -> None:
        if isinstance(value, float):
            self._refuse(name, value, "an integer or a decimal string", place)

    def _refuse(self, name: str, value: object, expected: str, place: Place) -> None:
        if isinstance(value, float):
            expected = "an integer or a decimal string"
        line, kind, trial = place
        self.faults.append(
            Fault(
                code="measure",
                what=f"{name} is nothing that can be judged",
                expected=expected,
                got=repr(value)[:80],
                where=f"ledger line {line}, {kind} of {trial}: {name}",
                hint="the ledger was altered, or its agent adapter is at fault; an unknown value is null with a reason",
            )
        )


@lru_cache(maxsize=1 << 16)
def whole(number: int) -> Fraction:
    """Give an integer as the exact number that it is."""
    return Fraction(number)


def _type(kind: Kind) -> type:
    """Give the type in which a ledger writes a text or a flag."""
    return bool if isinstance(kind, BoolType) else str


def _decimal(text: str) -> Fraction | None:
    """Read a decimal exactly; None when it is none."""
    if _DECIMAL.fullmatch(text) is None:
        return None
    whole, _, part = text.partition(".")
    return Fraction(int(whole + part), 10 ** len(part))  # what Fraction(text) gives, in half the time
