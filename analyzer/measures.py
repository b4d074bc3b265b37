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

_COLLECTED: Mapping[str, Kind] = {"count": NUMBER, "bool": BOOL, "text": TEXT}
_KINDS: Mapping[str, Kind] = {name: named(written) for name, (written, _) in TRIAL_FACTS.items()}


class MeasureReader:
    """Reads the measures of many trials by the kinds that their names have in a plan, and keeps every fault."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.faults: list[Fault] = []
        kinds = {**_KINDS, **{name: _COLLECTED[each.type] for name, each in plan.collect.items()}}
        self._readers = {name: self._reader(kind) for name, kind in kinds.items()}

    def read(self, measures: Mapping[str, Plain], place: Place) -> dict[str, Fact]:
        """Give each measure as a bool, a text or an exact number; what the language cannot name is unknown."""
        readers, unnamed = self._readers, self._unnamed
        return {
            name: None if value is None else readers.get(name, unnamed)(name, value, place)
            for name, value in measures.items()
        }

    def _reader(self, kind: Kind) -> Callable[[str, Plain, Place], Fact]:
        if isinstance(kind, NumberType):
            return self._number
        wanted = bool if isinstance(kind, BoolType) else str

        def read(name: str, value: Plain, place: Place) -> Fact:
            if isinstance(value, wanted):
                return value
            self._refuse(name, value, describe(kind), place)
            return None

        return read

    def _number(self, name: str, value: Plain, place: Place) -> Fraction | None:
        number, negative = None, False
        if type(value) is int:
            number, negative = whole(value), value < 0
        elif type(value) is str and len(value) <= _LONGEST:
            number, negative = _decimal(value), value.startswith("-") and value.strip("-0.") != ""
        if number is None:
            self._refuse(name, value, "an integer or a decimal string such as 0.0421", place)
        elif negative:
            self._refuse(name, value, "zero or more: an unknown amount is null, never negative", place)
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


@lru_cache(maxsize=1 << 16)
def _decimal(text: str) -> Fraction | None:
    """Read a decimal exactly; None when it is none."""
    if _DECIMAL.fullmatch(text) is None:
        return None
    whole, _, part = text.partition(".")
    return Fraction(int(whole + part), 10 ** len(part))  # what Fraction(text) gives, in half the time
