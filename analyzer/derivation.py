"""One number of a report as a line for the calculator: what it is, the procedure, its inputs, and what must come out."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from analyzer.measures import Fact
from analyzer.wording import TOLD, figure, probability

NUMBERS = "numbers.jsonl"
"""The file beside a report that holds every line, in the order of the report."""

SHORT = 400
"""Characters of a line that a page still carries whole; a longer one is taken from the file."""


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """``of`` names the number as the report does, once in a report; ``gives`` are the keys of the answer and their values.

    ``inputs`` are exact: an integer, a decimal, or ``"1/3"`` where a number has no short decimal.
    """

    of: str
    procedure: str
    inputs: Mapping[str, Any]
    gives: Mapping[str, Any]

    @cached_property
    def line(self) -> str:
        """What ``prereg stat`` reads, in ASCII."""
        return json.dumps({"of": self.of, "procedure": self.procedure, "inputs": self.inputs}, separators=(",", ":"))

    def command(self, file: str) -> str:
        """Write what comes out as a comment, and below it what a shell is told: the line if it is short, else where ``file`` has it."""
        line = self.line
        start = line[: line.index(',"procedure":') + 1]
        if len(line) <= SHORT and "\\" not in line:  # some shells' echo reads a backslash
            source = f"echo {shlex.quote(line)}"
        else:
            source = f"grep -F {shlex.quote(start)} {shlex.quote(file)}"
        return commented(self.of, self.gives, f"{source} | prereg stat")


def commented(of: str, gives: Mapping[str, Any], command: str) -> str:
    """Write what comes out of a command as a comment above it, rounded; of one line, whatever stands in a name."""
    said = f"{of}: " + ", ".join(f"{key} {_shown(value)}" for key, value in gives.items())
    # What comes behind a line end would be told to the shell of whoever pastes it.
    return f"# {' '.join(''.join(each if each.isprintable() else ' ' for each in said).split())}\n{command}"


def written(fact: Fact) -> Any:
    """Write a fact down so that it is read back as it is; None is unknown."""
    return number(fact) if isinstance(fact, Fraction) else fact


@lru_cache(maxsize=1 << 16)
def number(exact: Fraction) -> "int | float | str":
    """Write a number so that it is read back as it is: an integer, its short decimal, or numerator/denominator."""
    if exact.denominator == 1:
        return int(exact)
    nearest = float(exact)
    return nearest if Fraction(repr(nearest)) == exact else f"{exact.numerator}/{exact.denominator}"


def _shown(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int | float):
        # A p that no double can hold is the least one here, and 0.0 in the answer of the calculator.
        return probability(value) if 0 < value < TOLD else figure(value)
    return "[" + ", ".join(map(_shown, value)) + "]" if isinstance(value, list) else str(value)
