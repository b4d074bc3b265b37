"""Nouns to plain data and back: identity for every kind, and strict refusals with the key path."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import canonical, parse
from ledger.codec import decimal_text, from_plain, to_plain
from ledger.errors import IntegrityFault
from ledger.plain import Plain
from ledger.records import Record
from tests.ledger.strategies import RECORDS


@dataclass(frozen=True, kw_only=True, slots=True)
class Leaf:
    """A noun inside a noun."""

    kind: str
    options: Mapping[str, Plain] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tree:
    """One field of every sort that our nouns have."""

    pass_: tuple[str, ...]
    leaves: tuple[Leaf, ...] = ()
    checks: Mapping[str, Leaf | str] = field(default_factory=dict)
    share: Decimal | None = None
    take: int | Literal["all"] = "all"
    flag: bool = False
    plain: dict[str, str] = field(default_factory=dict)
    maybe: Mapping[str, str] | None = None
    many: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    anything: Plain = None


TREE = Tree(
    pass_=("a.ok",),
    leaves=(Leaf(kind="x", options={"n": [1, None, {"deep": True}]}),),
    checks={"named": Leaf(kind="y"), "said": "a.ok and b.ok"},
    share=Decimal("1.2500"),
    take=20,
    plain={"k": "v"},
    many={"k": ("a", "b")},
    anything=[{"x": None}],
)


def test_writes_every_field() -> None:
    assert to_plain(TREE) == {
        "pass": ["a.ok"],
        "leaves": [{"kind": "x", "options": {"n": [1, None, {"deep": True}]}}],
        "checks": {"named": {"kind": "y", "options": {}}, "said": "a.ok and b.ok"},
        "share": "1.25",
        "take": 20,
        "flag": False,
        "plain": {"k": "v"},
        "maybe": None,
        "many": {"k": ["a", "b"]},
        "anything": [{"x": None}],
    }


def test_reads_what_it_wrote() -> None:
    assert from_plain(Tree, to_plain(TREE), where="x") == TREE


def test_an_absent_field_takes_its_default() -> None:
    assert from_plain(Tree, {"pass": []}, where="x") == Tree(pass_=())


@pytest.mark.parametrize(
    ("change", "words", "where"),
    [
        ({"pass": "abc"}, "expected a list, got the text 'abc'", "x: pass"),
        ({"pass": ["a", 1]}, "expected text, got the number 1", "x: pass[1]"),
        ({"pass_": []}, "key 'pass_' is unknown", "x"),
        ({"Flag": True}, "key 'Flag' is unknown", "x"),
        ({"flag": 1}, "expected true or false, got the number 1", "x: flag"),
        ({"flag": None}, "got null", "x: flag"),
        ({"take": "some"}, "expected one of all", "x: take"),
        ({"take": True}, "got true", "x: take"),
        ({"share": "1.0"}, "decimal string in normal form", "x: share"),
        ({"share": "1e3"}, "decimal string in normal form", "x: share"),
        ({"share": "-0"}, "decimal string in normal form", "x: share"),
        ({"share": 1}, "got the number 1", "x: share"),
        ({"leaves": [{"options": {}}]}, "key 'kind' is missing", "x: leaves[0].kind"),
        ({"leaves": [{"kind": "a", "more": 1}]}, "key 'more' is unknown", "x: leaves[0]"),
        ({"leaves": ["a"]}, "expected an object, got the text 'a'", "x: leaves[0]"),
        ({"checks": {"a": {"kind": 1}}}, "expected text", "x: checks['a'].kind"),
        ({"checks": {"a": 3}}, "got the number 3", "x: checks['a']"),
        ({"plain": []}, "expected an object, got a list", "x: plain"),
        ({"many": {"k": "ab"}}, "expected a list", "x: many['k']"),
    ],
)
def test_refuses_with_the_key_path(change: dict[str, Plain], words: str, where: str) -> None:
    with pytest.raises(IntegrityFault) as caught:
        from_plain(Tree, {"pass": [], **change}, where="x")
    reason = caught.value.reasons[0]
    assert reason.code == "shape"
    assert words in reason.what
    assert reason.where == where


def test_collects_every_fault_of_a_document() -> None:
    with pytest.raises(IntegrityFault) as caught:
        from_plain(Tree, {"pass": 1, "flag": 2, "more": 3}, where="x")
    assert len(caught.value.reasons) == 3


@pytest.mark.parametrize("value", [None, [], "x", 1, True])
def test_refuses_what_is_no_object(value: Plain) -> None:
    with pytest.raises(IntegrityFault, match="expected an object"):
        from_plain(Tree, value, where="x")


@pytest.mark.parametrize(
    ("number", "text"),
    [("1E+3", "1000"), ("0.0421", "0.0421"), ("-0.00", "0"), ("1.500", "1.5"), ("1E-7", "0.0000001"), ("100", "100")],
)
def test_decimals_have_one_text(number: str, text: str) -> None:
    assert decimal_text(Decimal(number)) == text


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_not_written(number: str) -> None:
    with pytest.raises(ValueError, match="not a number"):
        decimal_text(Decimal(number))


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9))
def test_decimals_keep_their_value(number: Decimal) -> None:
    tree = Tree(pass_=(), share=number)
    assert from_plain(Tree, to_plain(tree), where="x") == tree


@given(RECORDS)
def test_every_record_survives_the_disk(record: Record) -> None:
    data = canonical(to_plain(record))
    assert from_plain(type(record), parse(data, where="x"), where="x") == record


@dataclass(frozen=True, kw_only=True, slots=True)
class Small:
    name: str
    count: int
    sure: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Spare:
    name: str
    count: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Many:
    small: tuple[Small, ...] = ()
    spare: tuple[Spare, ...] = ()


_VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=2) | st.just([1])
_SMALL = st.dictionaries(st.sampled_from(["name", "count", "sure", "more"]), _VALUES, max_size=4)


@given(st.lists(st.fixed_dictionaries({"name": _VALUES, "count": _VALUES, "sure": _VALUES}) | _SMALL, max_size=3))
def test_many_plain_nouns_are_read_as_strictly_as_one(value: list[Plain]) -> None:
    def one(each: Plain) -> Small | None:
        try:
            return from_plain(Small, each, where="x")
        except IntegrityFault:
            return None

    alone = [one(each) for each in value]
    if None in alone:
        with pytest.raises(IntegrityFault, match="does not have the shape of Many"):
            from_plain(Many, {"small": value}, where="x")
    else:
        assert from_plain(Many, {"small": value}, where="x").small == tuple(alone)


def test_no_unknown_key_stands_in_for_one_that_may_be_absent() -> None:
    assert from_plain(Many, {"spare": [{"name": "a"}]}, where="x").spare == (Spare(name="a"),)
    with pytest.raises(IntegrityFault, match="key 'more' is unknown"):
        from_plain(Many, {"spare": [{"name": "a", "more": 1}]}, where="x")
