"""Whatever JSON holds is found again in its text, at its line and column, however it is laid out."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec_lang.diagnostics import SpecErrors
from spec_lang.json_places import JsonPlaces, read_json
from spec_lang.span import Source

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, below in value.items():
            yield from paths(below, (*path, key))
    elif isinstance(value, list):
        for place, below in enumerate(value):
            yield from paths(below, (*path, place))


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_value_is_found_again(value: Any, indent: int | str | None, escaped: bool) -> None:
    source = Source(name="x.json", text=json.dumps(value, indent=indent, ensure_ascii=escaped))
    assert read_json(source) == value
    places = JsonPlaces(source)
    lines = source.text.split("\n")
    for path, part in paths(value):
        start = places.at(*path).start
        rest = "\n".join([lines[start.line - 1][start.column - 1 :], *lines[start.line :]])
        assert json.JSONDecoder().raw_decode(rest)[0] == part
        if path and isinstance(path[-1], str):
            key = places.key(*path).start
            assert json.JSONDecoder().raw_decode(lines[key.line - 1][key.column - 1 :])[0] == path[-1]


@given(VALUES, st.text(max_size=4), VALUES)
def test_a_key_that_stands_twice_is_found_wherever_it_is(value: Any, key: str, other: Any) -> None:
    written = f"{json.dumps(key)}: {json.dumps(other)}"
    text = f'[{json.dumps(value)}, {{"-----": [{{{written}, {written}}}]}}]'
    with pytest.raises(SpecErrors) as caught:
        read_json(Source(name="x.json", text=text))
    (found,) = caught.value.diagnostics
    assert found.code == "P115"
    assert found.span is not None
    assert found.span.start.column == text.rindex(written) + 1


@given(st.text(max_size=20))
def test_no_text_ends_in_anything_but_a_value_or_a_diagnosis(text: str) -> None:
    codes = set()
    try:
        read_json(Source(name="x.json", text=text))
    except SpecErrors as found:
        codes = {each.code for each in found.diagnostics}
    assert codes <= {"P115", "P118", "P215"}


def test_a_place_that_is_not_there_is_its_nearest_ancestors() -> None:
    places = JsonPlaces(Source(name="x.json", text='{"a": [1, 2]}'))
    assert str(places.at("a", 7)) == "x.json:1:7"
    assert str(places.at("b")) == "x.json:1:1"
    assert str(places.key("a")) == "x.json:1:2"
