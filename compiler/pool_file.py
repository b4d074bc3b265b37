"""The pool as a file: JSON lines, its head first, then every candidate sorted by (set, id), each in canonical bytes."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from compiler.pool import POOL_TYPE, Pool, PoolHead
from compiler.task import Candidate
from ledger.canonical import canonical, parse
from ledger.codec import from_plain, to_plain
from ledger.errors import Fault, IntegrityFault

_HINT = "restore the file, or harvest again"


def write(pool: Pool) -> bytes:
    """Give the bytes of ``candidates.jsonl``: the same pool gives the same bytes, whatever the order of its candidates."""
    ordered = sorted(pool.candidates, key=_place)
    return b"".join(canonical(to_plain(each)) + b"\n" for each in (pool.head, *ordered))


def read(data: bytes, *, where: str) -> Pool:
    """Read what ``write`` wrote; ``where`` names the file in faults.

    Raises:
        IntegrityFault: Not canonical, of another type, cut short, unsorted, or with a candidate that stands twice.
    """
    lines = data.split(b"\n")
    if lines.pop() != b"" or not lines:
        raise _refused("pool-cut", f"{where} does not end with a whole line", where, "a line feed at the end", "none")
    head = _head(lines[0], where)
    candidates = tuple(
        from_plain(Candidate, parse(line, where=_line(where, number)), where=_line(where, number))
        for number, line in enumerate(lines[1:], start=2)
    )
    _refuse_unsorted(candidates, where)
    return Pool(head=head, candidates=candidates)


def read_head(data: bytes, *, where: str) -> PoolHead:
    """Read the head alone, however many candidates follow. Raises IntegrityFault as ``read``, as far as the head goes."""
    return _head(data.partition(b"\n")[0], where)


def _head(line: bytes, where: str) -> PoolHead:
    value = parse(line, where=_line(where, 1))
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind != POOL_TYPE:
        raise _refused("type", f"{where} is no pool that this version reads", _line(where, 1), POOL_TYPE, repr(kind))
    return from_plain(PoolHead, value, where=_line(where, 1))


def _refuse_unsorted(candidates: Sequence[Candidate], where: str) -> None:
    for number, (before, after) in enumerate(pairwise(candidates), start=3):
        if _place(before) >= _place(after):
            doubled = _place(before) == _place(after)
            what = f"candidate {after.id} of {after.set} {'stands twice' if doubled else 'is not in its place'}"
            raise _refused(
                "pool-order",
                what,
                _line(where, number),
                f"one after {before.set} {before.id}",
                f"{after.set} {after.id}",
            )


def _place(candidate: Candidate) -> tuple[str, str]:
    return candidate.set, candidate.id


def _line(where: str, number: int) -> str:
    return f"{where} line {number}"


def _refused(code: str, what: str, where: str, expected: str, got: str) -> IntegrityFault:
    return IntegrityFault(Fault(code=code, what=what, expected=expected, got=got, where=where, hint=_HINT))
