"""Closed issues become tasks: each has its fix or a reason, its text is the prompt, and its fix's tests are not in the start."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from compiler.task import Reason
from executor.ports import Built, Found
from executor.sources.issues import Issues
from executor.trees import leaves
from ledger.errors import WorldFault
from ledger.plain import Plain
from prereg.issue_files import ExportFiles
from spec_lang.diagnostics import SpecErrors
from tests.executor.sources.histories import OLD_TEST, RIGHT, TEST, WRONG, History
from tests.spec_lang.exports import issue, pull

SOURCE = Issues(ExportFiles())
OTHER = "from pkg.other import same\n\n\ndef test_same():\n    assert same(1) == 1\n"
START = {
    "pkg/__init__.py": "",
    "pkg/code.py": WRONG,
    "pkg/other.py": "def same(n):\n    return n\n",
    "tests/test_code.py": OLD_TEST,
    "tests/test_other.py": OTHER,
}
FIX = {"pkg/code.py": RIGHT, "tests/test_code.py": TEST}


def laid(root: Path, fix: Mapping[str, str | bytes | None] = FIX, **start: str) -> History:
    """A history of a start and a fix, with an export in which issue 7 was closed by it."""
    history = History(root / "kit")
    history.commit("start", {**START, **start})
    exported(root, [issue(7)], [pull(8, [7], history.commit("Double, not add (#8)", fix), files=len(fix))])
    return history


def exported(root: Path, issues: Sequence[Any], pulls: Sequence[Any]) -> None:
    (root / "issues.json").write_text(json.dumps(issues, indent=1))
    (root / "pulls.json").write_text(json.dumps(pulls, indent=1))


def options(history: History, **more: Plain) -> dict[str, Plain]:
    return {
        "issues": "issues.json",
        "pulls": "pulls.json",
        "repository": "kit",
        "at": history.git("rev-parse", "HEAD"),
        "tests": {"run": ["python", "-m", "pytest"], "report": "pytest-plugin"},
        "test_files": ["tests/**/test_*.py"],
        "withhold": "files",
        **more,
    }


def find(history: History, **more: Plain) -> list[Found]:
    return list(SOURCE.find(options(history, **more), history.folder.parent))


def built(history: History, **more: Plain) -> Built | Reason:
    return SOURCE.build(options(history, **more), history.folder.parent, find(history, **more)[-1])


def texts(tar: bytes) -> dict[str, str]:
    return {leaf.path: leaf.data.decode() for leaf in leaves(tar)}


def test_an_issue_has_its_own_words_and_its_fix(tmp_path: Path) -> None:
    history = laid(tmp_path)
    (found,) = find(history)
    assert (found.id, found.dropped, found.gold_files) == ("issue-7", None, ("pkg/code.py",))
    facts = found.facts
    assert facts["prompt"] == "Issue 7\n\nIt does not work."
    assert facts["issue.number"] == 7
    assert facts["issue.closed"] == "2026-08-01T10:00:00Z"
    assert facts["merged"] == "2026-08-01T09:59:00Z"
    assert facts["hash"] == history.git("rev-parse", "HEAD")
    assert (facts["sources"], facts["tests"], facts["closes"]) == (["pkg/code.py"], ["tests/test_code.py"], 1)


def test_the_text_is_given_word_for_word(tmp_path: Path) -> None:
    history = laid(tmp_path)
    fix = history.git("rev-parse", "HEAD")
    body = "Steps:\r\n\r\n1. call `double`\t(twice)\n"
    exported(
        tmp_path,
        [issue(7, title="  It is *wrong*", body=body), issue(9, title="No text", body="")],
        [pull(8, [7, 9], fix)],
    )
    assert [each.facts["prompt"] for each in find(history)] == [f"  It is *wrong*\n\n{body}", "No text"]
    assert [each.facts["closes"] for each in find(history)] == [2, 2]
    assert [each.facts["sources"] for each in find(history)] == [["pkg/code.py"]] * 2


def test_the_start_has_none_of_the_fixs_tests(tmp_path: Path) -> None:
    history = laid(tmp_path, {**FIX, "tests/data/case.txt": "6\n", "README.md": "Doubles.\n"})
    task = built(history)
    assert isinstance(task, Built)
    assert sorted(texts(task.given)) == ["pkg/__init__.py", "pkg/code.py", "pkg/other.py", "tests/test_other.py"]
    assert texts(task.given)["pkg/code.py"] == WRONG
    assert texts(task.held_out) == {"tests/test_code.py": TEST, "tests/data/case.txt": "6\n"}
    assert b"README.md" in task.reference
    assert b"test_code" not in task.reference
    assert task.withheld is not None
    assert task.withheld.paths == ("tests/data/case.txt", "tests/test_code.py")
    assert (task.withheld.tests, task.withheld.suite) == (("tests/test_code.py",), ("tests/test_other.py",))
    assert task.tests.files == ("tests/test_code.py", "tests/test_other.py")


def test_the_earlier_version_may_stay_where_the_author_says_so(tmp_path: Path) -> None:
    task = built(laid(tmp_path), withhold="changes")
    assert isinstance(task, Built)
    assert texts(task.given)["tests/test_code.py"] == OLD_TEST
    assert task.withheld is not None
    assert not task.withheld.strict


def test_a_deleted_test_is_withheld_too(tmp_path: Path) -> None:
    history = laid(
        tmp_path, {**FIX, "tests/test_gone.py": None}, **{"tests/test_gone.py": "def test_gone():\n    pass\n"}
    )
    task = built(history)
    assert isinstance(task, Built)
    assert "tests/test_gone.py" not in texts(task.given)
    assert task.tests.delete == ("tests/test_gone.py",)


def test_test_infrastructure_cannot_be_withheld(tmp_path: Path) -> None:
    fix = {**FIX, "tests/conftest.py": "import os  # now\n"}
    history = laid(tmp_path, fix, **{"tests/conftest.py": "import os\n"})
    task = built(history)
    assert isinstance(task, Reason)
    assert (task.code, task.detail) == ("unwithholdable", "tests/conftest.py")


@pytest.mark.parametrize(
    ("fix", "code"),
    [({"tests/test_code.py": TEST}, "no-source"), ({"pkg/code.py": RIGHT}, "no-test-files")],
)
def test_a_merge_without_source_or_tests_is_no_task(tmp_path: Path, fix: Mapping[str, str], code: str) -> None:
    task = built(laid(tmp_path, fix))
    assert isinstance(task, Reason)
    assert task.code == code


def test_every_issue_without_one_fix_says_why(tmp_path: Path) -> None:
    history = laid(tmp_path)
    fix = history.git("rev-parse", "HEAD")
    first = history.git("rev-parse", "HEAD~1")
    history.git("checkout", "-q", "-b", "side")
    side = history.commit("elsewhere", {"pkg/code.py": RIGHT + "\n"})
    history.git("checkout", "-q", "main")
    exported(
        tmp_path,
        [issue(number) for number in (6, 5, 4, 3, 2, 1)],
        [
            pull(11, [2], fix),
            pull(12, [2], fix),
            pull(13, [3], None),
            pull(14, [4], side),
            pull(15, [5], first, files=5),
            pull(16, [6], fix, files=3),
        ],
    )
    found = find(history)
    assert [each.id for each in found] == [f"issue-{number}" for number in range(1, 7)]
    assert [each.dropped.code for each in found if each.dropped is not None] == [
        "no-merge",
        "several-merges",
        "no-merge-commit",
        "not-in-history",
        "no-parent",
        "rebased",
    ]


def test_a_merge_of_a_branch_counts_as_one_change(tmp_path: Path) -> None:
    history = laid(tmp_path, {"pkg/more.py": "x = 1\n"})
    history.git("checkout", "-q", "-b", "topic", "HEAD~1")
    history.commit("fix", {"pkg/code.py": RIGHT})
    history.commit("tests", {"tests/test_code.py": TEST})
    history.git("checkout", "-q", "main")
    history.git("merge", "-q", "--no-ff", "-m", "Merge pull request #8", "topic")
    exported(tmp_path, [issue(7)], [pull(8, [7], history.git("rev-parse", "HEAD"), files=2)])
    (found,) = find(history)
    assert found.dropped is None
    assert found.facts["tests"] == ["tests/test_code.py"]
    task = built(history)
    assert isinstance(task, Built)
    assert "pkg/more.py" in texts(task.given)


def test_a_commit_that_the_history_does_not_hold_stops_the_harvest_at_its_place(tmp_path: Path) -> None:
    history = laid(tmp_path)
    exported(tmp_path, [issue(7), issue(9)], [pull(8, [7], "a" * 40), pull(10, [9], "b" * 40)])
    with pytest.raises(WorldFault) as caught:
        find(history)
    assert [(each.code, each.got, each.where) for each in caught.value.reasons] == [
        ("missing-commit", "a" * 40, "pulls.json:6:11"),
        ("missing-commit", "b" * 40, "pulls.json:29:11"),
    ]


def test_a_commit_that_closes_no_issue_of_the_export_is_never_looked_for(tmp_path: Path) -> None:
    history = laid(tmp_path)
    exported(tmp_path, [issue(7)], [pull(8, [99], "a" * 40)])
    assert [each.dropped.code for each in find(history) if each.dropped is not None] == ["no-merge"]


def test_a_malformed_export_is_the_authors_fault(tmp_path: Path) -> None:
    history = laid(tmp_path)
    exported(tmp_path, [issue(7), issue(7)], [{**pull(8, [7], None), "title": "x"}])
    with pytest.raises(SpecErrors) as caught:
        find(history)
    assert [(each.code, str(each.span)) for each in caught.value.diagnostics] == [
        ("P120", "issues.json:13:13"),
        ("P120", "issues.json:16:10"),
        ("P201", "pulls.json:22:3"),
    ]


def test_the_origin_names_history_and_export(tmp_path: Path) -> None:
    history = laid(tmp_path)
    before = SOURCE.origin(options(history), tmp_path)
    assert before.startswith(f"kit@{history.git('rev-parse', 'HEAD')}, issues sha256:")
    exported(tmp_path, [issue(7), issue(9)], [])
    assert SOURCE.origin(options(history), tmp_path) != before


def test_a_source_without_a_reader_says_so(tmp_path: Path) -> None:
    history = laid(tmp_path)
    with pytest.raises(WorldFault, match="reader of exports"):
        next(Issues().find(options(history), tmp_path))
