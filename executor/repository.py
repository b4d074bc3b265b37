"""The harness's own git: bare directories that look at no work tree, no configuration and no attribute but their own."""

import hashlib
import os
import shutil
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ledger.errors import Fault, WorldFault

COMMIT = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Developer"), ("EMAIL", "developer@example.invalid"), ("DATE", "946684800 +0000"))
}
"""Author and date of every starting commit, so that it has the same id on every machine."""
_NEUTRAL = {
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
# Names that only other file systems take for .git are plain names here.
_SETTINGS = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tprotectNTFS = false\n\tprotectHFS = false\n"


def make_bare(git_dir: Path, borrow: Path | None = None) -> None:
    """Make a bare repository, by hand because that takes no process; ``borrow`` lends its objects, index and branch."""
    (git_dir / "objects/info").mkdir(parents=True)
    (git_dir / "refs/heads").mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    (git_dir / "config").write_text(_SETTINGS)
    if borrow is not None:
        (git_dir / "objects/info/alternates").write_text(f"{borrow / 'objects'}\n")
        shutil.copyfile(borrow / "index", git_dir / "index")


def git(git_dir: Path, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """Run a plumbing command on such a repository and give its output.

    Raises:
        WorldFault: git is missing (``git-missing``) or refused (``git``).
    """
    return run_git(["--git-dir", str(git_dir), *arguments], stdin=stdin, env=env)


def run_git(arguments: Iterable[str], *, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """Run git with neutral settings. Raises WorldFault (``git-missing``, ``git``)."""
    command = ["git", *arguments]
    whole = _NEUTRAL | {"PATH": os.environ.get("PATH", os.defpath)} | dict(env or {})
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, env=whole, check=True)
    except FileNotFoundError as problem:
        raise WorldFault(Fault(code="git-missing", what="git is not installed", hint="install git")) from problem
    except subprocess.CalledProcessError as problem:
        said = problem.stderr.decode(errors="replace").strip()[-500:]
        raise WorldFault(Fault(code="git", what=f"git {arguments_shown(command)} failed", got=said)) from problem
    return done.stdout


def arguments_shown(command: list[str]) -> str:
    """Give the subcommand that a git command line runs, without machine paths."""
    return next((each for each in command[1:] if not each.startswith(("-", "/"))), "command")


def store(git_dir: Path, content: bytes) -> str:
    """Write content as a loose object and give its id. In this process: one git for each of many files would cost more."""
    whole = b"blob %d\0" % len(content) + content
    oid = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    target = git_dir / "objects" / oid[:2] / oid[2:]
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(zlib.compress(whole, 1))
    return oid


def contents(git_dir: Path, oids: list[str]) -> Iterator[bytes]:
    """Give the content of objects, in order."""
    answer = git(git_dir, "cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode())
    at = 0
    for _ in oids:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].rsplit(b" ", 1)[1])
        yield answer[end + 1 : end + 1 + size]
        at = end + size + 2


def index_lines(entries: Mapping[str, tuple[str, str]], gone: Iterable[str] = ()) -> bytes:
    """Write (mode, id) of paths, and paths that are gone, as ``update-index -z --index-info`` reads them."""
    lines = [f"0 {'0' * 40}\t{path}\0" for path in sorted(gone)]
    lines += [f"{mode} {oid}\t{path}\0" for path, (mode, oid) in sorted(entries.items())]
    return "".join(lines).encode("utf-8", "surrogateescape")
