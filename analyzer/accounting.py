"""What attempts used, by what the ledger tells of each: sums of what is known, and counts of what is not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from analyzer.frame import Frame, Row
from analyzer.measures import Fact
from analyzer.wording import plural
from ledger.plain import Plain

PARTS = ("input_tokens", "cache_read", "cache_write")
"""All tokens that a model reads, by where they come from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Total:
    """A sum over attempts: of those whose value is known, and how many are not."""

    known: Fraction
    unknown: int
    of: int


def observed(frame: Frame, arm: str) -> list[Mapping[str, Fact]]:
    """Give what was measured of every attempt of an arm in which an agent could run, as the ledger tells it."""
    return [facts for row in rows_of(frame, arm) for facts in _attempts(row)]


def total(attempts: Sequence[Mapping[str, Fact]], name: str) -> Total:
    """Add one amount up."""
    found = [each for facts in attempts if isinstance(each := facts.get(name), Fraction)]
    return Total(known=sum(found, Fraction(0)), unknown=len(attempts) - len(found), of=len(attempts))


def from_cache(attempts: Sequence[Mapping[str, Fact]]) -> tuple[Fraction | None, int]:
    """Give the share of all tokens read that came from a cache, over the attempts that tell, and how many do not."""
    told = [facts for facts in attempts if all(isinstance(facts.get(name), Fraction) for name in PARTS)]
    whole = sum((total(told, name).known for name in PARTS), Fraction(0))
    share = total(told, "cache_read").known / whole if whole else None
    return share, len(attempts) - len(told)


def cache_surprises(said: Mapping[str, Plain], frame: Frame, arms: Sequence[str]) -> Iterator[str]:
    """Say where what was read from a cache is not what was intended."""
    intended = said.get("intended")
    for arm in arms:
        share, unknown = from_cache(observed(frame, arm))
        if intended == "cold" and share:
            yield f"{arm}: the cache was meant to be cold, and {float(share):.1%} of the tokens read came from it"
        if intended == "warm" and share == 0:
            yield f"{arm}: the cache was meant to be warm, and nothing was read from it"
        if intended in ("cold", "warm") and unknown:
            yield f"{arm}: {plural(unknown, 'attempt')} of {len(observed(frame, arm))} do not say what came from a cache"


def rows_of(frame: Frame, arm: str) -> list[Row]:
    """Give an arm's trials."""
    return [row for row in frame.rows if row.trial.arm == arm]


def _attempts(row: Row) -> tuple[Mapping[str, Fact], ...]:
    """Give the attempts at a trial; where it was skipped, no agent ran."""
    if row.outcome is None or row.outcome.verdict == "skipped":
        return row.tries
    return (*row.tries, row.facts)
