"""Runs the tests of a tree once, offline and in a fixed environment, and says what became of each.

The code under test runs in one process with our reporter. It cannot stand in for the runner, drop or skip a test unseen, put another
function in place of the framework's, or write a report of its own without searching that process's memory; code that does search
can lie, and no harness that imports it can tell.
"""

import json
import os
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

from junitparser import Error, Failure, Skipped, TestCase

from compiler.plan import LimitsPlan
from compiler.task import TestPlan
from executor.ports import Job, JobEnd, Mount, Sandbox
from executor.reporters import report_tests
from executor.storable import storable
from executor.trees import remove
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

State: TypeAlias = Literal[
    "passed", "failed", "error", "skipped", "xfailed", "xpassed", "timeout", "missing", "uncollected"
]
WORST: tuple[State, ...] = ("passed", "xpassed", "xfailed", "skipped", "missing", "failed", "error", "timeout")
"""States of a test that was collected, best first: where a test has several outcomes the worst counts."""

_PROGRAM = Path(report_tests.__file__)
_ENV = {
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    # With no compiled file in the tree and none written there, every import compiles what the tree says now. (A fresh
    # PYTHONPYCACHEPREFIX would do the same, and compile the whole environment anew in every run.)
    "PYTHONDONTWRITEBYTECODE": "1",
}
# Far above what tests need: they stop what would take the machine with it.
_OUTPUT_BYTES = 64 << 20
_MEMORY_BYTES = 8 << 30
_PROCESSES = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteRun:
    """What one run of a suite showed. ``uncollected``: file or folder that could not be collected → exception class.

    ``signs``: test id → the exception class and message with which it failed. ``seconds`` is the harness's bracket.
    """

    states: Mapping[str, State]
    uncollected: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)
    runner: str = ""
    stopped_by: str | None = None
    exit_code: int | None = None
    seconds: Decimal = Decimal(0)
    said: str = ""
    """The end of what the runner printed, kept only when it ran no test at all."""

    def state(self, test: str) -> State:
        """Give the state of a test that was asked for: one that never came is missing, never a pass."""
        known = self.states.get(test)
        if known is not None:
            return known
        behind = any(test.startswith(f"{each}{mark}") for each in self.uncollected for mark in ("::", "/", "."))
        return "uncollected" if behind else "missing"

    def passed(self) -> frozenset[str]:
        """Give the ids of all tests that passed."""
        return frozenset(test for test, state in self.states.items() if state == "passed")

    def counts(self) -> dict[str, Plain]:
        """Count tests by state; states that no test has are left out."""
        found = Counter(self.states.values())
        if self.uncollected:
            found["uncollected"] = len(self.uncollected)
        return {state: found[state] for state in sorted(found)}


def run_suite(
    plan: TestPlan,
    *,
    root: Path,
    scratch: Path,
    sandbox: Sandbox,
    path: tuple[str, ...] = (),
    mounts: tuple[Mount, ...] = (),
) -> SuiteRun:
    """Run the plan's test files in ``root``, which tests may change, with ``scratch`` (fresh) for home, report and output.

    Raises:
        WorldFault: The environment has no such runner (``no-runner``), or the job could not be started.
    """
    home = scratch / "home"
    home.mkdir(parents=True)
    report = home / "report"
    key = secrets.token_hex(16)
    draft = Job(
        argv=(),
        workspace=root,
        home=home,
        limits=LimitsPlan(
            time_s=Decimal(plan.timeout_s),
            memory_bytes=_MEMORY_BYTES,
            processes=_PROCESSES,
            output_bytes=_OUTPUT_BYTES,
        ),
        stdout=scratch / "stdout",
        stderr=scratch / "stderr",
        stdin=f"{key}\n".encode(),
        path=path,
        mounts=(*mounts, Mount(host=_PROGRAM.parent, inside=str(_PROGRAM.parent))),
    )
    env = {**_ENV, **plan.env}
    _drop_compiled(root)
    argv, env = _command(plan, env, report=sandbox.inside(draft, report), program=sandbox.inside(draft, _PROGRAM))
    end = sandbox.run(replace(draft, argv=argv, env=env))
    if end.exit_code == report_tests.NO_RUNNER and not report.exists():
        raise no_runner(plan, (scratch / "stderr").read_text("utf-8", "replace").strip())
    run = _read_junit(report, end) if plan.report == "junit" else _read_lines(report, end, key)
    return run if run.states else replace(run, said=_tail(scratch / "stderr") or _tail(scratch / "stdout"))


def _drop_compiled(root: Path) -> None:
    """Remove what Python compiled: a file of the same size and time as its edited source would run in its place."""
    for folder, inner, _ in os.walk(root):
        if "__pycache__" in inner:
            inner.remove("__pycache__")
            remove(Path(folder), "__pycache__")


def _tail(printed: Path) -> str:
    text = printed.read_text("utf-8", "replace") if printed.exists() else ""
    return " / ".join(line.strip() for line in text.splitlines()[-4:] if line.strip())[-400:]


def no_runner(plan: TestPlan, said: str) -> WorldFault:
    """Say that the environment cannot run these tests."""
    return WorldFault(
        Fault(
            code="no-runner",
            what=f"the tests cannot be run: {said or 'the runner did not start'}",
            expected=" ".join(plan.run),
            hint="name the runner under `environment: {kind: venv, install: [...]}`, or install it where prereg runs",
        )
    )


