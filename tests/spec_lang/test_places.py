"""Every character of a value is found again in the source, however the value was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec_lang.places import places
from spec_lang.text import source_of
from spec_lang.yaml_tree import MapNode, Scalar, read_tree


def scalar_of(text: str) -> Scalar:
    tree = read_tree(source_of(text.encode(), "case.yaml"))
    assert isinstance(tree, MapNode)
    value = tree.get("a")
    assert isinstance(value, Scalar)
    return value


def characters(scalar: Scalar) -> str:
    source = scalar.span.source
    return "".join((source.line(at.line) + "\n")[at.column - 1] for at in places(scalar)[:-1])


WORDS = "abc == d and 20 min"


@pytest.mark.parametrize(
    "text",
    [
        f"a: {WORDS}\n",
        f"a: '{WORDS}'\n",
        f'a: "{WORDS}"\n',
        f"a: |\n  {WORDS}\n",
        f"a: |-\n    {WORDS}\n",
        f"a: >2-\n  {WORDS}\n",
        "a: >-\n  abc == d\n  and 20 min\n",
        "a: abc == d\n  and 20 min\n",
        "a: 'abc == d\n  and 20 min'\n",
        'a: "abc == d\n  and 20 min"\n',
        'a: "abc == d \\\n   and 20 min"\n',
    ],
)
def test_words_are_found(text: str) -> None:
    scalar = scalar_of(text)
    assert scalar.text.rstrip("\n") == WORDS
    # A fold is a line break in the source and a blank in the value.
    assert characters(scalar).replace("\n", " ").strip() == WORDS


def test_escapes_and_doubled_quotes() -> None:
    assert [at.column for at in places(scalar_of("a: 'x''y'\n"))] == [5, 6, 8, 9]
    assert [at.column for at in places(scalar_of('a: "x\\"y\\u0041z"\n'))] == [5, 6, 8, 9, 15, 16]


@given(
    st.lists(st.from_regex(r"[a-z=<>]{1,6}", fullmatch=True), min_size=1, max_size=6),
    st.sampled_from("|>"),
    st.integers(1, 6),
)
def test_law_blocks(words: list[str], style: str, indent: int) -> None:
    lines = [" " * indent + word for word in words]
    scalar = scalar_of(f"a: {style}\n" + "\n".join(lines) + "\nb: 1\n")
    assert characters(scalar).split() == words
