"""What differs between two documents."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.difference import Change, difference
from ledger.canonical import canonical
from tests.ledger.strategies import PLAIN


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b: 1 became 2"]),
        ({"a": 1}, {"b": 1}, ["a: removed 1", "b: added 1"]),
        ({"a": True}, {"a": 1}, ["a: true became 1"]),
        ({"a": None}, {}, ["a: removed null"]),
        ({"env": {"A.B": "x"}}, {"env": {"A.B": "y"}}, ['env["A.B"]: "x" became "y"']),
        (["a", "b"], ["new", "a", "b"], ['[0]: added "new"']),
        (["a", "b", "c"], ["a", "c"], ['[1]: removed "b"']),
        ({"l": [{"k": 1}, 2]}, {"l": [{"k": 3}, 2]}, ["l[0].k: 1 became 3"]),
        (1, "1", ['the document: 1 became "1"']),
        ({"a": []}, {"a": {}}, ["a: [] became {}"]),
    ],
)
def test_reads_well(before: Any, after: Any, said: list[str]) -> None:
    assert [str(each) for each in difference(before, after)] == said


@given(PLAIN, PLAIN)
def test_nothing_differs_exactly_when_the_bytes_are_the_same(before: Any, after: Any) -> None:
    assert (difference(before, after) == ()) == (canonical(before) == canonical(after))


@given(PLAIN)
def test_a_document_does_not_differ_from_itself(value: Any) -> None:
    assert difference(value, value) == ()


def _swapped(change: Change) -> tuple[str, Any, Any]:
    kind = {"added": "removed", "removed": "added", "changed": "changed"}[change.kind]
    return kind, change.after, change.before


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 3)), st.dictionaries(st.text(max_size=3), st.integers(0, 3)))
def test_the_way_back_is_the_mirror_image(before: Any, after: Any) -> None:
    there = [(each.kind, each.before, each.after) for each in difference(before, after)]
    assert [_swapped(each) for each in difference(after, before)] == there
