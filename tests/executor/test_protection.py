"""No change reaches what decides how it is graded; what it may change stays changed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.task import TestPlan
from executor.protection import INFRASTRUCTURE, make_gradable, matches, put_back
from executor.trees import Leaf, pack

PLAN = TestPlan(
    run=("python", "-m", "pytest"),
    report="pytest-plugin",
    files=("tests/test_a.py",),
    fail_to_pass=(),
    pass_to_pass=(),
    restore=("conftest.py", "tests/test_a.py"),
    delete=("tests/test_old.py",),
    protect=("tests/**", *INFRASTRUCTURE),
)
START = {
    "src/code.py": "start",
    "tests/test_a.py": "start",
    "tests/test_b.py": "start",
    "tests/test_old.py": "start",
    "setup.cfg": "start",
}
HELD_OUT = pack([Leaf(path=path, data=b"fix") for path in PLAN.restore])


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def tree(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    write(tmp_path / "pristine", START)
    write(tmp_path / "graded", START)
    return tmp_path / "graded"


def finish(graded: Path, *changed: str) -> dict[str, str]:
    pristine = graded.parent / "pristine"
    make_gradable(graded, pristine=pristine, changed=changed, held_out=HELD_OUT, plan=PLAN)
    first = tree(graded)
    put_back(graded, pristine=pristine, changed=changed, plan=PLAN)
    assert tree(graded) == first
    return first


CLEAN = {
    "conftest.py": "fix",
    "setup.cfg": "start",
    "src/code.py": "start",
    "tests/test_a.py": "fix",
    "tests/test_b.py": "start",
}


def test_an_untouched_tree_gets_the_held_out_files_and_the_deletions(graded: Path) -> None:
    assert finish(graded) == CLEAN


def test_a_change_of_the_program_stays(graded: Path) -> None:
    write(graded, {"src/code.py": "mine", "src/new.py": "mine"})
    assert finish(graded, "src/code.py", "src/new.py") == {**CLEAN, "src/code.py": "mine", "src/new.py": "mine"}


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py",
        "src/conftest.py",
        "src/deep/conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "tox.ini",
        "setup.cfg",
        "src/pyproject.toml",
        "sitecustomize.py",
        "src/usercustomize.py",
        "evil.pth",
        "evil-1.dist-info/entry_points.txt",
        "src/evil.egg-info/entry_points.txt",
        "src/__pycache__/code.cpython-311.pyc",
        "src/code.pyc",
        "tests/test_a.py",
        "tests/test_b.py",
        "tests/json.py",
        "tests/__init__.py",
        "tests/test_old.py",
    ],
)
def test_what_decides_how_tests_run_is_put_back(graded: Path, path: str) -> None:
    write(graded, {path: "tampered", "src/code.py": "mine"})
    assert finish(graded, path, "src/code.py") == {**CLEAN, "src/code.py": "mine"}


def test_deleted_tests_and_settings_come_back(graded: Path) -> None:
    for path in ("setup.cfg", "tests/test_b.py", "tests/test_a.py"):
        (graded / path).unlink()
    assert finish(graded, "setup.cfg", "tests/test_b.py", "tests/test_a.py") == CLEAN


@pytest.mark.parametrize("inside", [False, True])
def test_a_link_in_place_of_the_test_folder_leads_nowhere(graded: Path, inside: bool) -> None:
    outside = graded.parent / "outside" if not inside else graded / "src"
    write(graded.parent, {"outside/keep.txt": "untouched"})
    for path in ("tests/test_a.py", "tests/test_b.py", "tests/test_old.py"):
        (graded / path).unlink()
    (graded / "tests").rmdir()
    (graded / "tests").symlink_to(outside)
    before = tree(outside)
    assert finish(graded, "tests", "tests/test_a.py", "tests/test_b.py", "tests/test_old.py") == CLEAN
    assert tree(outside) == before


def test_a_link_in_place_of_a_test_is_replaced_not_written_through(graded: Path) -> None:
    secret = graded.parent / "secret.txt"
    secret.write_text("untouched")
    for path in ("tests/test_a.py", "tests/test_b.py"):
        (graded / path).unlink()
        (graded / path).symlink_to(secret)
    assert finish(graded, "tests/test_a.py", "tests/test_b.py") == CLEAN
    assert secret.read_text() == "untouched"


def test_a_folder_in_place_of_a_test_and_a_file_in_place_of_a_folder(graded: Path) -> None:
    (graded / "tests/test_a.py").unlink()
    write(graded, {"tests/test_a.py/__init__.py": "tampered"})
    assert finish(graded, "tests/test_a.py", "tests/test_a.py/__init__.py") == CLEAN


def test_a_link_named_like_a_plugins_folder_is_removed(graded: Path) -> None:
    write(graded, {"src/hidden/entry_points.txt": "[pytest11]"})
    (graded / "evil-1.dist-info").symlink_to("src/hidden")
    result = finish(graded, "evil-1.dist-info", "src/hidden/entry_points.txt")
    assert "evil-1.dist-info/entry_points.txt" not in result


@pytest.mark.parametrize(
    ("path", "glob", "yes"),
    [
        ("tests", "tests/**", True),
        ("tests/a/b.py", "tests/**", True),
        ("tests2/a.py", "tests/**", False),
        ("conftest.py", "**/conftest.py", True),
        ("a/b/conftest.py", "**/conftest.py", True),
        ("a/myconftest.py", "**/conftest.py", False),
        ("src/a.py", "src/*.py", True),
        ("src/a/b.py", "src/*.py", False),
        ("src/a/b.py", "src/**/*.py", True),
        ("src/b.py", "src/**/*.py", True),
        ("a+b.py", "a+?.py", True),
        ("x\n.pth", "**/*.pth", True),
    ],
)
def test_globs(path: str, glob: str, yes: bool) -> None:
    assert matches(path, [glob]) is yes


@given(st.text(min_size=1).filter(lambda path: "*" not in path and "?" not in path and not path.endswith("/")))
def test_a_path_without_signs_matches_itself_alone(path: str) -> None:
    assert matches(path, [path])
    assert not matches(path + "x", [path])
