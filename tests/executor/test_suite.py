"""Running a suite: whole ids, every state, and nothing of the tree in the place of the runner."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from compiler.task import TestPlan
from executor.environments import prepare
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.suite import SuiteRun, run_suite
from ledger.errors import WorldFault
from tests.needs import require

QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run(
    tmp_path: Path,
    files: Mapping[str, str],
    *command: str,
    report: str = "pytest-plugin",
    asked: tuple[str, ...] = ("tests/test_it.py",),
    env: Mapping[str, str] = QUICK,
    timeout_s: int = 60,
    sandbox: LocalSandbox | BubblewrapSandbox | None = None,
) -> SuiteRun:
    root = tmp_path / "tree"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    plan = TestPlan(
        run=command or ("python", "-m", "pytest"),
        report=report,
        files=asked,
        fail_to_pass=(),
        pass_to_pass=(),
        env=env,
        timeout_s=timeout_s,
        each_timeout_s=1,
    )
    host = prepare(None, base=tmp_path, cache=tmp_path)
    return run_suite(
        plan,
        root=root,
        scratch=tmp_path / "scratch",
        sandbox=sandbox or LocalSandbox(),
        path=tuple(str(each) for each in host.path),
        mounts=host.mounts,
    )


STATES = """
import pytest, time, unittest

@pytest.fixture
def broken():
    raise KeyError("setup")

@pytest.fixture
def leaking():
    yield
    raise OSError("teardown")

def test_passed(): pass
def test_failed(): assert 0
def test_raised(): raise ValueError("no")
def test_error(broken): pass
def test_teardown(leaking): pass
def test_skipped(): pytest.skip()
@pytest.mark.xfail
def test_xfailed(): assert 0
@pytest.mark.xfail
def test_xpassed(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
def test_slow(): time.sleep(30)

class TestSub(unittest.TestCase):
    def test_subtests(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)
"""


def short(found: SuiteRun) -> dict[str, str]:
    return {name.rpartition("::")[2].rpartition(".")[2]: state for name, state in found.states.items()}


def test_pytest_tells_every_state(tmp_path: Path) -> None:
    found = run(tmp_path, {"tests/test_it.py": STATES, "tests/test_bad.py": "import nowhere"}, asked=("tests",))
    assert short(found) == {
        "test_passed": "passed",
        "test_failed": "failed",
        "test_raised": "failed",
        "test_error": "error",
        "test_teardown": "error",
        "test_skipped": "skipped",
        "test_xfailed": "xfailed",
        "test_xpassed": "xpassed",
        "test_strict": "failed",
        "test_slow": "timeout",
        "test_subtests": "failed",
    }
    assert found.uncollected == {"tests/test_bad.py": "ModuleNotFoundError"}
    assert found.state("tests/test_bad.py::test_any") == "uncollected"
    assert found.state("tests/test_it.py::test_any") == "missing"
    assert found.signs["tests/test_it.py::test_raised"] == "ValueError: ValueError: no"
    assert found.runner.startswith("pytest ")


UNITTEST = """
import time, unittest

class T(unittest.TestCase):
    def test_passed(self): pass
    def test_failed(self): self.fail()
    def test_error(self): raise KeyError("no")
    @unittest.skip("not now")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_xfailed(self): self.fail()
    @unittest.expectedFailure
    def test_xpassed(self): pass
    def test_slow(self): time.sleep(30)
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n): self.assertNotEqual(n, 1)
    def test_sub_skip(self):
        with self.subTest(): self.skipTest("part")

class Slow(unittest.TestCase):
    def setUp(self): time.sleep(30)
    def test_setup(self): pass

class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no")
    def test_never(self): pass

class Async(unittest.IsolatedAsyncioTestCase):
    async def test_async(self): pass
