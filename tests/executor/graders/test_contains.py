"""The contains checks: lines, globs, negation, and no way out of the tree."""

from dataclasses import replace
from pathlib import Path

import pytest

from compiler.plan import Chosen
from executor.graders.contains import MOST_BYTES, AnswerContainsGrader, FileContainsGrader
from executor.ports import CheckResult, GradeOrder
from executor.sandboxes.local import LocalSandbox
from ledger.plain import Plain


def order(root: Path, kind: str, answer: str | None, options: dict[str, Plain]) -> GradeOrder:
    return GradeOrder(
        check=Chosen(kind=kind, options=options),
        root=root,
        pristine=root,
        changed=(),
        answer=answer,
        events=(),
        tests=None,
        scratch=root,
        sandbox=LocalSandbox(),
    )


def file(root: Path, **options: Plain) -> CheckResult:
    return FileContainsGrader().grade(order(root, "file-contains", None, options))


def answer(text: str | None, **options: Plain) -> CheckResult:
    return AnswerContainsGrader().grade(order(Path(), "answer-contains", text, options))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(b"import os\r\nimport json\nprint(1)\n")
    (root / "src" / "deep" / "b.py").write_text("import json\n")
    return root


@pytest.mark.parametrize(
    ("options", "ok", "count"),
    [
        ({"path": "src/a.py", "pattern": "^import json$"}, True, 1),
        ({"path": "src/a.py", "pattern": "^import os$"}, True, 1),  # whatever ends the line
        ({"path": "src/a.py", "pattern": "IMPORT"}, False, 0),
        ({"path": "src/a.py", "pattern": "IMPORT", "ignore_case": True}, True, 2),
        ({"path": "src/a.py", "pattern": "json", "negate": True}, False, 1),
        ({"path": "src/a.py", "pattern": "yaml", "negate": True}, True, 0),
        ({"path": "src/**/*.py", "pattern": "json"}, True, 2),
        ({"path": "src/*.py", "pattern": "json"}, True, 1),
        ({"path": "**/*.py", "pattern": "yaml", "negate": True}, True, 0),
        ({"path": "src/none.py", "pattern": "."}, False, 0),
        ({"path": "src/none.py", "pattern": ".", "negate": True}, True, 0),
        ({"path": "../tree/src/a.py", "pattern": "."}, False, 0),
    ],
)
def test_files(root: Path, options: dict[str, Plain], ok: bool, count: int) -> None:
    result = file(root, **options)
    assert (result.ok, result.facts) == (ok, {"count": count})
    assert result.detail


def test_a_link_is_no_file(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("secret")
    (root / "src" / "c.py").symlink_to(tmp_path / "outside.py")
    (root / "linked").symlink_to(tmp_path)
    assert file(root, path="src/c.py", pattern="secret").ok is False
    assert file(root, path="linked/outside.py", pattern="secret").ok is False


def test_bytes_that_are_no_text_and_files_without_end_are_searched(root: Path) -> None:
    (root / "src" / "a.py").write_bytes(b"\xff\xfe json " + b"x" * MOST_BYTES + b" late")
    assert file(root, path="src/a.py", pattern="json").ok is True
    assert file(root, path="src/a.py", pattern="late").ok is False


def test_what_must_not_be_there_is_not_hidden_behind_padding(root: Path) -> None:
    (root / "src" / "a.py").write_bytes(b"# pad\n" * (MOST_BYTES // 6) + b"import json\n")
    asked = order(root, "file-contains", None, {"path": "src/*.py", "pattern": "import json", "negate": True})
    assert FileContainsGrader().grade(asked).ok is True, "a long file that was there before is the author's"
    found = FileContainsGrader().grade(replace(asked, changed=("src/a.py",)))
    assert found.ok is False
    assert found.detail.endswith(f"but it was searched through its first {MOST_BYTES} bytes only")
    assert answer("x" * MOST_BYTES + " all tests pass", pattern="tests pass", negate=True).ok is False


def test_what_is_said() -> None:
    assert answer("A", pattern="x").detail == "0 matches of x in the final answer, expected one"
    assert answer("x x", pattern="x", negate=True).detail == "2 matches of x in the final answer, expected none"


def test_answers() -> None:
    assert answer("It is a\nToken bucket.", pattern="token[ -]?bucket", ignore_case=True).ok is True
    assert answer("It is a window.", pattern="token[ -]?bucket").ok is False
    assert answer("one\ntwo", pattern="^two$").ok is True
    assert answer("", pattern="x", negate=True).ok is True


def test_no_answer_is_neither_with_nor_without() -> None:
    for negate in (False, True):
        result = answer(None, pattern="x", negate=negate)
        assert (result.ok, result.detail) == (False, "there is no final answer")
