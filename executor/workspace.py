"""Starting trees as one-commit repositories: packed once, laid out for each trial in milliseconds, and the change taken back out.

The harness's own git directory lies outside the workspace and is bare: the agent's ``.git``, hooks, configuration and attributes are
consulted by no command.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from executor.ports import Workspace
from executor.repository import COMMIT, contents, git, index_lines, make_bare, run_git, store
from executor.scan import Stamp, bounded, compiled, content, git_mode, look, stamp
from executor.scratch import mount_overlay, own_folder, unmount
from executor.trees import clear, lay, leaves, remove
from ledger.canonical import digest
from ledger.errors import Fault, IntegrityFault, WorldFault

FORMAT = "1"
"""Changes whenever a template made before would not be made the same way."""
_MANIFEST = "manifest.json"
_UPPER = "upper"
_AGENTS = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"

_Manifest: TypeAlias = dict[str, tuple[str, str, Stamp]]
"""Path → git mode, object id and stamp, as the start was laid out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """A starting tree, packed: ``tree`` with its one-commit ``.git`` (never written to), and the harness's git directory."""

    tree: Path
    git_dir: Path
    start: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What became of a workspace: a git patch against the start, its paths, and notes on what was seen or left out."""

    patch: bytes
    changed: tuple[str, ...]
    notes: tuple[str, ...] = ()


def template(given: bytes, cache: Path) -> Template:
    """Give the template of a starting tree (a tar, see ``trees``), made once for each cache.

    Raises:
        IntegrityFault: The tar is none of ours, or holds a repository.
        WorldFault: git is missing or failed.
    """
    folder = cache / "templates" / f"{digest(given).removeprefix('sha256:')}-{FORMAT}"
    if not folder.is_dir():
        with own_folder(folder.parent, "new") as new:
            _pack(given, new / "whole")
            try:
                (new / "whole").rename(folder)
            except OSError:
                if not folder.is_dir():  # else another process made the same one meanwhile
                    raise
    start = (folder / "git/refs/heads/main").read_text("ascii").strip()
    return Template(tree=folder / "tree", git_dir=folder / "git", start=start)


def _pack(given: bytes, folder: Path) -> None:
    if any(".git" in PurePosixPath(leaf.path).parts for leaf in leaves(given)):
        raise IntegrityFault(Fault(code="tree", what="a starting tree holds a repository", hint="harvest again"))
    tree, git_dir = folder / "tree", folder / "git"
    tree.mkdir(parents=True)
    lay(given, tree)
    make_bare(git_dir)
    # Every file counts here, compiled ones too: what is given is given.
    paths = [leaf.path for leaf in leaves(given)]
    manifest = _read_in(git_dir, tree, paths)
    git(git_dir, "update-index", "-z", "--index-info", stdin=index_lines({p: e[:2] for p, e in manifest.items()}))
    written = git(git_dir, "write-tree").decode().strip()
    start = git(git_dir, "commit-tree", "-m", "Start", written, env=COMMIT).decode().strip()
    git(git_dir, "update-ref", "refs/heads/main", start)
    git(git_dir, "repack", "-a", "-d", "-q")
    git(git_dir, "prune-packed", "-q")
    (git_dir / _MANIFEST).write_text(json.dumps(manifest))
    _give_repository(git_dir, tree)


def _give_repository(git_dir: Path, tree: Path) -> None:
    """Give the tree a plain repository with the same commit: no remote, no hook, no other object."""
    own = tree / ".git"
    shutil.copytree(git_dir, own, ignore=shutil.ignore_patterns(_MANIFEST, "index"))
    (own / "config").write_text(_AGENTS)
    here = ["--git-dir", str(own), "--work-tree", str(tree)]
    run_git([*here, "read-tree", "HEAD"])
    run_git(
        [*here, "status", "--porcelain"]
    )  # fills in what the index knows of the files, so that the agent's git is quick


@contextmanager
def open_workspace(template: Template, scratch: Path) -> Iterator[Workspace]:
    """Lay a template out for one trial: an overlay where the kernel allows, else a copy (``copied`` says why).

    Nothing is left afterwards; after kill -9 a later ``scratch.sweep`` removes the rest.
    """
    with own_folder(scratch, "workspace") as folder:
        git_dir, root = folder / "git", folder / "tree"
        make_bare(git_dir, borrow=template.git_dir)
        for name in (_UPPER, "work", "tree"):
            (folder / name).mkdir()
        reason = mount_overlay(template.tree, folder / _UPPER, folder / "work", root)
        if reason is None:
            shutil.copyfile(template.git_dir / _MANIFEST, git_dir / _MANIFEST)
        else:
            _copy(template, root, git_dir)
        try:
            yield Workspace(root=root, git_dir=git_dir, start=template.start, copied=reason)
        finally:
            if reason is None:
                unmount(root)


def _copy(template: Template, root: Path, git_dir: Path) -> None:
    shutil.copytree(template.tree, root, symlinks=True, dirs_exist_ok=True)
    manifest = _manifest(template.git_dir)
    here = {path: (mode, oid, stamp((root / path).lstat())) for path, (mode, oid, _) in manifest.items()}
    (git_dir / _MANIFEST).write_text(json.dumps(here))


def capture(workspace: Workspace, *, without: Iterable[str] = ()) -> Change:
    """Take out what became of a workspace since its start. Paths ``without`` stay as they were (a provider's own files).

    ``.gitignore`` hides nothing. Links are taken as links. Files of a nested repository are plain files. Left out, with a note: what is
    neither file nor link, and what is too large. Left out without one: compiled Python, which must never stand in for a source.

    Raises:
        WorldFault: git failed.
    """
    git_dir, root = workspace.git_dir, workspace.root
    if workspace.copied is None and not any((git_dir.parent / _UPPER).iterdir()):
        return Change(patch=b"", changed=())  # the overlay's own folder holds all that was ever written
    start = _manifest(git_dir)
    seen, kept = look(root), frozenset(without)
    touched = {
        path: about
        for path, about in seen.files.items()
        if path not in kept and (path not in start or about != start[path][2])
    }
    now = _read_in(git_dir, root, bounded(touched, seen.notes))
    new = {path: entry[:2] for path, entry in now.items() if path not in start or start[path][:2] != entry[:2]}
    gone = {path for path in start if path not in seen.files and path not in kept and not compiled(path)}
    notes = tuple(seen.notes)
    if not new and not gone:
        return Change(patch=b"", changed=(), notes=notes)
    # Into an index of its own, so that taking a change out twice gives the same change twice.
    shutil.copyfile(git_dir / "index", git_dir / "index.now")
    own = {"GIT_INDEX_FILE": str(git_dir / "index.now")}
    git(git_dir, "update-index", "-z", "--index-info", stdin=index_lines(new, gone), env=own)
    how = ("--cached", "-p", "--binary", "--full-index", "--no-renames")
    patch = git(git_dir, "diff-index", *how, workspace.start, env=own)
    return Change(patch=patch, changed=tuple(sorted({*new, *gone})), notes=notes)


def _manifest(git_dir: Path) -> _Manifest:
    read = json.loads((git_dir / _MANIFEST).read_bytes())
    return {path: (mode, oid, tuple(about)) for path, (mode, oid, about) in read.items()}


def _read_in(git_dir: Path, root: Path, paths: Iterable[str]) -> _Manifest:
    found: _Manifest = {}
    for path in paths:
        about = stamp((root / path).lstat())
        found[path] = (git_mode(about[0]), store(git_dir, content(root / path, about[0])), about)
    return found


def apply_change(template: Template, change: Change, into: Path) -> None:
    """Apply a change to a fresh tree of the same start. Nothing outside ``into`` is written, whatever links the change makes.

    The patch is applied to an index and the files are written from there: no attribute of the tree can convert them.

    Raises:
        IntegrityFault: The patch does not fit the start (``change``).
    """
    if not change.patch:
        return
    with tempfile.TemporaryDirectory(dir=into.parent) as folder:
        git_dir = Path(folder, "git")
        make_bare(git_dir, borrow=template.git_dir)
        try:
            git(git_dir, "apply", "--cached", "--whitespace=nowarn", "-", stdin=change.patch)
        except WorldFault as fault:
            got = fault.reasons[0].got
            raise IntegrityFault(Fault(code="change", what="a change does not fit its start", got=got)) from fault
        raw = git(git_dir, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", template.start)
        _write_out(git_dir, raw, into)


def _write_out(git_dir: Path, raw: bytes, into: Path) -> None:
    """Write the files that differ, as ``diff-index --raw -z`` lists them: deletions first, they make room."""
    pieces = raw.split(b"\0")[:-1]
    written: list[tuple[str, str, str]] = []
    for about, name in zip(pieces[::2], pieces[1::2], strict=True):
        _, mode, _, oid, status = about.decode().split(" ")
        if status == "D":
            _delete(into, os.fsdecode(name))
        else:
            written.append((os.fsdecode(name), mode, oid))
    for (path, mode, _), data in zip(written, contents(git_dir, [each[2] for each in written]), strict=True):
        target = clear(into, path)
        if mode == "120000":
            target.symlink_to(os.fsdecode(data))
        else:
            target.write_bytes(data)
            target.chmod(0o755 if mode == "100755" else 0o644)


def _delete(root: Path, path: str) -> None:
    """Remove a file and the folders that this empties, as git does."""
    remove(root, path)
    for above in list(PurePosixPath(path).parents)[:-1]:
        try:
            (root / above).rmdir()
        except OSError:
            return
