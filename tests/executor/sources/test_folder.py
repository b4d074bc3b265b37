"""Tasks in a folder: what is found, what is given, what is held back, and what cannot be a task."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import Chosen
from compiler.task import Reason
from executor.patches import touched
from executor.ports import Built, Found
from executor.sources.folder import Folder
from executor.sources.task_folder import task_file
from executor.trees import gather, leaves
from ledger.errors import WorldFault
from prereg.task_files import read_tasks
from tests.executor.sources.task_folders import TASK, lay_task


def find(root: Path) -> dict[str, Found]:
    return {each.id: each for each in Folder(read=read_tasks).find({"path": "tasks"}, root)}


def build(root: Path, name: str = "add") -> Built | Reason:
    return Folder(read=read_tasks).build({"path": "tasks"}, root, find(root)[name])


def test_a_task_and_its_own_terms(tmp_path: Path) -> None:
    lay_task(tmp_path, "add")
    found = find(tmp_path)["add"]
    assert (found.category, found.requires, found.gold_files, found.dropped) == ("bugfix", ("sh",), ("calc.txt",), None)
    assert found.facts == {
        "title": "Add right",
        "difficulty": "easy",
        "language": "text",
        "prompt": "2 and 2 should give 4.",
        "requires": ["sh"],
        "checks": {
            "command_1": {"kind": "command", "options": {"run": "sh check.sh", "expect_exit": 0, "timeout": 5}},
            "file_contains_2": {
                "kind": "file-contains",
                "options": {"path": "calc.txt", "pattern": "4", "ignore_case": True},
            },
        },
        "limits": {"time_s": "600", "cost_usd": "0.5"},
    }


def test_what_is_given_and_what_is_held_back(tmp_path: Path) -> None:
    lay_task(tmp_path, "add")
    built = build(tmp_path)
    assert isinstance(built, Built)
    assert [leaf.path for leaf in leaves(built.given)] == ["calc.txt"]
    assert [leaf.path for leaf in leaves(built.held_out)] == ["check.sh"]
    assert b"+2 2 4" in built.reference
    assert built.checks["command_1"] == Chosen(
        kind="command", options={"run": "sh check.sh", "expect_exit": 0, "timeout": 5}
    )
    assert (built.answer, built.setup, built.tests.files) == (None, (), ())


def test_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    lay_task(tmp_path / "one", "add")
    lay_task(tmp_path / "other", "add", as_json=True)
    assert find(tmp_path / "one") == find(tmp_path / "other")


def test_an_answer_is_a_reference_too(tmp_path: Path) -> None:
    task = lay_task(tmp_path, "add")
    (task / "solution.patch").unlink()
    (task / "solution.answer.md").write_text("Four.\n")
    built = build(tmp_path)
    assert isinstance(built, Built)
    assert (built.reference, built.answer) == (b"", "Four.\n")


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (lambda task: (task / "solution.patch").unlink(), "no-reference"),
        (lambda task: (task / "repo" / "calc.txt").unlink(), "no-repo"),
        (lambda task: (task / "hidden" / "more.sh").write_text(""), "hidden"),
    ],
    ids=["no reference", "empty repo", "hidden files that are not listed"],
)
def test_what_cannot_be_a_task_is_dropped_with_its_reason(tmp_path: Path, broken: Any, code: str) -> None:
    task = lay_task(tmp_path, "add")
    broken(task)
    dropped = find(tmp_path)["add"].dropped
    assert dropped is not None
    assert dropped.code == code
    assert build(tmp_path) == dropped


def test_tasks_come_by_name_and_other_folders_are_none(tmp_path: Path) -> None:
    for name in ("b", "a-1"):
        lay_task(tmp_path, name)
    (tmp_path / "tasks" / "notes").mkdir()
    (tmp_path / "tasks" / ".b").mkdir()
    (tmp_path / "tasks" / "README.md").write_text("")
    assert list(find(tmp_path)) == ["a-1", "b"]


def test_the_origin_names_the_folder_and_its_content_and_no_machine(tmp_path: Path) -> None:
    task = lay_task(tmp_path, "add")
    before = Folder().origin({"path": "tasks"}, tmp_path)
    assert before.startswith("tasks@sha256:")
    assert str(tmp_path) not in before
    (task / "hidden" / "check.sh").write_text("true")
    assert Folder().origin({"path": "tasks"}, tmp_path) != before


def test_no_folder_and_no_task_and_no_reader(tmp_path: Path) -> None:
    with pytest.raises(WorldFault, match="tasks is not there"):
        find(tmp_path)
    (tmp_path / "tasks").mkdir()
    with pytest.raises(WorldFault, match="holds no folder with a task"):
        find(tmp_path)
    lay_task(tmp_path, "add")
    with pytest.raises(WorldFault, match="nobody gave"):
        list(Folder().find({"path": "tasks"}, tmp_path))


def test_a_task_that_goes_while_it_is_read_is_a_fault_of_the_world(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    with pytest.raises(WorldFault, match="the file of the task gone is gone"):
        task_file(tmp_path / "gone")


def test_limits_may_be_left_out(tmp_path: Path) -> None:
    said: Mapping[str, object] = {key: value for key, value in TASK.items() if key not in ("timeoutMs", "maxCostUsd")}
    lay_task(tmp_path, "add", said)
    assert "limits" not in find(tmp_path)["add"].facts


def test_touched_paths_are_those_that_git_reads() -> None:
    changed = (
        'diff --git "a/\\303\\244 b.txt" "b/\\303\\244 b.txt"\n--- "a/\\303\\244 b.txt"\n+++ "b/\\303\\244 b.txt"\n'
    )
    content = "@@ -1,2 +1 @@\n--- a/no.py\n-x\n+y\n"  # the first line taken out reads `-- a/no.py`
    moved = "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n"
    gone = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert touched((changed + content + moved + gone).encode()) == ("gone", "new.py", "old.py", "ä b.txt")
    assert touched(b"no patch at all") == touched(b"") == ()


def test_a_folder_is_gathered_without_repositories_and_compiled_python(tmp_path: Path) -> None:
    for path in ("a/b.txt", "run.sh", ".git/HEAD", "a/__pycache__/b.pyc", ".hidden"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "link").symlink_to("a")
    kinds = {leaf.path: (leaf.kind, leaf.data) for leaf in gather(tmp_path)}
    assert kinds == {
        "a/b.txt": ("file", b"x"),
        "run.sh": ("executable", b"x"),
        ".hidden": ("file", b"x"),
        "link": ("link", b"a"),
    }
