"""A pool of other files than are in the folder: refused where the files are there and differ, and only there."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from prereg.cli import main
from prereg.experiment import experiment_of
from prereg.freshness import edited_since
from prereg.locking import pool_of
from prereg.reading import load_spec
from tests.executor.sources.task_folders import lay_task
from tests.prereg.conftest import Call
from tests.prereg.test_task_folder import SPEC


@pytest.fixture(scope="module")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment over seven tasks that were harvested; made once, copied by every test."""
    root = tmp_path_factory.mktemp("harvested") / "evals"
    for name in "abcdefg":
        lay_task(root, name)
    (root / "spec.yaml").write_text(SPEC)
    assert main(["harvest", str(root), "--json"]) == 0
    return root


@pytest.fixture
def root(harvested: Path, tmp_path: Path) -> Path:
    """A copy of the experiment."""
    return shutil.copytree(harvested, tmp_path / "evals")


def edit(name: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        file = root / name
        file.write_text(file.read_text() + "# more\n")

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (edit("tasks/a/task.yaml"), "tasks/a was edited"),
        (edit("tasks/b/hidden/check.sh"), "tasks/b was edited"),
        (edit("tasks/c/repo/calc.txt"), "tasks/c was edited"),
        (edit("tasks/d/solution.patch"), "tasks/d was edited"),
        (lambda root: (root / "tasks/a/solution.answer.md").write_text("4\n"), "tasks/a was edited"),
        (lambda root: (root / "tasks/a/repo/calc.txt").chmod(0o755), "tasks/a was edited"),
        (lambda root: shutil.rmtree(root / "tasks/e"), "tasks/e is gone"),
        (lambda root: lay_task(root, "h"), "tasks/h is new"),
        (
            lambda root: [edit(f"tasks/{name}/task.yaml")(root) for name in "abcdefg"],
            "tasks/a was edited, tasks/b was edited, tasks/c was edited, tasks/d was edited, tasks/e was edited, 2 more",
        ),
    ],
)
def test_what_was_edited_since_the_harvest_is_named(root: Path, change: Callable[[Path], object], said: str) -> None:
    change(root)
    experiment = experiment_of(root)
    (found,) = edited_since(load_spec(experiment.spec), pool_of(experiment), experiment)
    assert found.summary == f"`evals` was harvested from other files than are here now: {said}"


def test_it_is_refused_before_anything_is_registered(root: Path, call: Call) -> None:
    edit("tasks/a/hidden/check.sh")(root)
    refused = call("compile", root)
    assert refused.code == 1
    assert "error[P935]: `evals` was harvested from other files" in refused.err
    assert "harvest again: prereg harvest" in refused.err
    assert not (root / "registry").exists()
    assert call("check", root, "--json").codes == ["P935"]


def test_what_was_harvested_again_compiles(root: Path, call: Call) -> None:
    edit("tasks/a/repo/calc.txt")(root)
    assert call("compile", root, "--json").codes == ["P935"]
    (root / "tasks/a/solution.patch").write_text("")
    assert call("harvest", root, "--json").code == 0
    assert call("compile", root, "--json").json["tasks"] == 6


def test_an_amendment_is_of_the_files_that_are_there_too(root: Path, call: Call) -> None:
    assert call("compile", root, "--json").code == 0
    edit("tasks/a/task.yaml")(root)
    spec = root / "spec.yaml"
    spec.write_text(spec.read_text().replace("solve what", "really solve what"))
    assert call("amend", root, "--reason", "clearer", "--json").codes == ["P935"]


def test_what_no_task_is_made_of_may_change(root: Path, call: Call) -> None:
    (root / "tasks/a/notes.md").write_text("to do\n")
    (root / "tasks/README.md").write_text("what these are\n")
    assert call("compile", root, "--json").code == 0


def test_without_the_folder_there_is_nothing_to_compare(root: Path, call: Call) -> None:
    first = call("compile", root, "--json")
    shutil.rmtree(root / "tasks")
    again = call("compile", root, "--json")
    assert (again.code, again.json["plan_digest"]) == (0, first.json["plan_digest"])


def test_a_run_is_in_the_environment_that_the_tasks_were_proved_in(tmp_path: Path, call: Call) -> None:
    lay_task(tmp_path, "a")
    (tmp_path / "requirements.txt").write_text("# nothing but what Python has\n")
    venv = "source: {kind: folder, path: tasks}\n    environment: {kind: venv, requirements: requirements.txt}"
    (tmp_path / "spec.yaml").write_text(SPEC.replace("source: {kind: folder, path: tasks}", venv))
    for verb in ("harvest", "compile"):
        assert call(verb, tmp_path, "--json").code == 0
    (tmp_path / "requirements.txt").write_text("# something else\n")
    refused = call("execute", tmp_path, "--run", "one", "--json")
    assert (refused.code, refused.codes) == (4, ["environment-changed"])
    assert "requirements.txt is not what the tasks of `evals` were harvested with" in refused.out
    assert not (tmp_path / "runs").exists()
    assert call("compile", tmp_path, "--json").codes == ["P935"]


def test_what_else_is_wrong_is_said_with_it(root: Path, call: Call) -> None:
    edit("tasks/a/task.yaml")(root)
    spec = root / "spec.yaml"
    spec.write_text(spec.read_text().replace("draw: {sort: id}", "draw: {sort: id, take: 9}"))
    assert call("compile", root, "--json").codes == ["P935", "P395"]


def test_a_pool_of_another_harvest_is_said_to_be_that_alone(root: Path, call: Call) -> None:
    edit("tasks/a/task.yaml")(root)
    spec = root / "spec.yaml"
    spec.write_text(spec.read_text().replace("harvests: 1", "harvests: 2"))
    assert call("compile", root, "--json").codes == ["P390"]
