"""The quick reader of claims and outcomes: the same line as the general converter gives, or nothing."""

from dataclasses import fields
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.canonical import canonical
from ledger.chain import decode
from ledger.codec import to_plain
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


def slowly(data: bytes) -> Line | None:
    """What the general converter gives; None where it refuses."""
    with patch("ledger.chain.line_of", return_value=None):
        try:
            return decode(data, where="line 1")
        except IntegrityFault:
            return None


CLAIM = Claimed(trial="t/a/1", attempt=1, task="t", arm="a", seed=1, machine="here")
OUTCOME = Outcome(
    trial="t/a/1",
    attempt=1,
    task="t",
    arm="a",
    seed=1,
    verdict="pass",
    ended="finished",
    measures={"cost": "0.42", "ok": True, "turns": 7, "unknown": None, "words": ["a", {"b": -1}]},
    reasons={"unknown": "the agent does not say"},
    checks={"fixed": {"failed": 0, "ok": True}},
    versions={"agent": "1"},
    blobs={"transcript": "sha256:0123456789012345"},
    machine="here",
)


@pytest.mark.parametrize("record", [CLAIM, OUTCOME])
def test_a_whole_claim_or_outcome_is_read(record: Claimed | Outcome) -> None:
    line = line_of(canonical(written(record)))
    assert line is not None
    assert line.record == record
    assert (line.seq, line.prev, line.at) == (1, "p", "t")


@given(HOT)
def test_whatever_is_read_is_what_the_converter_gives(record: Claimed | Outcome) -> None:
    data = canonical(written(record))
    line = line_of(data)
    assert line is None or line == slowly(data)
    assert slowly(data) is not None


@given(HOT, st.sampled_from(KEYS), PLAIN | st.dictionaries(TEXT, PLAIN | st.dictionaries(TEXT, PLAIN)))
def test_what_the_converter_refuses_is_not_read(record: Claimed | Outcome, key: str, value: Plain) -> None:
    data = canonical({**written(record), key: value})
    line = line_of(data)
    assert line is None or line == slowly(data)


_EDITS = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        ",",
        ":",
        "\\",
        " ",
        "\n",
        "0",
        "-",
        "1",
        "9" * 16,
        ".5",
        "e9",
        "a",
        "\x7f",
        "é",
        "true",
        '"z":1,',
    ]
)


@settings(max_examples=500)
@given(st.sampled_from([CLAIM, OUTCOME]), st.data(), _EDITS, st.integers(0, 3))
def test_an_edited_line_is_read_as_the_converter_reads_it_or_not_at_all(
    record: Claimed | Outcome, data: st.DataObject, edit: str, dropped: int
) -> None:
    text = canonical(written(record)).decode()
    at = data.draw(st.integers(0, len(text)))
    edited = (text[:at] + edit + text[at + dropped :]).encode()
    line = line_of(edited)
    assert line is None or line == slowly(edited)


def test_a_faulty_outcome_is_refused_in_the_words_of_the_converter() -> None:
    record = Outcome(
        trial="t/a/1", attempt=1, task="t", arm="a", seed=1, verdict="pass", ended="finished", measures={}, machine="m"
    )
    with pytest.raises(IntegrityFault, match="does not have the shape of Outcome"):
        decode(canonical({**written(record), "seed": True}), where="line 1")
