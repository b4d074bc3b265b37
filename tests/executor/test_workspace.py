"""Workspaces: the same commit everywhere, the change taken out whole, nothing of the agent's git believed, nothing left behind."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor import scan
from executor import workspace as module
from executor.ports import Workspace
from executor.scan import look
from executor.scratch import own_folder, sweep
from executor.trees import Leaf, lay, pack
from executor.workspace import Change, Template, apply_change, capture, open_workspace, template
from ledger.errors import IntegrityFault
from tests.needs import require

LEAVES = (
    Leaf(path="README.md", data=b"# tree\n"),
    Leaf(path="src/a.py", data=b"A = 1\n"),
    Leaf(path="src/b.py", data=b"B = 1\n"),
    Leaf(path="run.sh", data=b"#!/bin/sh\n", kind="executable"),
    Leaf(path="link", data=b"src/a.py", kind="link"),
    Leaf(path="bin.dat", data=bytes(range(256))),
    Leaf(path=".gitignore", data=b"*.log\nbuild/\n"),
    Leaf(path=".gitattributes", data=b"*.crlf text eol=crlf\n*.py filter=none ident\n* -diff\n"),
    Leaf(path="dos.crlf", data=b"one\ntwo\n"),
    Leaf(path="naïve 漢/tab\there", data=b"x"),
)

Open = Callable[[], AbstractContextManager[Workspace]]


@pytest.fixture
def packed(tmp_path: Path) -> Template:
    return template(pack(LEAVES), tmp_path / "cache")


@pytest.fixture(params=["overlay", "copy"])
def opened(request: pytest.FixtureRequest, packed: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    if request.param == "copy":
        monkeypatch.setattr(module, "mount_overlay", lambda *_: "asked for a copy")
    return lambda: open_workspace(packed, tmp_path / "scratch")


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=True, text=True)
    return done.stdout.strip()


def files(root: Path) -> dict[str, tuple[str, bytes, bool]]:
    """Every file and link below a root but the repository: kind, content, executable."""
    found = {}
    for place, folders, names in os.walk(root):
        folders[:] = [each for each in folders if each != ".git"]
        for name in names + [each for each in folders if Path(place, each).is_symlink()]:
            path = Path(place, name)
            link = path.is_symlink()
            data = os.fsencode(path.readlink()) if link else path.read_bytes()
            found[str(path.relative_to(root))] = (
                "link" if link else "file",
                data,
                not link and bool(path.stat().st_mode & 0o100),
            )
    return found


def test_the_start_is_the_same_commit_everywhere(packed: Template, opened: Open) -> None:
    assert packed.start == "a9c2d067fd591e99b3f0ad49986a00373f26b80d"
    with opened() as workspace:
        assert workspace.start == packed.start
        assert git(workspace.root, "rev-parse", "HEAD") == packed.start
        assert git(workspace.root, "log", "--all", "--format=%an %ae %ad %s") == (
            "Developer developer@example.invalid Sat Jan 1 00:00:00 2000 +0000 Start"
        )
        assert git(workspace.root, "remote") == ""
        assert git(workspace.root, "fsck", "--no-progress") == ""
        assert not list((workspace.root / ".git").rglob("hooks/*"))
        assert git(workspace.root, "rev-list", "--all", "--count") == "1"
        assert "in-pack: 14" in git(workspace.root, "count-objects", "-v")


def test_an_untouched_workspace_has_no_change(opened: Open) -> None:
    with opened() as workspace:
        for path in workspace.root.rglob("*"):
            if path.is_file() and ".git" not in path.parts:
                path.read_bytes()
        (workspace.root / "src/a.py").chmod(0o600)  # only the executable bit counts
        (workspace.root / "src/b.py").write_bytes(b"B = 1\n")
        assert capture(workspace) == Change(patch=b"", changed=())


def edit(root: Path) -> None:
    """Every kind of change that a tree can see."""
    (root / "src/a.py").write_bytes(b"A = 2\r\nno line feed")
    (root / "src/b.py").unlink()
    (root / "src/b.py").mkdir()
    (root / "src/b.py/inner").write_text("was a file")
    (root / "run.sh").chmod(0o644)
    (root / "link").unlink()
    (root / "link").symlink_to("/etc/passwd")
    (root / "bin.dat").write_bytes(bytes(reversed(range(256))))
    (root / "dos.crlf").write_bytes(b"one\r\ntwo\nthree\r\n")
    (root / "naïve 漢/tab\there").rename(root / 'naïve 漢/line\nfeed "q" \\ \'')
    (root / "empty").touch()
    (root / "deep/er").mkdir(parents=True)
    (root / "deep/er/x").symlink_to("../../src")
    (root / os.fsdecode(b"\xff\xfe")).write_bytes(b"latin")
    (root / "README.md").unlink()
    (root / "README.md").symlink_to("run.sh")
    (root / "hidden.log").write_text("ignored by .gitignore")
    (root / "build").mkdir()
    (root / "build/out").write_text("ignored too")


def test_a_change_is_taken_out_and_applied_whole(packed: Template, opened: Open) -> None:
    with opened() as before, opened() as after:
        edit(before.root)
        change = capture(before)
        assert {"src/a.py", "src/b.py", "src/b.py/inner", "run.sh", "hidden.log", "build/out"} <= set(change.changed)
        assert any(note.startswith("link: a link out of the workspace, to /etc/passwd") for note in change.notes)
        apply_change(packed, change, after.root)
        assert files(after.root) == files(before.root)
        again = capture(after)
        assert (again.patch, again.changed) == (change.patch, change.changed)
    assert b"A = 2" in change.patch  # readable: the tree's own attributes say that nothing is text


def test_git_can_apply_the_patch_too(packed: Template, opened: Open, tmp_path: Path) -> None:
    with opened() as before:
        (before.root / "src/a.py").write_bytes(b"A = 2\n")
        (before.root / "bin.dat").write_bytes(b"\0\1")
        patch = capture(before).patch
    (tmp_path / "fresh").mkdir()
    lay(pack(LEAVES), tmp_path / "fresh")
    subprocess.run(["git", "apply", "--binary", "-"], input=patch, cwd=tmp_path / "fresh", check=True)
    assert (tmp_path / "fresh/bin.dat").read_bytes() == b"\0\1"


def test_a_foreign_change_is_refused(packed: Template, opened: Open) -> None:
    with opened() as before, opened() as fresh:
        (before.root / "src/a.py").write_bytes(b"A = 2\n")
        change = capture(before)
        other = Change(patch=change.patch.replace(b"-A = 1", b"-A = 0"), changed=change.changed)
        for bad in (other, Change(patch=b"no patch", changed=())):
            with pytest.raises(IntegrityFault):
                apply_change(packed, bad, fresh.root)
        evil = change.patch.replace(b"src/a.py", b"../../a.py")
        with pytest.raises(IntegrityFault):
            apply_change(packed, Change(patch=evil, changed=()), fresh.root)


def test_nothing_of_the_agents_git_is_believed(opened: Open, tmp_path: Path) -> None:
    alarm = tmp_path / "alarm"
    with opened() as workspace:
        root = workspace.root
        hook = f"#!/bin/sh\ntouch {alarm}\n"
        (root / ".git/hooks").mkdir(exist_ok=True)
        for name in ("post-index-change", "pre-commit", "fsmonitor", "post-checkout"):
            (root / ".git/hooks" / name).write_text(hook)
            (root / ".git/hooks" / name).chmod(0o755)
        (root / "src/a.py").write_bytes(b"A = 2\n")
        config = f"[core]\n fsmonitor = {root}/.git/hooks/fsmonitor\n hooksPath = {root}/.git/hooks\n worktree = /\n"
        config += (
            f'[filter "none"]\n clean = touch {alarm}\n smudge = touch {alarm}\n[diff]\n external = touch {alarm}\n'
        )
        (root / ".git/config").write_text(config)
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/exclude").write_text("*\n")
        (root / ".git/info/attributes").write_text("* filter=none\n")
        for file in ("index", "HEAD"):
            (root / ".git" / file).write_text("nonsense")
        change = capture(workspace)
        assert change.changed == ("src/a.py",)
        assert not alarm.exists()
        shutil.rmtree(root / ".git")
        assert capture(workspace).changed == ("src/a.py",)


def test_a_fifo_where_git_would_read_does_not_block(opened: Open) -> None:
    with opened() as workspace:
        for name in (".gitattributes", ".gitignore", "src/.gitattributes", ".gitmodules"):
            (workspace.root / name).unlink(missing_ok=True)
            os.mkfifo(workspace.root / name)
        listening = socket.socket(socket.AF_UNIX)
        here = Path.cwd()
        try:
            os.chdir(workspace.root)
            listening.bind("s")
        finally:
            os.chdir(here)
            listening.close()
        (workspace.root / "src/a.py").write_bytes(b"A = 2\n")
        change = capture(workspace)
        assert change.changed == ("src/a.py",)
        assert sum("neither file nor link" in note for note in change.notes) == 5


def test_nested_repositories_are_plain_files(opened: Open) -> None:
    with opened() as workspace:
        root = workspace.root
        for name in ("src", "sub"):
            (root / name).mkdir(exist_ok=True)
            git(root / name, "init", "-q")
            (root / name / "new.py").write_text("N = 1\n")
        git(root / "sub", "add", ".")
        git(root / "sub", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "hide")
        (root / "work").mkdir()
        (root / "work/.git").write_text("gitdir: /somewhere\n")
        (root / "work/file").write_text("w")
        change = capture(workspace)
        assert change.changed == ("src/new.py", "sub/new.py", "work/file")
        assert sum("repository inside the repository" in note for note in change.notes) == 3


def test_links_are_never_followed(packed: Template, opened: Open, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("theirs")
    with opened() as workspace, opened() as fresh:
        root = workspace.root
        for each in (root / "src/a.py", root / "src/b.py"):
            each.unlink()
        (root / "src").rmdir()
        (root / "src").symlink_to(outside)
        (root / "up").symlink_to("../../..")
        (root / "inner").symlink_to("naïve 漢")
        change = capture(workspace)
        assert change.changed == ("inner", "src", "src/a.py", "src/b.py", "up")
        assert sum("link out of the workspace" in note for note in change.notes) == 2
        apply_change(packed, change, fresh.root)
        lay(pack([Leaf(path="src/a.py", data=b"held out"), Leaf(path="up/x/y", data=b"1")]), fresh.root)
        assert not (fresh.root / "src").is_symlink()
        assert (fresh.root / "src/a.py").read_bytes() == b"held out"
    assert (outside / "a.py").read_text() == "theirs"
    assert sorted(each.name for each in outside.iterdir()) == ["a.py"]
    assert not (tmp_path / "x").exists()


def test_huge_files_and_deep_folders_are_left_out_with_a_note(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "LARGEST_FILE", 1 << 20)
    monkeypatch.setattr(scan, "LARGEST_CHANGE", 5 << 20)
    with opened() as workspace:
        root = workspace.root
        for path in (root / "huge", root / "src/a.py"):
            path.unlink(missing_ok=True)
            with path.open("wb") as sparse:
                sparse.truncate(1 << 40)
        for n in range(6):
            (root / f"part{n}").write_bytes(bytes(1 << 20))
        here = Path.cwd()
        try:
            os.chdir(root)
            for _ in range(50):
                Path("n" * 100).mkdir()
                os.chdir("n" * 100)
        finally:
            os.chdir(here)
        change = capture(workspace)
        assert change.changed == tuple(f"part{n}" for n in range(5))
        assert sum("too many; left out" in note for note in change.notes) == 3
        assert sum("cannot be read" in note for note in change.notes) == 1


def test_compiled_python_is_not_taken(opened: Open) -> None:
    with opened() as workspace:
        (workspace.root / "src/__pycache__").mkdir()
        (workspace.root / "src/__pycache__/a.cpython-311.pyc").write_bytes(b"evil")
        (workspace.root / "b.pyc").write_bytes(b"evil")
        assert capture(workspace) == Change(patch=b"", changed=())


def test_a_file_dated_back_is_seen(opened: Open) -> None:
    with opened() as workspace:
        target = workspace.root / "src/a.py"
        before = target.stat()
        target.write_bytes(b"A = 9\n")
        os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert capture(workspace).changed == ("src/a.py",)


def test_a_providers_own_files_stay_out(opened: Open) -> None:
    with opened() as workspace:
        (workspace.root / "CLAUDE.md").write_text("from the provider")
        (workspace.root / "README.md").write_text("from the provider too")
        assert capture(workspace).changed == ("CLAUDE.md", "README.md")
        (workspace.root / "src/a.py").write_text("A = 2\n")
        change = capture(workspace, without=("CLAUDE.md", "README.md"))
        assert change.changed == ("src/a.py",)
        assert b"from the provider" not in change.patch


def test_a_tree_with_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IntegrityFault):
        template(pack([Leaf(path="sub/.git/config", data=b"")]), tmp_path)


def test_templates_are_made_once_and_never_written(packed: Template, opened: Open, tmp_path: Path) -> None:
    before = files(packed.tree)
    made = packed.tree.parent.stat().st_ino
    with opened() as workspace:
        edit(workspace.root)
        (workspace.root / ".git/HEAD").write_text("x")
        capture(workspace)
    assert files(packed.tree) == before
    assert template(pack(LEAVES), tmp_path / "cache").tree.parent.stat().st_ino == made
    assert (packed.tree / ".git/HEAD").read_text() == "ref: refs/heads/main\n"


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


def test_nothing_is_left_behind(opened: Open, tmp_path: Path) -> None:
    def fail() -> None:
        with opened() as workspace:
            (workspace.root / "locked").mkdir()
            (workspace.root / "locked/in").write_text("x")
            (workspace.root / "locked").chmod(0)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list((tmp_path / "scratch").iterdir()) == []
    assert str(tmp_path) not in mounts()


def test_what_a_killed_process_left_is_swept(packed: Template, tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from executor.workspace import *\n"
        f"t = Template(tree=Path({str(packed.tree)!r}), git_dir=Path({str(packed.git_dir)!r}), start={packed.start!r})\n"
        f"with open_workspace(t, Path({str(tmp_path / 'scratch')!r})) as w: (w.root / 'x').touch(); print('up', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as held:
        assert held.stdout is not None
        assert held.stdout.readline() == b"up\n"
        with own_folder(tmp_path / "scratch", "mine") as mine:
            assert sweep(tmp_path / "scratch") == 0
            held.send_signal(signal.SIGKILL)
            held.wait()
            assert sweep(tmp_path / "scratch") == 1
            assert mine.is_dir()
    assert str(tmp_path) not in mounts()
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.overlay
def test_an_overlay_folder_can_be_renamed(packed: Template, tmp_path: Path) -> None:
    with open_workspace(packed, tmp_path / "scratch") as workspace:
        require(workspace.copied)
        (workspace.root / "src").rename(workspace.root / "lib")
        assert capture(workspace).changed == ("lib/a.py", "lib/b.py", "src/a.py", "src/b.py")


NAMES = st.sampled_from(["a", "b", "src", "a/b", "a/b/c", "src/a", "src/b/c", ".x", "a b"])
TREES = st.dictionaries(
    NAMES, st.tuples(st.binary(max_size=12), st.sampled_from(["file", "executable", "link"])), max_size=6
)


def as_leaves(tree: dict[str, tuple[bytes, str]]) -> list[Leaf]:
    """Leaves of a drawn tree; a path that another one needs as a folder is left out, a link needs a target."""
    kept = [path for path in tree if not any(other.startswith(f"{path}/") for other in tree)]
    return [
        Leaf(path=path, data=(b"t" + tree[path][0].hex().encode()) if tree[path][1] == "link" else tree[path][0], kind=tree[path][1])  # type: ignore[arg-type]  # drawn from the literals
        for path in kept
    ]  # fmt: skip


@given(TREES, TREES)
@settings(max_examples=10)
def test_capture_and_apply_are_inverse(tmp_path_factory: pytest.TempPathFactory, old: dict, new: dict) -> None:  # type: ignore[type-arg]  # see TREES
    tmp = tmp_path_factory.mktemp("law")
    packed = template(pack(as_leaves(old)), tmp / "cache")
    with open_workspace(packed, tmp / "scratch") as before, open_workspace(packed, tmp / "scratch") as after:
        for each in look(before.root).files:
            (before.root / each).unlink()
        for each in sorted((p for p in before.root.rglob("*") if p.is_dir() and ".git" not in p.parts), reverse=True):
            each.rmdir()
        lay(pack(as_leaves(new)), before.root)
        apply_change(packed, capture(before), after.root)
        assert files(after.root) == files(before.root)


@pytest.fixture(autouse=True)
def no_mount_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    assert str(tmp_path) not in mounts()


SHUT = """
import os, sys
from pathlib import Path
from executor.scratch import own_folder
from executor.workspace import capture, open_workspace, template

given, base = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2])
with own_folder(base, "trial") as folder, open_workspace(template(given, base / "cache"), folder) as workspace:
    root = workspace.root
    (root / "src/a.py").write_text("A = 2\\n")
    (root / "new").mkdir()
    (root / "new/b.py").write_text("B = 2\\n")
    for path, mode in (("src/a.py", 0), ("run.sh", 0o100), ("new/b.py", 0o200), ("new", 0o400), ("src", 0), (".", 0)):
        (root / path).chmod(mode)
    change = capture(workspace)
print(change.changed, change.notes, sorted(each.name for each in base.iterdir()))
"""


def test_what_an_agent_shuts_is_opened_again(tmp_path: Path) -> None:
    """A user without privileges cannot read what has no read permission, not even their own; root can, and gives it up here."""
    given = tmp_path / "given"
    given.write_bytes(pack(LEAVES))
    (tmp_path / "base").mkdir()
    less = "-dac_override,-dac_read_search"
    as_user = ["setpriv", f"--bounding-set={less}", f"--inh-caps={less}"] if os.getuid() == 0 else []
    told = subprocess.run(
        [*as_user, sys.executable, "-c", SHUT, given, tmp_path / "base"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout == "('new/b.py', 'src/a.py') () ['cache']\n"
