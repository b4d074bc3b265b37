"""The chain: what follows is taken, and every way of not following is named."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import digest
from ledger.chain import decode, encode, verify
from ledger.errors import IntegrityFault
from ledger.records import KINDS, Deviation, Line, Peek, Record
from tests.ledger.strategies import RECORDS

GENESIS = digest(b"{}")
AT = "2026-11-29T12:00:00Z"


def chain(records: list[Record], genesis: str = GENESIS) -> list[bytes]:
    """Encode records as consecutive lines."""
    lines: list[bytes] = []
    prev = genesis
    for seq, record in enumerate(records, start=1):
        kind = next(kind for kind, noun in KINDS.items() if type(record) is noun)
        lines.append(encode(Line(seq=seq, prev=prev, kind=kind, at=AT, record=record)))
        prev = digest(lines[-1])
    return lines


FIVE: list[Record] = [Peek(what=f"look {number}", outcomes=number) for number in range(5)]


def test_golden_line() -> None:
    line = chain([Deviation(what="w", reason="r")])[0]
    assert line == (
        b'{"at":"2026-11-29T12:00:00Z","kind":"deviation",'
        b'"prev":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",'
        b'"reason":"r","seq":1,"what":"w"}'
    )


def test_an_empty_ledger_is_a_ledger() -> None:
    assert verify([], GENESIS) == ()


@given(st.lists(RECORDS, max_size=4))
def test_lines_come_back_as_they_were(records: list[Record]) -> None:
    lines = verify(chain(records), GENESIS)
    assert [line.record for line in lines] == records
    assert [line.seq for line in lines] == list(range(1, len(records) + 1))


@given(RECORDS)
def test_encode_and_decode_are_inverse(record: Record) -> None:
    data = chain([record])[0]
    assert encode(decode(data, where="line 1")) == data


def _edited(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2].replace(b"look 2", b"look 7"), *lines[3:]]


def _reordered(lines: list[bytes]) -> list[bytes]:
    return [lines[0], lines[2], lines[1], *lines[3:]]


def _foreign_middle(lines: list[bytes]) -> list[bytes]:
    other = chain([Peek(what="other", outcomes=9)] * 5, digest(b"other"))
    return [*lines[:2], other[2], *lines[3:]]


def _inserted(lines: list[bytes]) -> list[bytes]:
    extra = replace(decode(lines[2], where=""), record=Peek(what="new", outcomes=1))
    return [*lines[:3], encode(replace(extra, seq=4)), *lines[3:]]


@pytest.mark.parametrize(
    ("alter", "code", "words"),
    [
        (_edited, "edited", "line 4 does not follow from line 3"),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], "doubled", "line 3 repeats line 2"),
        (lambda lines: [*lines[:2], *lines[3:]], "dropped", "line 3 is missing"),
        (lambda lines: [lines[0], lines[4]], "dropped", "line 2 to 4 is missing"),
        (lambda lines: lines[1:], "dropped", "line 1 is missing"),
        (_reordered, "reordered", "line 2 stands at place 3, behind line 3"),
        (lambda lines: lines[:3] + chain(FIVE, digest(b"x"))[1:2], "reordered", "line 4 belongs at place 2"),
        (lambda lines: chain(FIVE, digest(b"other")), "foreign", "another registration"),
        (_foreign_middle, "edited", "line 3 does not follow from line 2"),
        (_inserted, "reordered", "line 4 follows line 2 instead of line 3"),
        (lambda lines: [lines[0], b"", lines[1]], "not-canonical", "line 2"),
        (lambda lines: [lines[0] + b"\r", *lines[1:]], "not-canonical", "line 1"),
        (lambda lines: [b"[]", *lines[1:]], "shape", "not a JSON object"),
        (lambda lines: [lines[0].replace(b'"peek"', b'"peak"')], "kind", "no kind"),
        (lambda lines: [lines[0].replace(b'"seq":1', b'"seq":"1"')], "shape", "expected an integer"),
        (lambda lines: [lines[0].replace(b'"what"', b'"whom"')], "shape", "is unknown"),
        (lambda lines: [lines[0].replace(b'"what"', b'"outcomes"')], "not-canonical", "doubled key"),
    ],
)
def test_what_does_not_follow_is_refused(alter: Callable[[list[bytes]], list[bytes]], code: str, words: str) -> None:
    with pytest.raises(IntegrityFault) as caught:
        verify(alter(chain(FIVE)), GENESIS)
    reason = caught.value.reasons[0]
    assert reason.code == code
    assert words in str(caught.value)
    assert reason.where
    assert reason.hint
    if code not in ("shape", "kind"):
        assert reason.expected


@given(st.data())
def test_any_flipped_bit_before_the_last_line_is_refused(data: st.DataObject) -> None:
    lines = chain(FIVE)
    number = data.draw(st.integers(0, len(lines) - 2))
    place = data.draw(st.integers(0, len(lines[number]) - 1))
    altered = bytearray(lines[number])
    altered[place] ^= 1 << data.draw(st.integers(0, 7))
    lines[number] = bytes(altered)
    with pytest.raises(IntegrityFault):
        verify(lines, GENESIS)


def test_a_float_never_reaches_a_line() -> None:
    record = Deviation(what="w", reason=1.5)  # type: ignore[arg-type]  # what a careless plugin would do
    with pytest.raises(ValueError, match=r"\$\.reason is a float"):
        encode(Line(seq=1, prev=GENESIS, kind="deviation", at=AT, record=record))
