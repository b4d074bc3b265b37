"""The pool as a file: one form for one pool, and nothing altered is read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.pool import Pool, PoolHead
from compiler.pool_file import read, write
from compiler.task import Candidate, Material, Reason
from ledger.errors import IntegrityFault
from tests.ledger.strategies import PLAINS, TEXT

HEAD = PoolHead(harvest="sha256:" + "0" * 64, origin={"fixes": "repository at abc"})

REASONS = st.builds(Reason, code=TEXT, what=TEXT, detail=TEXT)
CANDIDATES = st.builds(
    Candidate,
    id=TEXT,
    set=st.sampled_from(["fixes", "more"]),
    status=st.sampled_from(["kept", "dropped"]),
    facts=PLAINS,
    reasons=st.lists(REASONS, max_size=2).map(tuple),
    evidence=PLAINS,
    gold_files=st.lists(TEXT, max_size=2).map(tuple),
    category=st.none() | TEXT,
    material=st.none() | st.builds(Material, given=TEXT, held_out=TEXT, tests=st.none() | TEXT),
)
POOLS = st.lists(CANDIDATES, max_size=5, unique_by=lambda each: (each.set, each.id)).map(
    lambda found: Pool(head=HEAD, candidates=tuple(sorted(found, key=lambda each: (each.set, each.id))))
)


@given(POOLS, st.randoms())
def test_a_pool_has_one_form(pool: Pool, chaos: object) -> None:
    mixed = list(pool.candidates)
    chaos.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    data = write(replace(pool, candidates=tuple(mixed)))
    assert data == write(pool)
    assert read(data, where="pool") == pool


def small() -> bytes:
    names = ("t1", "t2", "t3")
    return write(
        Pool(head=HEAD, candidates=tuple(Candidate(id=each, set="fixes", status="kept", facts={}) for each in names))
    )


def test_golden_bytes() -> None:
    assert small().split(b"\n")[:2] == [
        b'{"files":{},"harvest":"sha256:'
        + b"0" * 64
        + b'","origin":{"fixes":"repository at abc"},"type":"prereg.pool/v1"}',
        (
            b'{"category":null,"evidence":{},"facts":{},"gold_files":[],"gold_lines":[],"gold_symbols":[],"id":"t1","material":null,"private":null,'
            b'"reasons":[],"requires":[],"set":"fixes","status":"kept"}'
        ),
    ]


@pytest.mark.parametrize(
    ("alter", "code", "where"),
    [
        (lambda lines: [*lines[:-1], lines[-1][:-1]], "pool-cut", "pool"),
        (lambda lines: [], "pool-cut", "pool"),
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], "pool-order", "pool line 3"),
        (lambda lines: [*lines[:3], *lines[2:]], "pool-order", "pool line 4"),
        (lambda lines: lines[1:], "type", "pool line 1"),
        (lambda lines: [lines[0].replace(b"v1", b"v2"), *lines[1:]], "type", "pool line 1"),
        (lambda lines: [*lines[:2], lines[2].replace(b'"id":', b'"id" :'), lines[3]], "not-canonical", "pool line 3"),
        (lambda lines: [*lines[:2], lines[2].replace(b"kept", b"kapt"), lines[3]], "shape", "pool line 3: status"),
        (lambda lines: [line.replace(b"\n", b"\r\n") for line in lines], "not-canonical", "pool line 1"),
    ],
)
def test_an_altered_pool_is_refused(alter: object, code: str, where: str) -> None:
    assert callable(alter)
    with pytest.raises(IntegrityFault) as caught:
        read(b"".join(alter(small().splitlines(keepends=True))), where="pool")
    reason = caught.value.reasons[0]
    assert (reason.code, reason.where) == (code, where)
    assert reason.hint
