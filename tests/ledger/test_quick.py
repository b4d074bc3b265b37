"""The quick reader of claims and outcomes: the same line as the general converter gives, or nothing."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import canonical
from ledger.chain import decode
from ledger.codec import from_plain, to_plain
from ledger.errors import IntegrityFault
from ledger.plain import Plain
from ledger.quick import line_of
from ledger.records import Claimed, Line, Outcome
from tests.ledger.strategies import HOT, PLAIN, TEXT

LINKS = {"seq": 1, "prev": "p", "at": "t"}
KINDS = {"claimed": Claimed, "outcome": Outcome}
KEYS = sorted({each.name for kind in KINDS.values() for each in fields(kind)} | {"seq", "prev", "at", "more"})


def written(record: Claimed | Outcome) -> dict[str, Plain]:
    plain = to_plain(record)
    assert isinstance(plain, dict)
    return {**LINKS, "kind": "claimed" if isinstance(record, Claimed) else "outcome", **plain}


@given(HOT)
def test_a_whole_claim_or_outcome_is_read(record: Claimed | Outcome) -> None:
    line = line_of(written(record))
    assert line is not None
    assert line.record == record
    assert (line.seq, line.prev, line.at) == (1, "p", "t")


@given(HOT, st.sampled_from(KEYS), PLAIN | st.dictionaries(TEXT, PLAIN | st.dictionaries(TEXT, PLAIN)))
def test_what_the_converter_refuses_is_not_read(record: Claimed | Outcome, key: str, value: Plain) -> None:
    plain = {**written(record), key: value}
    line = line_of(plain)
    if line is None:
        return
    own = {name: each for name, each in plain.items() if name not in ("seq", "prev", "at", "kind")}
    assert line.record == from_plain(type(record), own, where="line 1")
    assert isinstance(line, Line)
    assert [type(each) for each in (line.seq, line.prev, line.at)] == [int, str, str]


@given(HOT, st.sampled_from(KEYS))
def test_a_line_without_a_key_is_left_to_the_converter(record: Claimed | Outcome, key: str) -> None:
    plain = written(record)
    if plain.pop(key, None) is not None:
        assert line_of(plain) is None


def test_a_faulty_outcome_is_refused_in_the_words_of_the_converter() -> None:
    record = Outcome(
        trial="t/a/1", attempt=1, task="t", arm="a", seed=1, verdict="pass", ended="finished", measures={}, machine="m"
    )
    with pytest.raises(IntegrityFault, match="does not have the shape of Outcome"):
        decode(canonical({**written(record), "seed": True}), where="line 1")
