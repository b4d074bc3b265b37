"""Reads the two kinds of line that a long ledger is made of, claims and outcomes, straight into their shape.

A line that is written out again as the very same bytes is canonical and whole: white space, another order of keys, doubled or
missing keys would not come back. Whatever is not plainly of its shape is left to ``ledger.codec``, which alone says what is
wrong with a line.
"""

from typing import Annotated, TypeAlias

import msgspec

from ledger.canonical import LARGEST
from ledger.records import Claimed, Ended, Line, Outcome, Verdict

_Whole = Annotated[int, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
_Leaf: TypeAlias = str | bool | _Whole | None
_Inner: TypeAlias = _Leaf | list[_Leaf] | dict[str, _Leaf]
_Value: TypeAlias = _Leaf | list[_Inner] | dict[str, _Inner]
"""Plain data as deep as measures and checks are; deeper ones take the general way."""


class _Claim(msgspec.Struct, tag_field="kind", tag="claimed"):
    """A claim as its line holds it."""

    arm: str
    at: str
    attempt: _Whole
    machine: str
    prev: str
    seed: _Whole
    seq: _Whole
    task: str
    trial: str


class _Outcome(msgspec.Struct, tag_field="kind", tag="outcome"):
    """An outcome as its line holds it."""

    arm: str
    at: str
    attempt: _Whole
    blobs: dict[str, str]
    checks: dict[str, dict[str, _Value]]
    ended: Ended
    machine: str
    measures: dict[str, _Value]
    prev: str
    reasons: dict[str, str]
    seed: _Whole
    seq: _Whole
    simulated: bool
    task: str
    trial: str
    verdict: Verdict
    versions: dict[str, str]


_READER = msgspec.json.Decoder(_Claim | _Outcome)
_WRITER = msgspec.json.Encoder(order="sorted")


def line_of(data: bytes) -> Line | None:
    """Give the line that some bytes are, when they are a whole claim or outcome in ASCII; None is no refusal."""
    if not data.isascii():
        return None
    try:
        found = _READER.decode(data)
    except msgspec.DecodeError:
        return None
    if _WRITER.encode(found) != data:
        return None
    if isinstance(found, _Claim):
        return Line(seq=found.seq, prev=found.prev, kind="claimed", at=found.at, record=_claimed(found))
    return Line(seq=found.seq, prev=found.prev, kind="outcome", at=found.at, record=_ended(found))


def _claimed(found: _Claim) -> Claimed:
    return Claimed(
        trial=found.trial,
        attempt=found.attempt,
        task=found.task,
        arm=found.arm,
        seed=found.seed,
        machine=found.machine,
    )


def _ended(found: _Outcome) -> Outcome:
    return Outcome(
        trial=found.trial,
        attempt=found.attempt,
        task=found.task,
        arm=found.arm,
        seed=found.seed,
        verdict=found.verdict,
        ended=found.ended,
        measures=found.measures,
        reasons=found.reasons,
        checks=found.checks,
        versions=found.versions,
        blobs=found.blobs,
        machine=found.machine,
        simulated=found.simulated,
    )
