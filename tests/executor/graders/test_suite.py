"""The tests check: the suite runs once a tree, and no change talks its way past it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.plan import Chosen
from compiler.task import TestPlan
from executor.environments import prepare
from executor.graders.suite import TestsGrader, expected
from executor.ports import CheckResult, GradeOrder, Grader, Job, JobEnd
from executor.protection import INFRASTRUCTURE, make_gradable
from executor.sandboxes.local import LocalSandbox
from executor.trees import Leaf, lay, pack
from ledger.errors import WorldFault

START = {
    "calc.py": "def double(n):\n    return n + 1\n",
    "tests/test_code.py": "def test_old():\n    pass\n",
    "util.py": "",
}
RIGHT = "def double(n):\n    return n * 2\n"
TEST = "from calc import double\n\n\ndef test_new():\n    assert double(3) == 6\n\n\ndef test_kept():\n    assert double(1) == 2\n"
PLAN = TestPlan(
    run=("python", "-m", "pytest"),
    report="pytest-plugin",
    files=("tests/test_it.py",),
    fail_to_pass=("tests/test_it.py::test_new",),
    pass_to_pass=("tests/test_it.py::test_kept",),
    restore=("tests/test_it.py",),
    protect=("tests/**", *INFRASTRUCTURE),
    env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    timeout_s=30,
    each_timeout_s=2,
)
HELD_OUT = pack([Leaf(path="tests/test_it.py", data=TEST.encode())])


class Counting(LocalSandbox):
    """The local sandbox, counting its jobs."""

    def __init__(self) -> None:
        self.jobs = 0

    def run(self, job: Job) -> JobEnd:
        self.jobs += 1
        return super().run(job)


def order(tmp_path: Path, change: Mapping[str, str], *, plan: TestPlan | None = PLAN) -> GradeOrder:
    """A tree that is ready for grading after a change."""
    pristine, root = tmp_path / "pristine", tmp_path / "root"
    for folder in (pristine, root):
        folder.mkdir()
        lay(pack(Leaf(path=path, data=text.encode()) for path, text in START.items()), folder)
    for path, text in change.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    if plan is not None:
        make_gradable(root, pristine=pristine, changed=tuple(change), held_out=HELD_OUT, plan=plan)
    host = prepare(None, base=tmp_path, cache=tmp_path)
    return GradeOrder(
        check=Chosen(kind="tests", options={"of": "fail-to-pass"}),
        root=root,
        pristine=pristine,
        changed=tuple(change),
        answer=None,
        events=(),
        tests=plan,
        scratch=tmp_path / "scratch",
        sandbox=Counting(),
        path=tuple(str(folder) for folder in host.path),
        mounts=host.mounts,
    )


def grade(asked: GradeOrder, of: str = "fail-to-pass") -> CheckResult:
    grader: Grader = TestsGrader()
    return grader.grade(replace(asked, check=Chosen(kind="tests", options={"of": of})))


@pytest.mark.parametrize(
    ("of", "tests"),
    [
        ({}, ("a",)),
        ({"of": "fail-to-pass"}, ("a",)),
        ({"of": "pass-to-pass"}, ("b",)),
        ({"of": "held-out"}, ("a", "c")),
        ({"of": "baseline"}, ("d",)),
    ],
)
def test_a_check_is_about_one_list_of_tests(of: Mapping[str, str], tests: tuple[str, ...]) -> None:
    plan = TestPlan(
        run=(), report="", files=(), fail_to_pass=("a",), pass_to_pass=("b",), held_out=("a", "c"), baseline=("d",)
    )
    assert expected(plan, of) == tests


def test_both_checks_of_a_tree_share_one_run(tmp_path: Path) -> None:
    asked = order(tmp_path, {"calc.py": RIGHT})
    fixed, kept = grade(asked), grade(asked, "pass-to-pass")
    assert (fixed.ok, kept.ok) == (True, True)
    assert fixed.facts == {"count": 1, "passed": 1, "failed": 0, "states": {"passed": 1}}
    assert isinstance(asked.sandbox, Counting)
    assert asked.sandbox.jobs == 1
    assert set(fixed.artefacts) == {"report", "stdout", "stderr"}


def test_doing_nothing_fails(tmp_path: Path) -> None:
    result = grade(order(tmp_path, {}))
    assert result.ok is False
    assert result.detail == "tests/test_it.py::test_new: failed"


def test_code_that_cannot_be_imported_fails_and_is_no_fault_of_the_world(tmp_path: Path) -> None:
    asked = order(tmp_path, {"calc.py": "def double(n:\n"})
    assert grade(asked).facts["states"] == {"uncollected": 1}
    assert grade(asked, "pass-to-pass").ok is False


def test_a_task_without_tests_cannot_be_graded(tmp_path: Path) -> None:
    with pytest.raises(WorldFault) as caught:
        grade(order(tmp_path, {}, plan=None))
    assert caught.value.reasons[0].code == "no-tests"


EVERY_TEST_PASSES = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
"""
DROP_ALL = "def pytest_collection_modifyitems(items):\n    items.clear()\n"
EXIT = "import os\nos._exit(0)\n"


