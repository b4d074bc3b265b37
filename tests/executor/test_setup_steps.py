"""Setup steps: done once, with a network, outside of every trial; what they made is part of the starting tree."""

from dataclasses import replace
from pathlib import Path

import pytest

from compiler.plan import Chosen
from compiler.task import Reason, TestPlan
from executor.environments import prepare
from executor.ports import Built, Job, JobEnd
from executor.protection import make_gradable
from executor.sandboxes.local import LocalSandbox
from executor.setup_steps import made as added
from executor.setup_steps import set_up
from executor.trees import Leaf, lay, leaves, pack

BUILT = Built(
    given=pack([Leaf(path="manifest.txt", data=b"left-pad 1\n")]),
    held_out=pack([]),
    reference=b"",
    tests=TestPlan(run=(), report="", files=(), fail_to_pass=(), pass_to_pass=()),
    checks={"command_1": Chosen(kind="command", options={"run": "true"})},
    setup=("mkdir deps && cp manifest.txt deps/", "chmod +x deps/manifest.txt && ln -s manifest.txt deps/link"),
)


class Watching(LocalSandbox):
    """The local sandbox, keeping what it was asked to run."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def run(self, job: Job) -> JobEnd:
        self.jobs.append(job)
        return super().run(job)


def done(tmp_path: Path, built: Built = BUILT, sandbox: Watching | None = None) -> Built | Reason:
    environment = prepare(None, base=tmp_path, cache=tmp_path)
    chosen = sandbox or Watching()
    return set_up(
        built, environment=environment, sandbox=chosen, scratch=tmp_path / "scratch", cache=tmp_path / "cache"
    )


def test_what_the_steps_made_is_given(tmp_path: Path) -> None:
    made = done(tmp_path)
    assert isinstance(made, Built)
    given = {leaf.path: (leaf.kind, leaf.data) for leaf in leaves(made.given)}
    assert given == {
        "manifest.txt": ("file", b"left-pad 1\n"),
        "deps/manifest.txt": ("executable", b"left-pad 1\n"),
        "deps/link": ("link", b"manifest.txt"),
    }
    assert (made.setup, made.checks) == ((), BUILT.checks)
    assert made.tests.protect == ("deps/**",)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_they_have_a_network_and_are_done_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "somewhere")
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    sandbox = Watching()
    first = done(tmp_path, sandbox=sandbox)
    assert [job.network for job in sandbox.jobs] == ["open", "open"]
    assert sandbox.jobs[0].env["PIP_INDEX_URL"] == "somewhere"
    assert "SECRET_TOKEN" not in sandbox.jobs[0].env
    assert done(tmp_path, sandbox=sandbox) == first
    assert len(sandbox.jobs) == 2


def test_other_manifests_or_steps_are_done_anew(tmp_path: Path) -> None:
    sandbox = Watching()
    done(tmp_path, sandbox=sandbox)
    other = pack([Leaf(path="manifest.txt", data=b"left-pad 2\n")])
    done(tmp_path, replace(BUILT, given=other), sandbox)
    done(tmp_path, replace(BUILT, setup=BUILT.setup[:1]), sandbox)
    assert len(sandbox.jobs) == 5


def test_a_step_that_fails_drops_the_task_and_is_tried_again(tmp_path: Path) -> None:
    failed = done(tmp_path, replace(BUILT, setup=("true", "echo no such package >&2; exit 9")))
    assert isinstance(failed, Reason)
    assert failed.code == "setup-fails"
    assert failed.detail.endswith("exit status 9: no such package")
    assert list((tmp_path / "cache" / "setups").glob("*.tar")) == []


def test_a_task_without_steps_is_left_alone(tmp_path: Path) -> None:
    plain = replace(BUILT, setup=())
    assert done(tmp_path, plain) is plain


def test_what_setup_adds_to_a_folder_of_the_task_is_protected_file_by_file() -> None:
    before = pack([Leaf(path="src/a.py", data=b"")])
    after = pack([Leaf(path=path, data=b"") for path in ("src/a.py", "src/made.py", "deps/x/y", "deps/z", "lock")])
    assert added(before, after) == ("deps/**", "lock/**", "src/made.py")


def test_a_change_to_what_setup_made_does_not_count(tmp_path: Path) -> None:
    ready = done(tmp_path)
    assert isinstance(ready, Built)
    pristine, root = tmp_path / "pristine", tmp_path / "root"
    for folder in (pristine, root):
        folder.mkdir()
        lay(ready.given, folder)
    (root / "deps" / "manifest.txt").write_text("tampered")
    (root / "deps" / "more").write_text("tampered")
    (root / "manifest.txt").write_text("changed")
    changed = ("deps/manifest.txt", "deps/more", "manifest.txt")
    make_gradable(root, pristine=pristine, changed=changed, held_out=ready.held_out, plan=ready.tests)
    assert (root / "deps" / "manifest.txt").read_text() == "left-pad 1\n"
    assert not (root / "deps" / "more").exists()
    assert (root / "manifest.txt").read_text() == "changed"