"""


def test_unittest_tells_every_state(tmp_path: Path) -> None:
    files = {"tests/test_it.py": UNITTEST, "tests/test_bad.py": "import nowhere"}
    both = ("tests/test_it.py", "tests/test_bad.py")
    found = run(tmp_path, files, "python", "-m", "unittest", report="unittest", asked=both)
    assert short(found) == {
        "test_passed": "passed",
        "test_failed": "failed",
        "test_error": "error",
        "test_skipped": "skipped",
        "test_xfailed": "xfailed",
        "test_xpassed": "xpassed",
        "test_slow": "timeout",
        "test_sub": "failed",
        "test_sub_skip": "skipped",
        "test_setup": "timeout",
        "test_never": "missing",
        "test_async": "passed",
    } | {name: state for name, state in short(found).items() if "setUpClass" in name or "Broken" in name}
    assert found.uncollected == {"tests.test_bad": "ImportError"}
    assert found.state("tests.test_bad.T.test_any") == "uncollected"


JUNIT = """<testsuites><testsuite name="a" tests="4">
<testcase classname="a.test.ts" name="adds &gt; one"/>
<testcase classname="a.test.ts" name="twice"/>
<testcase classname="a.test.ts" name="twice"><failure type="AssertionError" message="no"/></testcase>
<testcase name="bare"><skipped/></testcase>
<testsuite name="inner"><testcase classname="b" name="deep"><error type="TypeError" message="x"/></testcase></testsuite>
</testsuite><testcase classname="test" name="outside of any suite"/></testsuites>"""


def junit(tmp_path: Path, text: str) -> SuiteRun:
    program = "import sys; open(sys.argv[1], 'w').write(open(sys.argv[2]).read())"
    files = {"results.xml": text}
    return run(
        tmp_path, files, "python", "-c", program, "{report}", "results.xml", report="junit", asked=("a.test.ts",)
    )


@pytest.mark.parametrize(
    "cheat",
    [
        "unittest.TestCase.assertEqual = lambda *_: None",
        "unittest.TestCase.run = lambda self, result: [result.startTest(self), result.addSuccess(self), result.stopTest(self)]",
        "unittest.TestCase.assertEqual.__code__ = (lambda self, first, second, msg=None: None).__code__",
        "sys.modules['__main__'].UnittestReporter.addFailure = lambda self, test, err: self.addSuccess(test)",
    ],
)
def test_no_pass_counts_once_the_framework_was_replaced(tmp_path: Path, cheat: str) -> None:
    files = {
        "tool.py": f"import contextlib, sys, unittest\n{cheat}\n",
        "tests/test_it.py": "import tool, unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, 2)\n",
    }
    found = run(tmp_path, files, "python", "-m", "unittest", report="unittest")
    assert list(found.states.values()) == ["error"]


def test_what_projects_rightly_replace_is_left_alone(tmp_path: Path) -> None:
    said = "import datetime, time, unittest\nunittest.TestCase.maxDiff = None\nunittest.TestCase.assertItems = lambda *_: None\n"
    said += "unittest.case.time = time.time = lambda: 0\n"
    files = {"tests/test_it.py": said + "class T(unittest.TestCase):\n    def test_it(self):\n        pass\n"}
    assert short(run(tmp_path, files, "python", "-m", "unittest", report="unittest")) == {"test_it": "passed"}


def test_any_runner_that_writes_junit_is_read(tmp_path: Path) -> None:
    found = junit(tmp_path, JUNIT)
    assert found.states == {
        "a.test.ts::adds > one": "passed",
        "a.test.ts::twice": "failed",
        "b::deep": "error",
        "bare": "skipped",
        "test::outside of any suite": "passed",
    }
    assert found.signs["a.test.ts::twice"] == "AssertionError: no"


@pytest.mark.parametrize(
    "text",
    ["", "<testsuites><testsuite>", '<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>'],
)
def test_a_junit_file_that_cannot_be_trusted_holds_no_pass(tmp_path: Path, text: str) -> None:
    assert junit(tmp_path, text).states == {}


def test_a_killed_run_keeps_what_had_ended(tmp_path: Path) -> None:
    text = "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\ndef test_c(): pass\n"
    assert short(run(tmp_path, {"tests/test_it.py": text})) == {
        "test_a": "passed",
        "test_b": "error",
        "test_c": "missing",
    }


def test_a_test_that_forks_reports_once(tmp_path: Path) -> None:
    text = (
        "import os, pytest\ndef test_a():\n    if os.fork() == 0:\n        pytest.fail('in the child')\n    os.wait()\n"
    )
    assert short(run(tmp_path, {"tests/test_it.py": text}))["test_a"] == "passed"


def test_the_environment_is_fixed(tmp_path: Path) -> None:
    text = """
