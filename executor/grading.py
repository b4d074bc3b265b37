"""Judges a change in a fresh tree: starting tree, change, held-out files over it, test infrastructure put back as the fix has it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from compiler.plan import Chosen
from compiler.task import TestPlan
from executor.attempt import Notebook, TrialOrder
from executor.check_order import in_order
from executor.ports import AgentEnd, CheckResult, GradeOrder
from executor.protection import make_gradable
from executor.trees import lay
from executor.workspace import Change, Template, apply_change, open_workspace
from ledger.canonical import parse
from ledger.codec import from_plain
from ledger.plain import Plain


def grade(
    order: TrialOrder, start: Template, change: Change, end: AgentEnd, folder: Path, notebook: Notebook
) -> dict[str, Mapping[str, Plain]]:
    """Judge every check of the task's oracle; give its results by name. The agent's own folder is not looked at.

    Raises:
        WorldFault: A grader says that the world, not the change, is at fault.
    """
    pool = order.material
    tests: TestPlan | None = None
    if order.task.tests is not None:
        tests = from_plain(TestPlan, parse(pool.get(order.task.tests), where="tests"), where="tests")
    held_out = pool.get(order.task.held_out)
    scratch = folder / "grading"
    scratch.mkdir()
    with open_workspace(start, folder) as fresh:
        apply_change(start, change, fresh.root)
        if tests is None:
            lay(held_out, fresh.root)
        else:
            make_gradable(fresh.root, pristine=start.tree, changed=change.changed, held_out=held_out, plan=tests)
        asked = GradeOrder(
            check=Chosen(kind=""),
            root=fresh.root,
            pristine=start.tree,
            changed=change.changed,
            answer=end.answer,
            events=end.events,
            tests=tests,
            scratch=scratch,
            sandbox=order.sandbox,
            path=tuple(map(str, order.environment.path)),
            mounts=order.environment.mounts,
        )
        results: dict[str, CheckResult] = {}
        for name, check in in_order(order.checks):
            earlier = {done: result.ok for done, result in results.items()}
            results[name] = order.graders[check.kind].grade(replace(asked, check=check, earlier=earlier))
            _keep_check(name, results[name], notebook)
    return {name: {**results[name].facts, "ok": results[name].ok} for name in order.checks}


def _keep_check(name: str, result: CheckResult, notebook: Notebook) -> None:
    if result.detail:
        notebook.keep(f"{name}.detail", result.detail.encode("utf-8", "surrogateescape"))
    for artefact, path in result.artefacts.items():
        if path.is_file():
            notebook.keep(f"{name}.{artefact}", path.read_bytes())
