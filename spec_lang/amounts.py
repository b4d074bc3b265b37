"""Amounts as authors write them: a number, a space, a unit."""

import re
from decimal import Decimal

from spec_lang.nearest import hint
from spec_lang.quantity import UNITS, Dimension, Quantity, Range
from spec_lang.scalars import MOST_DIGITS

_AMOUNT = re.compile(r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)( ?)([A-Za-z%]+)\Z")
_UNITS = {unit.name: unit for unit in UNITS}

EXAMPLES: dict[Dimension, str] = {
    "time": "20 min",
    "money": "2 USD",
    "size": "4 GB",
    "share": "15 %",
    "points": "5 pp",
    "task": "6 tasks",
    "trial": "3 trials",
    "turn": "60 turns",
    "token": "1000 tokens",
}
NOUNS: dict[Dimension, str] = {
    "time": "a time",
    "money": "money",
    "size": "a size",
    "share": "a share",
    "points": "a difference of shares",
    "task": "a number of tasks",
    "trial": "a number of trials",
    "turn": "a number of turns",
    "token": "a number of tokens",
    "number": "a number",
}


class AmountError(ValueError):
    """Text is not the amount that its place needs: what is wrong, what to do."""

    def __init__(self, summary: str, advice: str | None) -> None:
        super().__init__(summary)
        self.summary, self.advice = summary, advice


def read_amount(text: str, dimension: Dimension) -> Quantity:
    """Read ``20 min`` where a dimension is needed; amounts in a spec are never negative. Raises AmountError."""
    example = f"write it like `{EXAMPLES[dimension]}`"
    found = _AMOUNT.match(text)
    if found is None:
        raise AmountError(f"`{text}` is not an amount with a unit", example)
    number, space, name = found.groups()
    unit = _UNITS.get(name)
    if unit is None:
        fitting = [each.name for each in UNITS if each.dimension == dimension]
        raise AmountError(
            f"unknown unit `{name}`", hint(name, _UNITS, what="units") or f"units here: {', '.join(fitting)}"
        )
    if unit.dimension != dimension:
        raise AmountError(f"`{text}` is {NOUNS[unit.dimension]}; {NOUNS[dimension]} is needed here", example)
    if not space:
        raise AmountError(f"`{text}`: a number and its unit stand apart", f"write `{number} {name}`")
    if number.startswith("-"):
        raise AmountError(f"`{text}` is negative", example)
    if len(number.replace(".", "").lstrip("0")) > MOST_DIGITS:
        raise AmountError(f"`{text}` has more than {MOST_DIGITS} digits", None)
    return Quantity(number=Decimal(number), unit=unit)


def read_range(text: str, dimension: Dimension) -> Range:
    """Read ``4 h..12 h`` where a range of a dimension is needed. Raises AmountError."""
    low, dots, high = text.partition("..")
    if not dots:
        example = EXAMPLES[dimension]
        raise AmountError(f"`{text}` is no range", f"write both ends with their units: `{example}..{example}`")
    ends = Range(low=read_amount(low.strip(), dimension), high=read_amount(high.strip(), dimension))
    if ends.low.base > ends.high.base:
        raise AmountError(f"`{text}` ends before it begins", "the lower end stands first")
    return ends
