"""Reading files: bytes become a text that hides nothing, or a fault with its place."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec_lang.diagnostics import SpecErrors
from spec_lang.text import LARGEST, read_source, source_of, strange


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SpecErrors, match=r"P101.*cannot read .*spec.yaml: No such file"):
        read_source(tmp_path / "spec.yaml")


def test_a_large_file() -> None:
    with pytest.raises(SpecErrors, match="P109"):
        source_of(b" " * (LARGEST + 1), "spec.yaml")


def test_the_name_is_the_path_as_given(tmp_path: Path) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text("a: 1\n")
    assert read_source(file).name == str(file)
    assert read_source(file).text == "a: 1\n"


def test_faults_come_in_order_and_not_by_the_thousand() -> None:
    with pytest.raises(SpecErrors) as caught:
        source_of(b"a\tb\x00\n" * 1000, "spec.yaml")
    places = [each.span.start for each in caught.value.diagnostics if each.span]
    assert places == sorted(places)
    assert len(places) <= 20


@given(st.binary(max_size=60))
def test_law_bytes_are_taken_whole_or_refused(data: bytes) -> None:
    try:
        source = source_of(data, "x")
    except SpecErrors:
        return
    assert source.text.encode() == data
    assert strange(source.text) is None
