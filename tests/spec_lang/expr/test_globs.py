"""Globs over repository paths."""

import pytest

from spec_lang.expr.globs import matching


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("a/**/*.py", "a/x.py", True),
        ("a/**/*.py", "a/b/c/x.py", True),
        ("a/**/*.py", "b/a/x.py", False),
        ("a/*.py", "a/b/x.py", False),
        ("**", "a/b", True),
        ("tests/**", "tests/a/b.py", True),
        ("tests/**", "tests", False),
        ("**/x.py", "x.py", True),
        ("tests/test_?.py", "tests/test_a.py", True),
        ("a.py", "aXpy", False),
        ("*.py", "a.py\n", False),
        ("[a].py", "[a].py", True),
    ],
)
def test_glob(glob: str, path: str, matches: bool) -> None:
    assert (matching((path,), glob) == (path,)) is matches
