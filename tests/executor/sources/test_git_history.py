"""Finding and building: every commit is a candidate or has a reason, and nothing of the machine or the future gets in."""

from pathlib import Path

import pytest

from compiler.task import Reason
from executor.ports import Built, Found
from executor.sources.git_history import GitHistory
from executor.trees import leaves
from ledger.errors import WorldFault
from ledger.plain import Plain
from tests.executor.sources.histories import OLD_TEST, RIGHT, TEST, WRONG, History, fixed, plain_fix

SOURCE = GitHistory()


def options(history: History, **more: Plain) -> dict[str, Plain]:
    return {
        "repository": str(history.folder),
        "at": history.git("rev-parse", "HEAD"),
        "tests": {"run": ["python", "-m", "pytest"], "report": "pytest-plugin"},
        "test_files": ["tests/**/test_*.py"],
        **more,
    }


def find(history: History, **more: Plain) -> list[Found]:
    return list(SOURCE.find(options(history, **more), Path()))


def build(history: History, **more: Plain) -> Built | Reason:
    return SOURCE.build(options(history, **more), Path(), find(history, **more)[-1])


def built(history: History, **more: Plain) -> Built:
    result = build(history, **more)
    assert isinstance(result, Built), result
    return result


def reason(history: History, **more: Plain) -> str:
    result = build(history, **more)
    assert isinstance(result, Reason)
    return result.code


def paths(tar: bytes) -> list[str]:
    return [leaf.path for leaf in leaves(tar)]


