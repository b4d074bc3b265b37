"""Run pytest or unittest inside a task's own interpreter and write what became of each test, one JSON object a line.

Needs nothing but the standard library of Python 3.8 or later, and pytest where pytest is asked for. Lines are whole once written,
so that a killed process still tells which tests had ended. The first line of standard input is a key that every line repeats:

    {"event": "start", "key", "runner", "version", "python"}
    {"event": "collected", "ids": [...]}              every test that is going to run, in order, repeats included
    {"event": "uncollected", "id", "exception"}       a file or folder whose tests cannot be known
    {"event": "begun" | "done", "id"}
    {"event": "state", "id", "state", "exception", "message"}    one a phase or subtest; the worst of them counts
    {"event": "end", "status"}
"""

# ruff: noqa: N802  # hooks of unittest have names of their own

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.util
import inspect
import json
import os
import platform
import signal
import sys
import unittest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_RUNNER = 97
"""Exit status when the interpreter has no such runner: the environment is at fault, not the change."""


class TestTimeout(BaseException):
    """One test took longer than a single test may; no ``except Exception`` of the code under test catches it."""

    __test__ = False


class Lines:
    """The report. Written by the process that opened it, and by no child that a test forks.

    ``key`` stands in every line: a file that code under test writes by itself is no report.
    """

    def __init__(self, path: str, key: str) -> None:
        self._key = key
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._process = os.getpid()
        # Read in by its place: no name that a tree under test may use is taken.
        place = importlib.util.spec_from_file_location("seal", os.path.join(os.path.dirname(__file__), "seal.py"))  # noqa: PTH118, PTH120
        assert place is not None
        assert place.loader is not None
        seal = importlib.util.module_from_spec(place)
        place.loader.exec_module(seal)
        self._seal = seal.Seal(globals())

    def write(self, event: str, **fields: Any) -> None:
        """Write one line, whole. No pass is written once the framework is not what it was."""
        if os.getpid() == self._process:
            altered = self._seal.broken() if fields.get("state") in {"passed", "xpassed"} else None
            if altered:
                message = f"code under test replaced {altered}"
                fields.update(state="error", exception="FrameworkAltered", message=message)
            line = json.dumps({"key": self._key, "event": event, **fields}, ensure_ascii=True) + "\n"
            os.write(self._file, line.encode("ascii"))


