"""Canonical bytes: golden vectors, every refusal, and reading back."""

import json
from decimal import Decimal
from enum import IntEnum, StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import canonical, digest, parse, parsed_at_once
from ledger.errors import IntegrityFault
from tests.ledger.strategies import PLAIN


class _Word(StrEnum):
    A = "a"


class _Number(IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": None}, b'{"a":null,"b":1}'),
        ({"€": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\x80": 6, "ö": 7}, None),
        ('\x00\x1f"\\/\b\f\n\r\t\x7f\u2028', b'"\\u0000\\u001f\\"\\\\/\\b\\f\\n\\r\\t\x7f\xe2\x80\xa8"'),
        ([True, False, [], {}, -1, 2**53 - 1], b"[true,false,[],{},-1,9007199254740991]"),
        (("a", ("b",)), b'["a",["b"]]'),
    ],
)
def test_golden_bytes(value: object, expected: bytes | None) -> None:
    if expected is None:  # the key order example of RFC 8785, 3.2.3: by UTF-16 code units, so 😀 before U+FB33
        expected = '{"\\r":2,"1":4,"\x80":6,"ö":7,"€":1,"😀":5,"\ufb33":3}'.encode()
    assert canonical(value) == expected  # type: ignore[arg-type]  # refusals take what types forbid


def test_digest_is_that_of_sha256sum() -> None:
    assert digest(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def _nested(depth: int) -> object:
    value: object = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, r"\$ is a float"),
        ({"a": [float("nan")]}, r"\$\.a\[0\] is a float"),
        (2**53, "beyond"),
        (-(2**53), "beyond"),
        ({1: 2}, "no string"),
        ({"a": "\ud800"}, "surrogate"),
        ({"\udfff": 1}, "surrogate"),
        (Decimal(1), "Decimal"),
        (b"bytes", "bytes"),
        ({1, 2}, "set"),
        (_Word.A, "_Word"),
        (_Number.ONE, "_Number"),
        ({_Word.A: 1}, "no string"),
        (_nested(66), "deeper"),
        (_nested(5000), "deeper"),
    ],
)
def test_refuses(value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        canonical(value)  # type: ignore[arg-type]  # refusals take what types forbid


def test_takes_the_deepest() -> None:
    assert canonical(_nested(64)) == b"[" * 64 + b"0" + b"]" * 64  # type: ignore[arg-type]  # built untyped


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"a":1,"a":2}', "doubled key 'a'"),
        (b"[1.0]", "1.0 is not an integer"),
        (b"[1e3]", "1e3 is not an integer"),
        (b"[NaN]", "NaN is not an integer"),
        (b"[-Infinity]", "-Infinity is not an integer"),
        (b"[9007199254740993]", "beyond"),
        (b"[" + b"9" * 6000 + b"]", "not a canonical"),
        (b'{"b":1,"a":2}', "other bytes"),
        (b'{"a": 1}', "other bytes"),
        (b"[-0]", "other bytes"),
        (b'"\\u0041"', "other bytes"),
        (b'"\\ud800"', "surrogate"),
        (b'"\xff"', "utf-8"),
        (b"", "not a canonical"),
        (b"[" * 5000, "not a canonical"),
        (b"[" * 200 + b"]" * 200, "deeper"),
        (b"1 2", "Extra data"),
    ],
)
def test_reading_refuses(data: bytes, words: str) -> None:
    with pytest.raises(IntegrityFault, match=words) as caught:
        parse(data, where="plan.json")
    reason = caught.value.reasons[0]
    assert reason.code == "not-canonical"
    assert reason.where == "plan.json"
    assert reason.expected
    assert reason.got


@pytest.mark.parametrize(
    ("data", "words"),
    [(b'{"a":1}\r\n', "line ends"), (b'{"a":1}\n', "line feed"), (b"\xef\xbb\xbf{}", "byte order mark")],
)
def test_names_the_innocent_cause(data: bytes, words: str) -> None:
    with pytest.raises(IntegrityFault) as caught:
        parse(data, where="plan.json")
    assert words in (caught.value.reasons[0].hint or "")


@given(PLAIN)
def test_reading_gives_back_what_was_written(value: object) -> None:
    data = canonical(value)  # type: ignore[arg-type]  # the strategy is untyped
    assert parse(data, where="x") == value
    assert json.loads(data) == value


_ODD_TEXTS = st.text(
    st.sampled_from('a"\\/ \n\x1f\x7f\u2028é\ud7ff\ue000\uffff\U0001f600{}[],:0123456789'), max_size=20
)
_ODD_LEAVES = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | _ODD_TEXTS
_ODD = st.recursive(_ODD_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(_ODD_TEXTS, inner), max_leaves=12)


@given(_ODD, st.booleans(), st.booleans(), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_the_quick_reader_takes_nothing_that_the_strict_one_refuses(
    value: object, ascii_only: bool, ordered: bool, separators: tuple[str, str]
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, sort_keys=ordered, separators=separators).encode()
    quick = parsed_at_once(data.decode())
    if quick is not None:
        assert canonical(quick) == data
        assert quick == value


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b"1.5",
        b"[1e5]",
        b"NaN",
        b'{"a":9007199254740992}',
        b"[-9007199254740993]",
        b"9007199254740992",
        b"-0",
        b'"\\u00e9"',
        b'"\\ud800"',
        b'{"\xf0\x9f\x98\x80":1,"\xee\x80\x80":2}',
        b'{"\xee\x80\x80":2,"\xf0\x9f\x98\x80":1}',
        b"[" * 66 + b"]" * 66,
        b"[" * 65 + b"1" + b"]" * 65,
        b" 1",
        b'{"b":1,"a":2}',
    ],
)
def test_what_is_not_proven_canonical_is_left_to_the_strict_reader(data: bytes) -> None:
    assert parsed_at_once(data.decode()) is None


@pytest.mark.parametrize("data", [b"[" * 65 + b"]" * 65, b"[" * 64 + b"1" + b"]" * 64, b"[" + b"[],{}," * 99 + b"1]"])
def test_the_quick_reader_allows_the_depth_that_the_strict_one_does(data: bytes) -> None:
    quick = parsed_at_once(data.decode())
    assert quick is not None
    assert canonical(quick) == data
