"""Strict YAML: what is taken is the same for every reader, and every part knows where it stands."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from spec_lang.diagnostics import SpecErrors
from spec_lang.text import source_of
from spec_lang.yaml_tree import MOST_EVENTS, MapNode, Scalar, plain, read_tree


def read(text: str) -> object:
    return plain(read_tree(source_of(text.encode(), "case.yaml")))


def test_values() -> None:
    assert read("a: 1\nb: 0.05\nc: true\nd: x y\ne: [1, {f: -2}]\ng: |\n  x\n  y\nh: ''\n") == {
        "a": 1,
        "b": Decimal("0.05"),
        "c": True,
        "d": "x y",
        "e": [1, {"f": -2}],
        "g": "x\ny\n",
        "h": "",
    }


def test_spans() -> None:
    tree = read_tree(source_of(b"a:\n  - x: 20 min\n", "case.yaml"))
    assert isinstance(tree, MapNode)
    items = tree.get("a")
    assert str(items.items[0].get("x").span) == "case.yaml:2:8"  # type: ignore[union-attr]
    assert str(items.items[0].key("x").span) == "case.yaml:2:5"  # type: ignore[union-attr]


def test_too_many_parts() -> None:
    with pytest.raises(SpecErrors, match=r"P118.*more than 50000"):
        read("[" + "1," * MOST_EVENTS + "1]")


def test_a_directive_does_not_stick() -> None:
    with pytest.raises(SpecErrors):
        read("%YAML 1.1\n---\na: no\n")
    assert read("a: nope") == {"a": "nope"}


scalars = st.one_of(
    st.from_regex(r"[-+.0-9eExob_:]{1,8}", fullmatch=True),
    st.sampled_from(
        ["true", "false", "yes", "No", "null", "~", "on", "1", "0.5", "x", "<<", "=", "2026-01-01", "y", ".inf"]
    ),
)


@settings(max_examples=400)
@given(scalars)
def test_law_what_is_taken_reads_the_same_in_yaml_1_1(text: str) -> None:
    """The oracle is the library itself, in both versions of YAML."""
    try:
        tree = read_tree(source_of(f"a: {text}\n".encode(), "case.yaml"))
    except SpecErrors:
        return
    ours = plain(tree)
    for version in ((1, 1), (1, 2)):
        reader = YAML(typ="safe", pure=True)
        reader.version = version  # type: ignore[assignment]
        try:
            theirs = reader.load(f"a: {text}\n")
        except (ValueError, IndexError) as fault:
            # The library takes it for a number and fails on it.
            raise AssertionError(text) from fault
        if isinstance(ours, dict) and isinstance(ours["a"], Decimal):
            assert float(ours["a"]) == theirs["a"]
        else:
            assert ours == theirs
            assert type(ours["a"]) is type(theirs["a"])  # type: ignore[index, call-overload]


@given(st.text("ab:[]{},'\"\\|>-# \n*&!%@`?01.", max_size=30))
def test_law_any_text_is_taken_or_refused(text: str) -> None:
    try:
        source = source_of(text.encode(), "case.yaml")
        tree = read_tree(source)
    except SpecErrors as errors:
        assert all(each.code.startswith("P1") for each in errors.diagnostics)  # noqa: PT017
        return
    assert isinstance(tree, Scalar) or tree.span.source is source
