"""Whatever is done to a right spec, loading gives a spec or tells what is wrong, and never fails otherwise."""

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from spec_lang.diagnostics import SpecErrors, render
from spec_lang.load import load, read_source
from spec_lang.text import source_of
from spec_lang.yaml_tree import plain, read_tree

FIXTURE = Path(__file__).parents[1] / "fixtures" / "task_outcome.yaml"
RIGHT: Any = plain(read_tree(read_source(FIXTURE)))


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for key, each in children for deeper in paths(each, (*path, key)))]


scalars = st.one_of(
    st.booleans(),
    st.integers(-5, 100),
    st.sampled_from(
        ["x", "20 min", "2 USD", "true", "a < b", "min(a", "all", "", "command", "0.5", "sha256:x", "a: b", "pass"]
    ),
)
wrong = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["kind", "x", "seed", "rule"]), inner, max_size=3)
    ),
    max_leaves=5,
)
DELETE = object()


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.sampled_from(paths(RIGHT)[1:]), st.one_of(st.just(DELETE), wrong)), min_size=1, max_size=3)
)
def test_law_a_broken_spec_is_refused_with_places(edits: list[tuple[tuple[str | int, ...], Any]]) -> None:
    spec = copy.deepcopy(RIGHT)
    for path, value in edits:
        here = spec
        try:
            for step in path[:-1]:
                here = here[step]
            if value is DELETE:
                del here[path[-1]]
            else:
                here[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier edit took the place away
    source = source_of(json.dumps(spec, indent=1, default=float, ensure_ascii=False).encode(), "spec.yaml")
    try:
        load(source)
    except SpecErrors as errors:
        for each in errors.diagnostics:
            assert each.span is not None
            assert render(each)


@settings(max_examples=40)
@given(st.integers(0, 5000), st.text("\"'[]{}:,#-&*! \n%|>ab1.", min_size=1, max_size=3))
def test_law_any_stray_characters(at: int, stray: str) -> None:
    text = read_source(FIXTURE).text
    at %= len(text)
    try:
        load(source_of((text[:at] + stray + text[at:]).encode(), "spec.yaml"))
    except SpecErrors as errors:
        assert all(render(each) for each in errors.diagnostics)  # noqa: PT017
