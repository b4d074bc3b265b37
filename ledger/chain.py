"""The chain of lines: each names the digest of the one before, the first that of its registration. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger.canonical import canonical, digest, parse
from ledger.codec import from_plain, to_plain
from ledger.errors import Fault, IntegrityFault
from ledger.quick import line_of
from ledger.records import KINDS, Line

_ALTERED = "restore ledger.jsonl from a copy; a line is never edited, a correction is a new line"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Links:
    """What a line has beside the fields of its record."""

    seq: int
    prev: str
    kind: str
    at: str


_LINKS = frozenset(_Links.__dataclass_fields__)


def encode(line: Line) -> bytes:
    """Give the canonical bytes of a line, without its line feed: the record's fields beside seq, prev, kind and at.

    Raises:
        ValueError: The record holds what no canonical document holds, a float above all (see ``canonical``).
    """
    record = to_plain(line.record)
    assert isinstance(record, Mapping)
    return canonical({"seq": line.seq, "prev": line.prev, "kind": line.kind, "at": line.at, **record})


def decode(data: bytes, *, where: str) -> Line:
    """Read one line's bytes, alone; its place in the chain is not checked.

    Raises:
        IntegrityFault: ``not-canonical``, ``shape`` or ``kind`` (a kind of record that does not exist).
    """
    plainly = line_of(data)
    if plainly is not None:
        return plainly
    value = parse(data, where=where)
    if not isinstance(value, Mapping):
        raise _refused("shape", f"{where} is not a JSON object", where, "an object", data[:40].decode())
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise _refused("kind", f"{where} is of no kind that a ledger knows", where, ", ".join(KINDS), repr(kind))
    links = from_plain(_Links, {key: each for key, each in value.items() if key in _LINKS}, where=where)
    record = from_plain(KINDS[kind], {key: each for key, each in value.items() if key not in _LINKS}, where=where)
    return Line(seq=links.seq, prev=links.prev, kind=kind, at=links.at, record=record)


def verify(lines: Sequence[bytes], genesis: str) -> tuple[Line, ...]:
    """Read the lines of a ledger (without line feeds) and check that each follows from the one before.

    ``genesis`` is the digest of registration.json. An altered last line is not visible here: nothing follows it;
    ``ledger.store.read`` compares it with head.json.

    Raises:
        IntegrityFault: A line was edited, doubled, dropped or reordered, or belongs to another ledger; names the line
            and the difference.
    """
    found: list[Line] = []
    prev = genesis
    for number, data in enumerate(lines, start=1):
        line = decode(data, where=f"line {number}")
        if line.seq != number or line.prev != prev:
            raise _misplaced(line, number, prev, lines)
        found.append(line)
        prev = digest(data)
    return tuple(found)


def _misplaced(line: Line, number: int, prev: str, lines: Sequence[bytes]) -> IntegrityFault:
    """Say what a line that does not follow tells about what was done to the ledger."""
    where, own = f"line {number}", digest(lines[number - 1])
    seen = {digest(data): place for place, data in enumerate(lines[: number - 1], start=1)}
    if own in seen:
        return _refused("doubled", f"{where} repeats line {seen[own]}", where, f"a line after {prev}", own)
    if line.seq > number:
        later = enumerate(lines[number:], start=number + 1)
        place = next((place for place, data in later if _seq(data) == number), None)
        if place is not None:
            what = f"line {number} stands at place {place}, behind line {line.seq}"
            return _refused("reordered", what, where, f"seq {number}", f"seq {line.seq}")
        last = f"{number} to {line.seq - 1}" if line.seq - number > 1 else str(number)
        return _refused("dropped", f"line {last} is missing", where, f"seq {number}", f"seq {line.seq}")
    if line.seq < number:
        return _refused("reordered", f"{where} belongs at place {line.seq}", where, f"seq {number}", f"seq {line.seq}")
    if number == 1:
        what = "the ledger belongs to another registration: its first line does not name this registration.json"
        return _refused("foreign", what, where, prev, line.prev, hint="look which registration the run was made from")
    if line.prev in seen:
        what = f"{where} follows line {seen[line.prev]} instead of line {number - 1}: a line was put in or renumbered"
        return _refused("reordered", what, where, prev, line.prev)
    what = f"{where} does not follow from line {number - 1}: one of the two was edited or comes from another ledger"
    return _refused("edited", what, f"line {number - 1} or {where}", prev, line.prev)


def _seq(data: bytes) -> int | None:
    """Read the seq of a line that may be anything, only to explain a fault that is certain already."""
    try:
        return decode(data, where="").seq
    except IntegrityFault:
        return None


def _refused(code: str, what: str, where: str, expected: str, got: str, hint: str = _ALTERED) -> IntegrityFault:
    return IntegrityFault(Fault(code=code, what=what, expected=expected, got=got, where=where, hint=hint))
