"""What attempts used, by what the ledger tells of each: sums of what is known, and counts of what is not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from analyzer.frame import Frame, Row
from analyzer.measures import Fact
from analyzer.wording import plural
from ledger.plain import Plain
from stats.total import total

T = TypeVar("T")

PARTS = ("input_tokens", "cache_read", "cache_write")
"""All tokens that a model reads, by where they come from."""

AMOUNTS = (
    "cost",
    "time",
    "turns",
    "repairs",
    "tool_calls",
    "tool_errors",
    "input_tokens",
    "cache_read",
    "cache_write",
    "output_tokens",
)
"""What a report adds up over attempts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Total:
    """A sum over attempts: of those whose value is known, and how many are not."""

    known: Fraction
    unknown: int
    of: int


class Accounts:
    """Each arm's trials and attempts, and what these used: every list is made and every sum worked out once."""

    def __init__(self, frame: Frame, arms: Sequence[str]) -> None:
        rows: dict[str, list[Row]] = {arm: [] for arm in arms}
        for row in frame.rows:
            rows[row.trial.arm].append(row)
        self.rows: Mapping[str, Sequence[Row]] = rows
        self.attempts: Mapping[str, Sequence[Mapping[str, Fact]]] = {
            arm: [facts for row in mine for facts in _attempts(row)] for arm, mine in rows.items()
        }
        """What was measured of every attempt in which an agent could run, as the ledger tells it."""
        self.told = {arm: columns(mine, (*AMOUNTS, "result_event")) for arm, mine in self.attempts.items()}
        """What each attempt of an arm used, by the name of the amount, and whether it ended with a result."""
        self._totals: dict[tuple[str, str], Total] = {}

    def total(self, arm: str, name: str) -> Total:
        """Add one of ``AMOUNTS`` up over all attempts of an arm."""
        if (arm, name) not in self._totals:
            found = self.told[arm][name]
            known = [each for each in found if isinstance(each, Fraction)]
            self._totals[arm, name] = Total(known=total(known), unknown=len(found) - len(known), of=len(found))
        return self._totals[arm, name]

    def from_cache(self, arm: str) -> tuple[Fraction | None, int]:
        """Give what ``from_cache`` says of an arm's attempts."""
        attempts = len(self.attempts[arm])
        if any(self.total(arm, name).unknown == attempts for name in PARTS):
            return None, attempts  # as of most agents, which need not be walked through to see it
        return from_cache(self.told[arm])


def from_cache(amounts: Mapping[str, Sequence[Fact]]) -> tuple[Fraction | None, int]:
    """Give the share of all tokens read that came from a cache, over the attempts that tell, and how many do not."""
    attempts = list(zip(*(amounts[name] for name in PARTS), strict=True))
    told = [
        parts for each in attempts if len(parts := [part for part in each if isinstance(part, Fraction)]) == len(each)
    ]
    sums = dict(zip(PARTS, map(total, zip(*told, strict=True)), strict=bool(told)))
    whole = sum(sums.values(), Fraction(0))
    return sums["cache_read"] / whole if whole else None, len(attempts) - len(told)


def columns(facts: Sequence[Mapping[str, T]], names: Sequence[str]) -> dict[str, Sequence[T | None]]:
    """Give what many say under each of some names, in one walk over them: name by name, each would be fetched anew."""
    rows = [tuple(map(each.get, names)) for each in facts]
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())


def cache_surprises(said: Mapping[str, Plain], accounts: Accounts) -> Iterator[str]:
    """Say where what was read from a cache is not what was intended."""
    intended = said.get("intended")
    if intended not in ("cold", "warm"):
        return
    for arm, attempts in accounts.attempts.items():
        share, unknown = accounts.from_cache(arm)
        if intended == "cold" and share:
            yield f"{arm}: the cache was meant to be cold, and {float(share):.1%} of the tokens read came from it"
        if intended == "warm" and share == 0:
            yield f"{arm}: the cache was meant to be warm, and nothing was read from it"
        if unknown:
            yield f"{arm}: {plural(unknown, 'attempt')} of {len(attempts)} do not say what came from a cache"


def _attempts(row: Row) -> tuple[Mapping[str, Fact], ...]:
    """Give the attempts at a trial; where it was skipped, no agent ran."""
    if row.outcome is None or row.outcome.verdict == "skipped":
        return row.tries
    return (*row.tries, row.facts)
