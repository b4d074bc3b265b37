"""What attempts used, by what the ledger tells of each: sums of what is known, and counts of what is not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from analyzer.frame import Frame, Row
from analyzer.measures import Fact
from analyzer.wording import plural
from ledger.plain import Plain
from stats.total import total

PARTS = ("input_tokens", "cache_read", "cache_write")
"""All tokens that a model reads, by where they come from."""


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
        self._known = {arm: _amounts(mine) for arm, mine in self.attempts.items()}
        self._totals: dict[tuple[str, str], Total] = {}

    def total(self, arm: str, name: str) -> Total:
        """Add one amount up over all attempts of an arm."""
        if (arm, name) not in self._totals:
            known, of = self._known[arm].get(name, ()), len(self.attempts[arm])
            self._totals[arm, name] = Total(known=total(known), unknown=of - len(known), of=of)
        return self._totals[arm, name]

    def from_cache(self, arm: str) -> tuple[Fraction | None, int]:
        """Give what ``from_cache`` says of an arm's attempts."""
        attempts = self.attempts[arm]
        if not all(name in self._known[arm] for name in PARTS):
            return None, len(attempts)
        return from_cache(attempts)


def _amounts(attempts: Sequence[Mapping[str, Fact]]) -> Mapping[str, Sequence[Fraction]]:
    """Gather the known amounts of many attempts by name, in one walk over them."""
    found: dict[str, list[Fraction]] = {}
    for facts in attempts:
        for name, value in facts.items():
            if type(value) is Fraction:
                found.setdefault(name, []).append(value)
    return found


def total_of(attempts: Sequence[Mapping[str, Fact]], name: str) -> Total:
    """Add one amount up."""
    found = [each for facts in attempts if (each := facts.get(name)) is not None and isinstance(each, Fraction)]
    return Total(known=total(found), unknown=len(attempts) - len(found), of=len(attempts))


def from_cache(attempts: Sequence[Mapping[str, Fact]]) -> tuple[Fraction | None, int]:
    """Give the share of all tokens read that came from a cache, over the attempts that tell, and how many do not."""
    told = [facts for facts in attempts if all(isinstance(facts.get(name), Fraction) for name in PARTS)]
    whole = sum((total_of(told, name).known for name in PARTS), Fraction(0))
    share = total_of(told, "cache_read").known / whole if whole else None
    return share, len(attempts) - len(told)


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
