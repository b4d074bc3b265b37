"""Other ways to solve the evals tasks: right ones pass the checks, plausible wrong ones do not.

``solutions/TASK--wrong-LABEL.patch`` (or ``.md`` for an answer) is a change against the task's repo/.
"""

import functools
from dataclasses import replace
from pathlib import Path

import pytest

from executor.check_gates import Tools, run_side
from executor.environments import Environment, prepare
from executor.ports import Built, Found
from executor.sandboxes.local import LocalSandbox
from executor.setup_steps import set_up
from executor.sources.folder import Folder
from executor.trees import lay
from prereg.kit import graders
from prereg.task_files import read_tasks
from tests.e2e.needed import lacking
from tests.needs import require

HERE = Path(__file__).parent
EVALS = HERE.parents[1] / "specs" / "task-evals"
FILES = sorted((HERE / "solutions").iterdir())
OPTIONS = {"path": "tasks"}


@functools.cache
def candidates() -> tuple[Found, ...]:
    """All tasks, listed once."""
    return tuple(Folder(read=read_tasks).find(OPTIONS, EVALS))


@functools.cache
def environment(folder: Path) -> Environment:
    """What this machine has, asked once."""
    return prepare(None, base=EVALS, cache=folder / "cache")


@functools.cache
def built(task: str, folder: Path) -> Built:
    """The task's material, its dependencies prepared; read once for all its solutions."""
    source = Folder(read=read_tasks)
    found = next(each for each in candidates() if each.id == task)
    made = source.build(OPTIONS, EVALS, found)
    assert isinstance(made, Built), made
    done = set_up(made, environment=environment(folder), sandbox=LocalSandbox(), scratch=folder, cache=folder / "cache")
    assert isinstance(done, Built), done
    return done


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_solution_is_judged_rightly(file: Path, tmp_path: Path, shared: Path) -> None:
    require(lacking(EVALS / "tasks" / file.name.split("--")[0]))
    task, _, label = file.stem.partition("--")
    made = built(task, shared)
    made = (
        replace(made, reference=file.read_bytes())
        if file.suffix == ".patch"
        else replace(made, answer=file.read_text())
    )
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    lay(made.given, pristine)
    tools = Tools(
        graders=graders(),
        environment=environment(shared),
        sandbox=LocalSandbox(),
        scratch=tmp_path,
    )
    run = run_side("fix", 1, made, pristine, tools)
    shown = "\n".join(f"{name}: {each.ok} {each.detail}" for name, each in run.results.items())
    assert run.passes is label.startswith("right"), shown


def test_every_task_has_a_plausible_wrong_solution() -> None:
    tasks = {each.name for each in (EVALS / "tasks").iterdir()}
    assert {file.name.split("--")[0] for file in FILES if "--wrong-" in file.name} == tasks


def test_the_tasks_cover_every_category_with_three() -> None:
    counts: dict[str | None, int] = {}
    for found in Folder(read=read_tasks).find(OPTIONS, EVALS):
        counts[found.category] = counts.get(found.category, 0) + 1
    kinds = ("bugfix", "feature", "refactor", "explain", "test", "multi-file", "config", "debug")
    assert counts == dict.fromkeys(kinds, 3)
