"""The ``tests`` check: a task's own tests, run once per graded tree and read per test."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from compiler.task import TestPlan
from executor.ports import CheckResult, GradeOrder
from executor.protection import put_back
from executor.suite import SuiteRun, run_suite
from ledger.canonical import canonical, digest, parse
from ledger.codec import from_plain, to_plain
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

Of = Literal["fail-to-pass", "pass-to-pass", "held-out", "baseline"]


class TestsGrader:
    """Says whether every test of one list passed. A test that was skipped, is missing or could not be collected did not pass."""

    kind: ClassVar[str] = "tests"
    __test__ = False

    def grade(self, order: GradeOrder) -> CheckResult:
        """Run the tests in ``order.root`` unless another check of this tree already has, and count.

        Raises:
            WorldFault: The task has no test plan (``no-tests``) or the environment no runner (``no-runner``).
        """
        if order.tests is None:
            raise WorldFault(Fault(code="no-tests", what="the task carries no tests", hint="harvest it with `tests:`"))
        run = _run_once(order, order.tests)
        place = _place(order, order.tests)
        files = {"report": place / "home" / "report", "stdout": place / "stdout", "stderr": place / "stderr"}
        artefacts = {name: path for name, path in files.items() if path.is_file()}
        return replace(judge(run, expected(order.tests, order.check.options)), artefacts=artefacts)


def expected(plan: TestPlan, options: Mapping[str, Plain]) -> tuple[str, ...]:
    """Give the list of test ids that a check is about."""
    lists: Mapping[Of, tuple[str, ...]] = {
        "fail-to-pass": plan.fail_to_pass,
        "pass-to-pass": plan.pass_to_pass,
        "held-out": plan.held_out,
        "baseline": plan.baseline,
    }
    return next(tests for name, tests in lists.items() if name == options.get("of", "fail-to-pass"))


def judge(run: SuiteRun, tests: tuple[str, ...]) -> CheckResult:
    """Say whether all of these tests passed, with counts by state. Of no tests at all, all passed."""
    by_state: dict[str, int] = {}
    for test in tests:
        state = run.state(test)
        by_state[state] = by_state.get(state, 0) + 1
    passed = by_state.get("passed", 0)
    bad = [f"{test}: {run.state(test)}" for test in tests if run.state(test) != "passed"]
    facts: dict[str, Plain] = {"count": len(tests), "passed": passed, "failed": len(tests) - passed, "states": by_state}
    detail = "; ".join([*bad[:10], *([f"and {len(bad) - 10} more"] if len(bad) > 10 else [])])
    return CheckResult(ok=passed == len(tests), facts=facts, detail=detail)


def _run_once(order: GradeOrder, plan: TestPlan) -> SuiteRun:
    """Run, or read what an earlier check of the same tree and plan left in the order's scratch folder."""
    place = _place(order, plan)
    kept = place / "run.json"
    if kept.is_file():
        return from_plain(SuiteRun, parse(kept.read_bytes(), where=str(kept)), where=str(kept))
    # Whoever made the tree has done this already; doing it again costs nothing and trusts nobody.
    put_back(order.root, pristine=order.pristine, changed=order.changed, plan=plan)
    run = run_suite(plan, root=order.root, scratch=place, sandbox=order.sandbox, path=order.path, mounts=order.mounts)
    kept.write_bytes(canonical(to_plain(run)))
    return run


def _place(order: GradeOrder, plan: TestPlan) -> Path:
    same = canonical(
        [str(order.root), to_plain(replace(plan, fail_to_pass=(), pass_to_pass=(), held_out=(), baseline=()))]
    )
    return order.scratch / f"suite-{digest(same)[-16:]}"
