"""A fix's tests are withheld or the task is dropped: files, copies, names, imports, and a suite that misses them."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from compiler.plan import Chosen, HarvestPlan, HarvestSet
from compiler.task import Candidate, TestPlan
from executor.harvest import harvest
from executor.sandboxes.local import LocalSandbox
from executor.sources.issues import Issues
from executor.workspace import template
from ledger.blobs import Blobs
from ledger.canonical import parse
from ledger.codec import from_plain
from ledger.plain import Plain
from prereg.issue_files import ExportFiles
from prereg.rules import keep_predicate
from tests.executor.sources.histories import OLD_TEST, RIGHT, TEST
from tests.executor.sources.test_issues import FIX, laid, options


def proved(
    root: Path, fix: Mapping[str, str | bytes | None] = FIX, *, more: Mapping[str, Plain] | None = None, **start: str
) -> Candidate:
    """Harvest the one issue of a history."""
    history = laid(root, fix, **start)
    run = {"run": ["python", "-m", "pytest"], "report": "pytest-plugin", "env": {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}}
    said = options(history, **{"tests": run, **(more or {})})
    source = Chosen(kind="issues", options=said)
    plan = HarvestPlan(
        sets=(
            HarvestSet(name="issues", source=source, where=("count(fail_to_pass) >= 1",), harvests=1, environment=None),
        )
    )
    pool, _ = harvest(
        plan,
        base=root,
        sources={"issues": Issues(ExportFiles())},
        graders={},
        sandbox=LocalSandbox(),
        blobs=Blobs(root / "blobs"),
        keep=keep_predicate(plan),
        scratch=root / "scratch",
        cache=root / "cache",
        report=lambda _: None,
    )
    (candidate,) = pool.candidates
    return candidate


def codes(candidate: Candidate) -> list[tuple[str, str]]:
    return [(each.code, each.detail) for each in candidate.reasons]


def test_restored_tests_and_the_remaining_suite_are_told_apart(tmp_path: Path) -> None:
    task = proved(tmp_path)
    assert task.status == "kept"
    assert task.material is not None
    assert task.material.tests is not None
    blobs = Blobs(tmp_path / "blobs")
    tests = from_plain(TestPlan, parse(blobs.get(task.material.tests), where="tests"), where="tests")
    assert tests.held_out == ("tests/test_code.py::test_double", "tests/test_code.py::test_one")
    assert tests.baseline == ("tests/test_other.py::test_same",)
    assert tests.fail_to_pass == ("tests/test_code.py::test_double",)
    assert task.facts["withheld"] == ["tests/test_code.py"]
    evidence = task.evidence["withheld"]
    assert isinstance(evidence, Mapping)
    assert (evidence["strict"], evidence["bare"]) == (True, {"passed": 1})


def test_no_object_of_the_agents_repository_holds_a_withheld_test(tmp_path: Path) -> None:
    task = proved(tmp_path)
    assert task.material is not None
    start = template(Blobs(tmp_path / "blobs").get(task.material.given), tmp_path / "cache")
    here = ["git", "-C", str(start.tree)]
    listed = subprocess.run(
        [*here, "cat-file", "--batch-all-objects", "--batch"], capture_output=True, check=True
    ).stdout
    assert b"test_same" in listed
    assert b"test_double" not in listed
    assert b"test_code" not in listed
    log = subprocess.run([*here, "log", "--all", "--format=%s"], capture_output=True, check=True).stdout
    assert log == b"Start\n"


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ({"docs/example.py": TEST}, ("not-withheld", "docs/example.py")),
        ({"docs/example.py": f"# almost\n{TEST}"}, ("not-withheld", "docs/example.py")),
        ({"CHANGES.md": "See test_double.\n"}, ("not-withheld", "CHANGES.md")),
        (
            {"tests/test_more.py": "from tests import test_code\n\n\ndef test_it():\n    pass\n"},
            ("unwithholdable", "tests/test_more.py"),
        ),
        (
            {"tests/test_more.py": "from .test_code import double\n\n\ndef test_it():\n    pass\n"},
            ("unwithholdable", "tests/test_more.py"),
        ),
        ({"pkg/self.py": "import tests.test_code\n"}, ("unwithholdable", "pkg/self.py")),
        (
            {
                "tests/test_more.py": "import pathlib\n\n\ndef test_it():\n    assert pathlib.Path('tests/test_code.py').exists()\n"
            },
            ("unwithholdable", "tests/test_more.py::test_it"),
        ),
    ],
    ids=["copy", "altered copy", "name", "import", "relative import", "import from the source", "read at run time"],
)
def test_a_start_that_needs_or_tells_a_withheld_test_is_dropped(
    tmp_path: Path, start: dict[str, str], reason: tuple[str, str]
) -> None:
    assert codes(proved(tmp_path, **{"tests/__init__.py": "", **start})) == [reason]


def test_a_test_of_the_same_name_elsewhere_tells_nothing(tmp_path: Path) -> None:
    own = "def test_double():\n    assert True\n"
    task = proved(tmp_path, **{"tests/test_twin.py": own})
    assert task.status == "kept"


def test_a_suite_that_is_withheld_as_a_whole_can_show_no_regression(tmp_path: Path) -> None:
    task = proved(tmp_path, {**FIX, "tests/test_other.py": None})
    assert [code for code, _ in codes(task)] == ["no-baseline"]


def test_a_fix_whose_new_tests_pass_before_it_is_dropped(tmp_path: Path) -> None:
    task = proved(tmp_path, {"pkg/code.py": RIGHT, "tests/test_code.py": "def test_nothing():\n    pass\n"})
    assert codes(task)[0][0] == "no-f2p"


def test_an_earlier_version_may_hold_the_test_as_it_was(tmp_path: Path) -> None:
    fix = {"pkg/code.py": RIGHT, "tests/test_code.py": OLD_TEST.replace("double(1) == 2", "double(3) == 6")}
    assert proved(tmp_path, fix, more={"withhold": "changes"}).status == "kept"


def test_earlier_versions_may_stay_and_new_tests_still_may_not(tmp_path: Path) -> None:
    assert proved(tmp_path / "a", more={"withhold": "changes"}).status == "kept"
    told = proved(tmp_path / "b", more={"withhold": "changes"}, NOTES="wait for test_double\n")
    assert codes(told) == [("not-withheld", "NOTES")]