def _command(
    plan: TestPlan, env: dict[str, str], *, report: str, program: str
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Build the command line and environment. Ours replaces the runner's start, so that no file of the tree can stand in for it."""
    if plan.report == "junit":
        words = [word.replace("{report}", report) for word in plan.run]
        if "{files}" not in words:
            words.append("{files}")
        at = words.index("{files}")
        return (*words[:at], *plan.files, *words[at + 1 :]), env
    runner = {"pytest-plugin": "pytest", "unittest": "unittest"}[plan.report]
    match plan.run:
        case (interpreter, "-m", module, *rest) if module == runner:
            flags: tuple[str, ...] = ()
        case (name, *rest) if name == runner == "pytest":
            interpreter, flags = "python", ("--no-cwd",)
        case _:
            raise WorldFault(
                Fault(
                    code="tests-run",
                    what=f"`report: {plan.report}` cannot follow this command",
                    expected=f"python -m {runner} …",
                    got=" ".join(plan.run),
                    hint="use `report: junit` with a command that writes JUnit XML to {report}",
                )
            )
    limits = ("--report", report, "--each", str(plan.each_timeout_s))
    # PYTHONPATH would let a file of the tree stand in for the standard library before the reporter is there.
    given = ("--path", env.pop("PYTHONPATH", ""))
    return (interpreter, program, runner, *limits, *given, *flags, "--", *rest, *plan.files), env


# --- reading ---


def _read_lines(report: Path, end: JobEnd, key: str) -> SuiteRun:
    """Read our reporter's lines; a line without the key, or cut off by a kill, says nothing."""
    read = [_event(line) for line in report.read_bytes().splitlines()] if report.exists() else []
    events = [event for event in read if event.get("key") == key]
    states: dict[str, State] = {}
    signs: dict[str, str] = {}
    uncollected: dict[str, str] = {}
    collected: Counter[str] = Counter()
    begun: Counter[str] = Counter()
    done: Counter[str] = Counter()
    runner = ""
    for event in events:
        match event:
            case {"event": "start", "runner": str(name), "version": str(version), "python": str(python)}:
                runner = f"{name} {version}, python {python}"
            case {"event": "collected", "ids": list(ids)}:
                collected.update(str(each) for each in ids)
            case {"event": "uncollected", "id": str(name), "exception": exception}:
                uncollected[name] = str(exception)
            case {"event": "begun", "id": str(name)}:
                begun[name] += 1
            case {"event": "done", "id": str(name)}:
                done[name] += 1
            case {"event": "state", "id": str(name), "state": str(state)} if state in WORST:
                _worsen(states, name, state)
                if event.get("exception"):
                    signs[name] = f"{event['exception']}: {event.get('message', '')}"
            case _:
                pass
    for name, times in collected.items():
        if done[name] < times:
            broken: State = "timeout" if end.stopped_by == "time" else "error"
            _worsen(states, name, broken if begun[name] > done[name] else "missing")
    return _suite_run(states, end, uncollected=uncollected, signs=signs, runner=runner)


def _event(line: bytes) -> Mapping[str, Plain]:
    try:
        # A lone surrogate, which a test's message may hold, is no text that can be stored: it is written out as an escape.
        read: Plain = storable(json.loads(line))
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _read_junit(report: Path, end: JobEnd) -> SuiteRun:
    """Read JUnit XML: an id is ``classname::name``, as no standard says more."""
    states: dict[str, State] = {}
    signs: dict[str, str] = {}
    for case in _cases(report.read_bytes() if report.exists() else b""):
        name = f"{case.classname}::{case.name}" if case.classname else str(case.name)
        results = [each for each in case.result if isinstance(each, (Skipped, Failure, Error))]
        if not results:
            _worsen(states, name, "passed")
        for result in results:
            _worsen(states, name, {Skipped: "skipped", Failure: "failed"}.get(type(result), "error"))
            if not isinstance(result, Skipped):
                signs[name] = f"{result.type}: {result.message}"
    return _suite_run(states, end, uncollected={}, signs=signs, runner="junit")


def _cases(data: bytes) -> tuple[TestCase, ...]:
    """Give all test cases of a JUnit document, also those outside of any suite; none when it is cut off or not what a runner writes.

    Tests write this file, so a document type (entities that grow or read files) is not parsed at all.
    """
    if not data.strip() or b"<!DOCTYPE" in data:
        return ()
    try:
        root = ET.fromstring(data)  # noqa: S314  # without a document type there is nothing to expand
    except (SyntaxError, ValueError):  # its ParseError is a SyntaxError
        return ()
    return tuple(TestCase.fromelem(each) for each in root.iter("testcase"))  # type: ignore[no-untyped-call]  # as junitparser leaves it


def _suite_run(
    states: Mapping[str, State], end: JobEnd, *, uncollected: Mapping[str, str], signs: Mapping[str, str], runner: str
) -> SuiteRun:
    return SuiteRun(
        states=dict(sorted(states.items())),
        uncollected=dict(sorted(uncollected.items())),
        signs=signs,
        runner=runner,
        stopped_by=end.stopped_by,
        exit_code=end.exit_code,
        seconds=end.seconds,
    )


def _worsen(states: dict[str, State], test: str, state: str) -> None:
    now: State = next(each for each in WORST if each == state)
    states[test] = max(states.get(test, now), now, key=WORST.index)
