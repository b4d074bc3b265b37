"""Private sets: which store one names, and which facts of its candidates stand in a pool."""

from collections.abc import Mapping, Sequence

from compiler.task import Candidate, Reason
from spec_lang.model import Choice

ORDER = "order"
"""Fact of a private candidate: its place among all by number. It stands for the number, which is not told."""

SHOWN: frozenset[str] = frozenset({"issue.closed"})
"""Facts of a private candidate that a pool shows and conditions and endpoints may read; the day alone is told."""

STANDS_FOR: Mapping[str, str] = {"issue.number": ORDER}
"""Sort keys that a private set hides, and the fact that orders its candidates in the same way."""


def private_env(source: Choice) -> str | None:
    """Give the variable that leads to the store of a private set, or None: the set is public."""
    said = source.options.get("private")
    return str(said["store_env"]) if isinstance(said, Mapping) else None


def as_harvested(candidate: Candidate, failed: Sequence[Reason], selecting: frozenset[str]) -> tuple[Reason, ...]:
    """Take harvest's word for the conditions of a private candidate that its shown facts do not decide.

    ``failed`` is what the shown facts say. A condition that they decide stays as they say, so that a pool that says otherwise
    contradicts itself; of every other, what harvest wrote down holds, and ``prereg validate`` repeats it where the store is.
    """
    said = {reason.what: reason for reason in candidate.reasons if reason.code in selecting}
    found = [each if each.code == "condition" else said.get(each.what) for each in failed]
    return tuple(each for each in found if each is not None)