def test_every_commit_is_found_with_its_facts(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    start, fix = find(history)
    assert start.dropped is not None
    assert start.dropped.code == "no-parent"
    assert fix.dropped is None
    assert fix.id == history.git("rev-parse", "HEAD")[:12]
    assert fix.facts["subject"] == "fix: it"
    assert fix.facts["author"] == "Ada"
    assert fix.facts["committed"] == "2026-07-25T17:20:02Z"
    assert fix.facts["merge"] is False
    assert fix.facts["changed"] == [
        {"path": "pkg/code.py", "status": "M"},
        {"path": "tests/test_code.py", "status": "M"},
    ]
    assert fix.gold_files == ("pkg/code.py",)


def test_the_origin_names_no_path_of_the_machine(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "toolbox")
    assert SOURCE.origin(options(history), Path()) == f"toolbox@{history.git('rev-parse', 'HEAD')}"


def test_what_is_given_held_out_and_referred_to(tmp_path: Path) -> None:
    task = built(plain_fix(tmp_path / "r"))
    given = {leaf.path: leaf.data.decode() for leaf in leaves(task.given)}
    assert given == {"pkg/__init__.py": "", "pkg/code.py": WRONG, "tests/test_code.py": OLD_TEST}
    assert {leaf.path: leaf.data.decode() for leaf in leaves(task.held_out)} == {"tests/test_code.py": TEST}
    assert b"n * 2" in task.reference
    assert b"tests/" not in task.reference
    assert task.tests.files == ("tests/test_code.py",)
    assert task.tests.restore == ("tests/test_code.py",)


def test_the_same_commit_gives_the_same_bytes_from_any_clone(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    history.git("clone", "-q", "--bare", str(history.folder), str(tmp_path / "bare"))
    here = built(history)
    there = SOURCE.build({**options(history), "repository": "bare"}, tmp_path, find(history)[-1])
    assert there == here


def test_archive_attributes_change_nothing(tmp_path: Path) -> None:
    before = {
        ".gitattributes": "version.txt export-subst\nsecret.txt export-ignore\n",
        "version.txt": "$Format:%H$\n",
        "secret.txt": "here\n",
        "pkg/code.py": WRONG,
    }
    task = built(fixed(tmp_path / "r", before, {"pkg/code.py": RIGHT, "tests/test_code.py": TEST}))
    given = {leaf.path: leaf.data for leaf in leaves(task.given)}
    assert given["version.txt"] == b"$Format:%H$\n"
    assert given["secret.txt"] == b"here\n"


def test_a_rename_is_a_deletion_and_an_addition(tmp_path: Path) -> None:
    history = fixed(
        tmp_path / "r",
        {"pkg/code.py": WRONG, "tests/test_old.py": OLD_TEST},
        {"pkg/code.py": RIGHT, "tests/test_old.py": None, "tests/test_new.py": OLD_TEST},
    )
    assert [(each["path"], each["status"]) for each in find(history)[-1].facts["changed"]] == [  # type: ignore[index,call-overload,union-attr]
        ("pkg/code.py", "M"),
        ("tests/test_new.py", "A"),
        ("tests/test_old.py", "D"),
    ]
    task = built(history)
    assert task.tests.files == ("tests/test_new.py",)
    assert task.tests.delete == ("tests/test_old.py",)


def test_a_fix_that_only_deletes_its_test_has_nothing_to_run(tmp_path: Path) -> None:
    history = fixed(
        tmp_path / "r",
        {"pkg/code.py": WRONG, "tests/test_code.py": TEST},
        {"pkg/code.py": RIGHT, "tests/test_code.py": None},
    )
    assert reason(history) == "no-test-files"


def test_a_change_of_tests_alone_is_no_task(tmp_path: Path) -> None:
    history = fixed(tmp_path / "r", {"pkg/code.py": RIGHT}, {"tests/test_code.py": TEST})
    assert reason(history) == "no-source"


def test_changed_test_infrastructure_is_held_out(tmp_path: Path) -> None:
    before = {"pkg/code.py": WRONG, "tests/conftest.py": "", "pyproject.toml": "", "tests/data/old.txt": "x"}
    fix = {
        "pkg/code.py": RIGHT,
        "tests/test_code.py": TEST,
        "tests/conftest.py": "import pytest\n",
        "tests/data/new.txt": "y",
        "tests/data/old.txt": None,
    }
    task = built(fixed(tmp_path / "r", before, fix))
    assert task.tests.restore == ("pyproject.toml", "tests/conftest.py", "tests/data/new.txt", "tests/test_code.py")
    assert task.tests.delete == ("tests/data/old.txt",)
    assert task.tests.files == ("tests/test_code.py",)


def test_a_glob_over_a_whole_folder_runs_its_test_modules_alone(tmp_path: Path) -> None:
    fix = {"pkg/code.py": RIGHT, "tests/test_code.py": TEST, "tests/conftest.py": "", "tests/data.json": "1"}
    task = built(fixed(tmp_path / "r", {"pkg/code.py": WRONG}, fix), test_files=["tests/**"])
    assert task.tests.files == ("tests/test_code.py",)


def test_merges_are_left_out_or_compared_with_their_first_parent(tmp_path: Path) -> None:
    history = History(tmp_path / "r")
    history.commit("start", {"pkg/code.py": WRONG})
    history.git("checkout", "-q", "-b", "side")
    history.commit("fix: it", {"pkg/code.py": RIGHT, "tests/test_code.py": TEST})
    history.git("checkout", "-q", "main")
    history.commit("other", {"other.txt": ""})
    history.git("merge", "-q", "--no-ff", "-m", "fix: merge", "side")
    merge = next(each for each in find(history) if each.facts["merge"])
    assert merge.dropped is not None
    assert merge.dropped.code == "merge"
    merge = next(each for each in find(history, walk={"merges": "first-parent"}) if each.facts["merge"])
    assert merge.dropped is None
    assert merge.gold_files == ("pkg/code.py",)


def test_a_patch_that_was_applied_twice_is_one_candidate(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    fix = history.git("rev-parse", "HEAD")
    history.git("checkout", "-q", "-b", "release", "HEAD~1")
    history.commit("other", {"other.txt": ""})
    history.git("cherry-pick", fix)
    copy = history.git("rev-parse", "HEAD")
    history.git("checkout", "-q", "main")
    both = {each.facts["hash"]: each for each in find(history, walk={"refs": [copy]})}
    assert both[fix].dropped is None
    dropped = both[copy].dropped
    assert dropped is not None
    assert (dropped.code, dropped.detail) == ("duplicate", fix)
    kept = {each.facts["hash"]: each for each in find(history, walk={"refs": [copy], "duplicates": "keep"})}
    assert kept[copy].dropped is None


def test_a_submodule_is_a_reason_unless_its_files_are_stubbed(tmp_path: Path) -> None:
    history = History(tmp_path / "r")
    history.commit("start", {"pkg/code.py": WRONG})
    history.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/data")
    history.git("commit", "-q", "-m", "add data")
    (history.folder / "vendor/data").mkdir(parents=True)
    history.git("config", "submodule.vendor/data.ignore", "all")
    for path, text in {"pkg/code.py": RIGHT, "tests/test_code.py": TEST}.items():
        (history.folder / path).parent.mkdir(exist_ok=True)
        (history.folder / path).write_text(text)
        history.git("add", path)
    history.git("commit", "-q", "-m", "fix: it")
    assert reason(history) == "submodule"
    stubs = {"vendor/data/empty.txt": ""}
    task = built(history, tests={"run": ["python", "-m", "pytest"], "report": "pytest-plugin", "stubs": stubs})
    assert "vendor/data/empty.txt" in paths(task.given)


def _without_blob(history: History, path: str, commit: str) -> None:
    name = history.git("rev-parse", f"{commit}:{path}")
    (history.folder / ".git/objects" / name[:2] / name[2:]).unlink()


def _with_index(folder: Path) -> History:
    before = {"pkg/code.py": WRONG, "big.json": "[1]", "tests/test_code.py": OLD_TEST}
    return fixed(folder, before, {"pkg/code.py": RIGHT, "tests/test_code.py": TEST})


def test_a_missing_blob_that_no_task_needs_is_left_out_and_told(tmp_path: Path) -> None:
    history = _with_index(tmp_path / "r")
    _without_blob(history, "big.json", "HEAD")
    task = built(history)
    assert "big.json" not in paths(task.given)
    assert task.facts["missing_blobs"] == ["big.json"]
    assert reason(history, walk={"missing_blobs": "drop-any"}) == "missing-blob"


@pytest.mark.parametrize("path", ["pkg/code.py", "tests/test_code.py"])
def test_a_missing_blob_of_source_or_test_drops_the_candidate(tmp_path: Path, path: str) -> None:
    history = _with_index(tmp_path / "r")
    _without_blob(history, path, "HEAD~1")
    assert reason(history) == "missing-blob"


def test_names_that_the_fix_introduces_are_gold(tmp_path: Path) -> None:
    after = "LIMIT = 3\n\n\ndef double(n, *, at_most=9):\n    return twice(n)\n\n\ndef twice(n):\n    return n * 2\n"
    script = {"web/app.js": "export function render() {}\n", "NEWS.md": "class Improved\n"}
    task = built(
        fixed(tmp_path / "r", {"pkg/code.py": WRONG}, {"pkg/code.py": after, "tests/test_code.py": TEST, **script})
    )
    assert task.gold_symbols == ("LIMIT", "at_most", "render", "twice")


def test_a_path_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    blob = history.git("hash-object", "-w", "--stdin", stdin=b"x")
    history.git("update-index", "-z", "--index-info", stdin=b"100644 " + blob.encode() + b"\tbad-\xff.txt\0")
    history.git("commit", "-q", "-m", "strange")
    (history.folder / "bad-\udcff.txt").write_bytes(b"x")
    strange = next(each for each in find(history) if each.facts["subject"] == "strange").dropped
    assert strange is not None
    assert strange.code == "path-encoding"


# --- repositories that are refused ---


def refused(history: History, **more: Plain) -> str:
    with pytest.raises(WorldFault) as caught:
        SOURCE.origin(options(history) | more, Path())
    return caught.value.reasons[0].code


def test_uncommitted_changes_are_refused_where_there_is_a_work_tree(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    history.git("clone", "-q", "--bare", str(history.folder), str(tmp_path / "bare"))
    (history.folder / "notes.txt").write_text("untracked files are nobody's business")
    assert SOURCE.origin(options(history), Path())
    (history.folder / "pkg/code.py").write_text("dirty = True\n")
    assert refused(history) == "dirty"
    assert SOURCE.origin({**options(history), "repository": "bare"}, tmp_path)


def test_a_shallow_clone_is_refused(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    history.git("clone", "-q", "--depth", "1", f"file://{history.folder}", str(tmp_path / "shallow"))
    assert refused(history, repository=str(tmp_path / "shallow")) == "shallow"


def test_a_commit_is_named_in_full_and_is_there(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    assert refused(history, at="main") == "commit"
    assert refused(history, at="0" * 39 + "1") == "commit"


def test_no_repository_is_told(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    assert refused(history, repository=str(tmp_path / "nowhere")) == "no-repository"


def test_replaced_objects_do_not_count(tmp_path: Path) -> None:
    history = plain_fix(tmp_path / "r")
    before = find(history)
    history.git("replace", *(history.git("rev-parse", f"{at}:pkg/code.py") for at in ("HEAD~1", "HEAD")))
    assert find(history) == before
    assert WRONG.encode() in [leaf.data for leaf in leaves(built(history).given)]