import os, sys, time
def test_environment():
    assert os.environ["PYTHONHASHSEED"] == "0" and hash("a") == hash("a")
    assert time.tzname == ("UTC", "UTC") and os.environ["LC_ALL"] == "C.UTF-8"
    assert sys.dont_write_bytecode and not os.path.exists("tests/__pycache__") and not os.path.exists("src/__pycache__")
    assert os.environ["PYTHONPATH"] == os.path.join(os.getcwd(), "src")
    assert sys.path.index(os.path.join(os.getcwd(), "src")) < sys.path.index(os.path.dirname(os.__file__))
    assert not os.path.exists(".pytest_cache") and "SECRET" not in os.environ
    import inner
"""
    files = {"tests/test_it.py": text, "src/inner.py": "", "src/__pycache__/inner.cpython-311.pyc": "stale"}
    assert short(run(tmp_path, files, env={**QUICK, "PYTHONPATH": "src"})) == {"test_environment": "passed"}


@pytest.mark.parametrize("where", ["", "src/"])
@pytest.mark.parametrize("name", ["pytest", "json", "signal", "unittest", "_pytest/__init__", "argparse", "random"])
def test_no_file_of_the_tree_stands_in_for_the_runner(tmp_path: Path, where: str, name: str) -> None:
    evil = "import os\nos.system('touch HIJACKED')\nos._exit(0)\n"
    files = {"tests/test_it.py": "def test_failed():\n    assert 0\n", f"{where}{name}.py": evil}
    found = run(tmp_path, files, env={**QUICK, "PYTHONPATH": "src"})
    assert "passed" not in found.states.values()
    if name in ("pytest", "signal", "unittest", "_pytest/__init__", "argparse", "json"):
        assert short(found) == {"test_failed": "failed"}
        assert not (tmp_path / "tree/HIJACKED").exists()


def test_settings_of_the_project_cannot_stop_the_run_early(tmp_path: Path) -> None:
    ini = "[pytest]\naddopts = -x -q\n"
    text = "def test_a():\n    assert 0\ndef test_b():\n    pass\n"
    assert short(run(tmp_path, {"pytest.ini": ini, "tests/test_it.py": text})) == {
        "test_a": "failed",
        "test_b": "passed",
    }


def test_a_runner_that_is_not_there_is_the_worlds_fault(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho this interpreter has no pytest >&2\nexit 97\n")
    program.chmod(0o755)
    with pytest.raises(WorldFault) as caught:
        run(tmp_path, {"tests/test_it.py": ""}, str(program), "-m", "pytest")
    assert caught.value.reasons[0].code == "no-runner"


@pytest.mark.bubblewrap
def test_behind_bubblewrap_everything_is_the_same(tmp_path: Path) -> None:
    require(BubblewrapSandbox().unavailable())
    text = "import os\ndef test_a(): pass\ndef test_here(): assert os.getcwd() != os.path.dirname(__file__)\n"
    found = run(tmp_path, {"tests/test_it.py": text}, sandbox=BubblewrapSandbox())
    assert found.states == {"tests/test_it.py::test_a": "passed", "tests/test_it.py::test_here": "passed"}