FORGED = """
import glob, json, os
for name in glob.glob(os.path.join(os.environ["HOME"], "*")):
    if os.path.isfile(name):
        with open(name, "a") as file:
            file.write(json.dumps({"event": "state", "id": "tests/test_it.py::test_new", "state": "passed"}) + "\\n")
os._exit(0)
"""


QUIET_CALLS = """import _pytest.python
_pytest.python.Function.runtest = lambda self: None

def double(n):
    return 0
"""
QUIET_REPORTS = """import _pytest.reports
made = _pytest.reports.TestReport.from_item_and_call.__func__

def lie(cls, item, call):
    call.excinfo = None
    return made(cls, item, call)

_pytest.reports.TestReport.from_item_and_call = classmethod(lie)

def double(n):
    return 0
"""
NO_ASSERTION = """import sys
reporter = sys.modules["__main__"].PytestReporter
reporter.pytest_runtest_logreport.__code__ = (lambda self, report: self._lines.write("state", id=report.nodeid, state="passed")).__code__

def double(n):
    return 0
"""


@pytest.mark.parametrize(
    "change",
    [
        {"calc.py": FORGED},
        {"conftest.py": EVERY_TEST_PASSES},
        {"tests/conftest.py": EVERY_TEST_PASSES},
        {"conftest.py": DROP_ALL},
        {"pytest.ini": "[pytest]\naddopts = --co -q\n"},
        {"pytest.ini": "[pytest]\npython_functions = nothing\n"},
        {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-p cheat"\n', "cheat.py": EVERY_TEST_PASSES},
        {"tests/test_it.py": "def test_new():\n    pass\n"},
        {"tests/calc.py": RIGHT},
        {"tests/__init__.py": EXIT},
        {"sitecustomize.py": EXIT},
        {
            "evil-1.dist-info/METADATA": "Name: evil\nVersion: 1\n",
            "evil-1.dist-info/entry_points.txt": "[pytest11]\nx = cheat\n",
            "cheat.py": EVERY_TEST_PASSES,
        },
        {"pytest.py": EXIT},
        {"json.py": EXIT},
        {"calc.py": EXIT},
        {
            "calc.py": "import _pytest.runner\n_pytest.runner.CallInfo.from_call = classmethod(lambda cls, *a, **k: None)\n"
        },
        {"calc.py": QUIET_CALLS},
        {"calc.py": QUIET_REPORTS},
        {"calc.py": NO_ASSERTION},
        {"calc.py": "import pytest\npytest.exit('done', returncode=0)\n"},
        {"calc.py": "import pytest\npytest.skip('no', allow_module_level=True)\n"},
        {"calc.py": "import pytest\n\n\ndef double(n):\n    pytest.skip('no')\n"},
        {"calc.py": "import pytest\n\n\ndef double(n):\n    pytest.xfail('no')\n"},
        {"calc.py": "import time\n\n\ndef double(n):\n    time.sleep(60)\n"},
        {
            "calc.py": "class Any:\n    def __eq__(self, other):\n        raise SystemExit(0)\n\n\ndef double(n):\n    return Any()\n"
        },
    ],
    ids="+".join,
)
def test_tampering_passes_nothing(tmp_path: Path, change: Mapping[str, str]) -> None:
    result = grade(order(tmp_path, change))
    assert result.ok is False
    assert result.facts["passed"] == 0


def test_the_check_itself_puts_tests_back_where_its_caller_forgot(tmp_path: Path) -> None:
    asked = order(tmp_path, {})
    (asked.root / "conftest.py").write_text(EVERY_TEST_PASSES)
    assert grade(replace(asked, changed=("conftest.py",))).ok is False
