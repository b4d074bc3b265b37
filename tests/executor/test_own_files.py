"""The digests of the author's files that a harvest reads: of what is read, of what is there, and of no private set."""

import os
from pathlib import Path

import pytest

from compiler.plan import Chosen, HarvestSet
from executor.own_files import own_files
from executor.sources.defects import Defects
from executor.sources.folder import Folder
from executor.sources.git_history import GitHistory
from executor.sources.issues import Issues
from ledger.canonical import digest
from ledger.errors import WorldFault
from ledger.plain import Plain


def read(source: object, base: Path, environment: Chosen | None = None, **options: Plain) -> dict[str, str]:
    plan = HarvestSet(name="s", source=Chosen(kind="k", options=options), where=(), harvests=1, environment=environment)
    return own_files(plan, source, base)


def lay(base: Path, *names: str) -> None:
    for name in names:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(name)


def test_a_task_is_its_file_and_its_parts(tmp_path: Path) -> None:
    lay(tmp_path, "tasks/a/task.yaml", "tasks/a/repo/x", "tasks/b/task.json", "tasks/none/repo/x")
    before = read(Folder(), tmp_path, path="tasks")
    assert list(before) == ["tasks/a", "tasks/b"]
    lay(tmp_path, "tasks/a/README.md", "tasks/a/repo/.git/HEAD")
    assert read(Folder(), tmp_path, path="tasks") == before
    (tmp_path / "tasks/a/repo/y").symlink_to("x")
    after = read(Folder(), tmp_path, path="tasks")
    assert (after["tasks/a"] == before["tasks/a"], after["tasks/b"] == before["tasks/b"]) == (False, True)


def test_a_defect_is_its_patch_and_its_fixture_and_the_shared_one(tmp_path: Path) -> None:
    repositories: Plain = {"one": {"path": "../one", "fixture": "one.md"}, "two": {"path": "../two"}}
    lay(tmp_path, "tasks/a/task.yaml", "tasks/a/defect.patch", "one.md")
    before = read(Defects(), tmp_path, path="tasks", repositories=repositories)
    assert before.keys() == {"tasks/a", "one.md"}
    lay(tmp_path, "tasks/a/fixture.md")
    assert read(Defects(), tmp_path, path="tasks", repositories=repositories)["tasks/a"] != before["tasks/a"]


def test_exports_of_issues_are_read_and_those_of_a_private_set_are_not_told(tmp_path: Path) -> None:
    lay(tmp_path, "issues.json", "pulls.json")
    both = {name: digest(name.encode()) for name in ("issues.json", "pulls.json")}
    assert read(Issues(), tmp_path, issues="issues.json", pulls="pulls.json") == both
    private: Plain = {"store_env": "STORE"}
    assert read(Issues(), tmp_path, issues="issues.json", pulls="pulls.json", private=private) == {}


def test_what_an_environment_is_made_of_is_read_with_every_source(tmp_path: Path) -> None:
    lay(tmp_path, "requirements.txt", "web/package-lock.json")
    assert read(GitHistory(), tmp_path, repository="../one") == {}
    for kind, option, name in (("venv", "requirements", "requirements.txt"), ("npm", "lock", "web/package-lock.json")):
        environment = Chosen(kind=kind, options={option: name})
        assert read(GitHistory(), tmp_path, environment) == {name: digest(name.encode())}


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    assert read(Folder(), tmp_path, Chosen(kind="venv", options={"requirements": "r.txt"}), path="tasks") == {}


def test_what_cannot_be_read_is_a_fault_of_the_world(tmp_path: Path) -> None:
    lay(tmp_path, "tasks/a/task.yaml", "tasks/a/repo/x")
    os.mkfifo(tmp_path / "tasks/a/repo/pipe")
    with pytest.raises(WorldFault, match="a/repo cannot be read: pipe is neither a file nor a link"):
        read(Folder(), tmp_path, path="tasks")