@contextlib.contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Raise TestTimeout in the code inside when it takes too long, again every 5 s should it be swallowed."""

    def ring(_number: int, _frame: Any) -> None:
        raise TestTimeout(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def exception_name(kind: type[BaseException] | None) -> str | None:
    """Name an exception class, with its module unless it is built in."""
    if kind is None:
        return None
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


# --- pytest ---


def run_pytest(lines: Lines, each: int, arguments: list[str]) -> int:
    """Run pytest in this process, with whole test ids relative to the current folder."""
    import pytest  # noqa: PLC0415  # not everywhere; loaded before the tree under test gets onto the path

    class Alarms:
        """Bounds each phase of each test."""

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_setup(self) -> Iterator[None]:
            with alarm(each):
                yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_call(self) -> Iterator[None]:
            with alarm(each):
                yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_teardown(self) -> Iterator[None]:
            with alarm(each):
                yield

    lines.write("start", runner="pytest", version=pytest.__version__, python=platform.python_version())
    fixed = ["--maxfail=0", "--continue-on-collection-errors", "-p", "no:cacheprovider", "-p", "no:randomly"]
    if not os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):  # else these plugins and their options are not there
        fixed += ["-n0"] if importlib.util.find_spec("xdist") else []
        fixed += ["--no-cov"] if importlib.util.find_spec("pytest_cov") else []
    rootdir = f"--rootdir={os.getcwd()}"  # noqa: PTH109  # plain os is enough, and lighter
    return int(pytest.main([rootdir, *fixed, *arguments], plugins=[PytestReporter(lines), Alarms()]))


class PytestReporter:
    """Hooks of pytest that write a line for all that becomes of a test."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def pytest_collection_finish(self, session: Any) -> None:
        """Say what is going to run."""
        self._lines.write("collected", ids=[item.nodeid for item in session.items])

    def pytest_collectreport(self, report: Any) -> None:
        """Say what could not be collected."""
        if report.failed:
            self._lines.write("uncollected", id=report.nodeid, exception=_crash(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say that a test begins."""
        self._lines.write("begun", id=nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Say that a test has ended, torn down."""
        self._lines.write("done", id=nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Say what one phase, or one subtest, gives for its test."""
        exception = _crash(report) if report.failed else None
        state = _pytest_state(report, exception)
        if state is not None:
            self._lines.write("state", id=report.nodeid, state=state, exception=exception, message=_message(report))


def _pytest_state(report: Any, exception: str | None) -> str | None:
    """Give the state that one phase's report stands for; None when it says nothing (a setup that went well)."""
    expected_to_fail = hasattr(report, "wasxfail")
    if report.failed:
        if exception is not None and exception.endswith(TestTimeout.__name__):
            return "timeout"
        return "failed" if report.when == "call" else "error"
    if report.skipped:
        return "xfailed" if expected_to_fail else "skipped"
    if report.passed and report.when == "call":
        return "xpassed" if expected_to_fail else "passed"
    return None


def _message(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr or "")
    return text if len(text) <= 400 else text[:200] + " … " + text[-200:]


def _crash(report: Any) -> str:
    """Name the exception class as pytest prints it: what stands before the colon of the crash line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        head = str(crash.message).split(":", 1)[0].split("\n", 1)[0].strip()
        return head if head.replace(".", "").replace("_", "").isalnum() else "AssertionError"
    for line in reversed(str(report.longrepr or "").splitlines()):  # a collection error is printed, not structured
        head = line[1:].strip().split(":", 1)[0] if line.startswith("E ") else ""
        if head.replace(".", "").replace("_", "").isalnum():
            return head
    return "CollectError"


# --- unittest ---


class UnittestReporter(unittest.TestResult):
    """Writes a line for all that becomes of a test; each subtest counts for its test."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._lines = lines

    def startTest(self, test: unittest.TestCase) -> None:
        """Say that a test begins."""
        super().startTest(test)
        self._lines.write("begun", id=test.id())

    def stopTest(self, test: unittest.TestCase) -> None:
        """Say that a test has ended, torn down."""
        super().stopTest(test)
        self._lines.write("done", id=test.id())

    def addSuccess(self, test: unittest.TestCase) -> None:
        """It passed."""
        self._write(test, "passed", None)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        """An assertion failed."""
        super().addFailure(test, err)
        self._write(test, "failed", err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        """Something else was raised, or it took too long."""
        super().addError(test, err)
        self._write(test, "error", err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        """It was skipped, as a whole or in a subtest."""
        super().addSkip(test, reason)
        self._write(test, "skipped", None)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        """It failed as it says it would."""
        super().addExpectedFailure(test, err)
        self._write(test, "xfailed", None)

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        """It passed though it says it would not."""
        super().addUnexpectedSuccess(test)
        self._write(test, "xpassed", None)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        """A subtest ended; one that passed says nothing."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._write(test, "failed" if issubclass(err[0], test.failureException) else "error", err)

    def _write(self, test: unittest.TestCase, state: str, err: Any) -> None:
        kind = err[0] if err is not None else None
        if kind is TestTimeout:
            state = "timeout"
        owner = getattr(test, "test_case", test)  # a skipped subtest is reported by itself
        message = str(err[1])[:400] if err is not None else ""
        self._lines.write("state", id=owner.id(), state=state, exception=exception_name(kind), message=message)


def run_unittest(lines: Lines, each: int, arguments: list[str]) -> int:
    """Run unittest in this process over files and folders; ids are dotted names."""
    lines.write("start", runner="unittest", version=platform.python_version(), python=platform.python_version())
    tests: list[unittest.TestCase] = []
    for name, test in _load(arguments):
        if type(test).__name__ == "_FailedTest":
            cause = getattr(test, "_exception", None)
            lines.write("uncollected", id=name, exception=exception_name(None if cause is None else type(cause)))
        else:
            tests.append(_with_alarm(test, each))
    lines.write("collected", ids=[test.id() for test in tests])
    result = UnittestReporter(lines)
    unittest.TestSuite(tests).run(result)
    return 0 if result.wasSuccessful() else 1


def _load(arguments: list[str]) -> Iterator[tuple[str, Any]]:
    """Give each test of files and folders; one that stands for a failed import, with the module's dotted name."""
    loader = unittest.TestLoader()
    for given in arguments:
        if os.path.isdir(given):  # noqa: PTH112  # plain os is enough, and lighter
            for test in _flat(loader.discover(given, top_level_dir=".")):
                yield test.id().partition("_FailedTest.")[2], test
        else:
            dotted = os.path.splitext(os.path.normpath(given))[0].replace(os.sep, ".")  # noqa: PTH122
            for test in _flat(loader.loadTestsFromName(dotted)):
                yield dotted, test


def _flat(suite: Any) -> Iterator[Any]:
    for each in suite:
        if hasattr(each, "__iter__"):
            yield from _flat(each)
        else:
            yield each


def _with_alarm(test: Any, each: int) -> Any:
    """Put an alarm around a test and its set-up and tear-down; coroutines are left to the limit of the whole run."""
    for name in ("setUp", getattr(test, "_testMethodName", ""), "tearDown"):
        inner = getattr(test, name, None)
        if inner is not None and not inspect.iscoroutinefunction(inner):
            setattr(test, name, _alarmed(inner, each))
    return test


def _alarmed(inner: Any, each: int) -> Any:
    @functools.wraps(inner)  # keeps the marks of skip and expectedFailure
    def run(*args: Any, **kwargs: Any) -> Any:
        with alarm(each):
            return inner(*args, **kwargs)

    return run


# --- start ---


def main() -> int:
    """Put the tree on the path after the runner is loaded, and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runner", choices=("pytest", "unittest"))
    parser.add_argument("--report", required=True)
    parser.add_argument("--each", type=int, required=True, help="seconds that one test may take")
    parser.add_argument("--path", default="", help="what PYTHONPATH is for the tests, relative to the current folder")
    parser.add_argument("--no-cwd", action="store_true", help="do not put the current folder on the path")
    split = sys.argv.index("--")  # behind it stands what the runner gets, unread
    options, arguments = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1 :]
    key = sys.stdin.readline().strip()  # on no command line and in no environment
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if importlib.util.find_spec(options.runner) is None:
        sys.stderr.write(f"this interpreter has no {options.runner}\n")
        return NO_RUNNER
    __import__(options.runner)
    here = os.getcwd()  # noqa: PTH109
    given = [os.path.join(here, each) for each in options.path.split(os.pathsep) if each]  # noqa: PTH118
    sys.path[0:1] = ([] if options.no_cwd else [here]) + given
    if given:
        os.environ["PYTHONPATH"] = os.pathsep.join(given)
    lines = Lines(options.report, key)
    sys.argv = [options.runner, *arguments]
    status = {"pytest": run_pytest, "unittest": run_unittest}[options.runner](lines, options.each, arguments)
    lines.write("end", status=status)
    return status


if __name__ == "__main__":
    sys.exit(main())
