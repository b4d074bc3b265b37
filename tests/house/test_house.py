"""The rules of the house, as failing tests: sizes, first sentences, bare package faces, mirrored tests, own words."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("spec_lang", "ledger", "stats", "compiler", "executor", "analyzer", "prereg")
FILES = sorted(each for room in ROOMS for each in (ROOT / room).rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION = 350, 80


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_opens_with_a_sentence_of_purpose(path: Path) -> None:
    purpose = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert purpose, f"{name(path)} does not say what it is for"
    assert purpose.split("\n\n")[0].rstrip().endswith("."), f"{name(path)}: its first words are no sentence"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < LONGEST_FUNCTION, f"{name(path)}: {node.name} is long"


@pytest.mark.parametrize(
    "path", [each for each in FILES if each.name == "__init__.py" and each.parent != ROOT / "prereg" / "cli"], ids=name
)
def test_package_faces_hold_a_docstring_only(path: Path) -> None:
    # prereg/cli alone has a face that does something: it is the command's entry point.
    assert len(ast.parse(path.read_text("utf-8")).body) == 1


def test_no_vague_names() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    assert not [name(each) for each in FILES if each.stem in vague]


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / each for each in listed.stdout.decode().split("\0") if each and (ROOT / each).is_file()]


def test_the_project_names_no_machine_and_no_registry_host() -> None:
    foreign = re.compile(
        "|".join(
            [
                "/wo" + "rk/",
                r"/ro" + r"ot/",
                r"pypi\." + "org",
                "python" + "hosted",
                r"registry\." + "npmjs",
                r"deb\." + "debian",
            ]
        )
    )
    found = []
    for path in tracked():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{name(path)}:{n}" for n, line in enumerate(text.split("\n"), 1) if foreign.search(line)]
    assert not found
