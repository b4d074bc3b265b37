"""Patterns: what is taken means what it says, what could take exponential time is refused."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec_lang.expr.patterns import PatternError, search


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^fix", "fix: x", True),
        ("x$", "x\n", False),
        (r"[$]$", "1$", True),
        (r"\$5", "$5", True),
        (r"\d+", "٣", False),
        (r"\bfix\b", "a fix.", True),
        ("(ab)+c", "ababc", True),
        ("(a|b)?c", "c", True),
        ("(?:a)c", "ac", True),
        ("a{2,3}?b", "aab", True),
        (r"[^\]]", "]", False),
        (r"[]a]", "]", True),
        ("a.c", "a\nc", False),
    ],
)
def test_meaning(pattern: str, text: str, found: bool) -> None:
    assert (search(pattern).search(text) is not None) is found


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+", "(a|a)*", "(a?){30}", "((a)+b)*", "((a|b)c)+", "(?=a)", "(?!a)", "(?<=a)b",
     "(?P<n>a)", "(?i)a", r"(a)\1", "a" * 600, "(", "[a"],
)  # fmt: skip
def test_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        search(pattern)


@given(st.text("ab()|*+?[]^$.\\d{1,2}-", max_size=12))
def test_law_what_is_taken_compiles_and_is_fast(pattern: str) -> None:
    try:
        compiled = search(pattern)
    except PatternError as fault:
        assert 0 <= fault.start <= fault.end  # noqa: PT017
        return
    assert isinstance(compiled, re.Pattern)
    began = time.perf_counter()
    compiled.search("ab" * 500 + "!")
    assert time.perf_counter() - began < 5
