"""Reads a git repository by plumbing alone: no checkout, filter, hook, network or configuration of the machine has a say."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from executor.repository import run_git
from executor.trees import Leaf
from ledger.errors import Fault, WorldFault

GITLINK = "160000"
SYMLINK = "120000"
EXECUTABLE = "100755"

# A clone of somebody else's is read all the same; what a commit says of paths is taken to the letter; nothing is fetched.
_SETTINGS = ("-c", "safe.directory=*", "-c", "core.quotePath=false", "-c", "core.attributesFile=/dev/null")
_ENV = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
}
_FULL_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_FIELDS = ("%ct", "%H", "%P", "%cI", "%aI", "%an", "%s", "%b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """A commit's own words. Times are RFC 3339 with the zone they were written in."""

    hash: str
    parents: tuple[str, ...]
    committed: str
    authored: str
    author: str
    subject: str
    body: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One path that a commit changes against its first parent; a rename is a deletion and an addition."""

    path: str
    status: str
    old_mode: str
    new_mode: str
    old: str
    new: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One file, link or submodule of a commit's tree."""

    path: str
    mode: str
    blob: str


class Repository:
    """A repository on this machine, bare or with a work tree, read at given commits."""

    def __init__(self, folder: Path, *, name: str) -> None:
        self.folder = folder
        self.name = name

    def verify(self, commits: Iterable[str]) -> None:
        """Refuse what cannot be read the same way by the next person.

        Raises:
            WorldFault: It is no repository, is shallow or grafted, has uncommitted changes (only a repository with a work
                tree can), or lacks a commit; a commit is not written as its full id.
        """
        if not self.folder.is_dir():
            raise self._fault(
                "no-repository", "there is no such folder", hint="`repository` is relative to the spec's folder"
            )
        if self._try("rev-parse", "--git-dir") is None:
            raise self._fault(
                "no-repository", "it is not a git repository", hint="name a clone, bare or with a work tree"
            )
        if self._git("rev-parse", "--is-shallow-repository").strip() == b"true":
            raise self._fault(
                "shallow", "it is a shallow clone: older history is cut off", hint="`git fetch --unshallow`"
            )
        grafts = self._git("rev-parse", "--git-path", "info/grafts").strip()
        if (self.folder / os.fsdecode(grafts)).exists():
            raise self._fault("grafted", "info/grafts rewrites its history", hint="remove the grafts or clone anew")
        if self._git("rev-parse", "--is-bare-repository").strip() == b"false":
            dirty = self._git("status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all")
            if dirty:
                first = dirty.split(b"\0", 1)[0][3:].decode("utf-8", "backslashreplace")
                raise self._fault(
                    "dirty",
                    f"its work tree has uncommitted changes ({first}); harvest reads commits, so they would not count",
                    hint="commit or stash them, or name a bare clone, which has no work tree",
                )
        for commit in commits:
            if _FULL_ID.fullmatch(commit) is None:
                raise self._fault(
                    "commit", f"{commit!r} is not a full commit id", hint="`git rev-parse HEAD` prints it"
                )
            if self._try("cat-file", "-e", f"{commit}^{{commit}}") is None:
                raise self._fault("commit", f"it has no commit {commit}", hint="fetch it, or correct `at`")

    def commits(self, heads: Sequence[str]) -> tuple[Commit, ...]:
        """List all commits reachable from the heads, oldest first by (committed, id): an order that no clone changes."""
        form = "%x00".join(_FIELDS)
        out = self._git("log", "-z", "--no-show-signature", f"--format=tformat:{form}", *heads)
        fields = out.decode("utf-8", "backslashreplace").split("\0")[:-1]
        found = []
        for at in range(0, len(fields), len(_FIELDS)):
            epoch, name, parents, committed, authored, author, subject, body = fields[at : at + len(_FIELDS)]
            commit = Commit(
                hash=name,
                parents=tuple(parents.split()),
                committed=committed,
                authored=authored,
                author=author,
                subject=subject,
                body=body.strip("\n"),
            )
            found.append((int(epoch), name, commit))
        return tuple(commit for _, _, commit in sorted(found, key=lambda each: each[:2]))

    def changes(self, commits: Iterable[str]) -> Mapping[str, tuple[Change, ...]]:
        """Give what each commit changes against its first parent, or against nothing; renames are not guessed."""
        asked = "".join(f"{commit}\n" for commit in commits).encode()
        options = (
            "--stdin",
            "-z",
            "--raw",
            "-r",
            "--root",
            "--no-renames",
            "--no-abbrev",
            "--diff-merges=first-parent",
        )
        words = iter(self._git("diff-tree", *options, stdin=asked).split(b"\0")[:-1])
        found: dict[str, list[Change]] = {}
        here: list[Change] = []
        for word in words:
            if not word.startswith(b":"):
                here = found.setdefault(word.decode("ascii"), [])
                continue
            old_mode, new_mode, old, new, status = word[1:].decode("ascii").split(" ")
            path = next(words).decode("utf-8", "surrogateescape")
            here.append(Change(path=path, status=status[0], old_mode=old_mode, new_mode=new_mode, old=old, new=new))
        return {commit: tuple(changes) for commit, changes in found.items()}

    def absent(self, blobs: Iterable[str]) -> frozenset[str]:
        """Give those blobs that the history names and the repository does not hold (a filtered clone)."""
        asked = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs)).encode()
        out = self._git("cat-file", "--batch-check=%(objectname)", stdin=asked)
        return frozenset(line.split(b" ")[0].decode("ascii") for line in out.splitlines() if line.endswith(b" missing"))

    def patch_ids(self, commits: Iterable[str]) -> Mapping[str, str]:
        """Give each commit's stable patch id: equal for copies of a change, wherever they were applied.

        The commits must not touch missing blobs; merges and empty commits have none.
        """
        asked = "".join(f"{commit}\n" for commit in commits).encode()
        patches = self._git("diff-tree", "--stdin", "-p", "--root", "--no-renames", stdin=asked)
        pairs = (line.split() for line in self._git("patch-id", "--stable", stdin=patches).splitlines())
        return {commit.decode("ascii"): patch.decode("ascii") for patch, commit in pairs}

    def tree(self, commit: str) -> tuple[Entry, ...]:
        """List a commit's whole tree."""
        entries = []
        for line in self._git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
            head, path = line.split(b"\t", 1)
            mode, _, blob = head.decode("ascii").split(" ")
            entries.append(Entry(path=path.decode("utf-8", "surrogateescape"), mode=mode, blob=blob))
        return tuple(entries)

    def blobs(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """Read blobs. Raises WorldFault when one is not there."""
        asked = list(dict.fromkeys(names))
        out = self._git("cat-file", "--batch", stdin="".join(f"{name}\n" for name in asked).encode())
        found, at = {}, 0
        for name in asked:
            end = out.index(b"\n", at)
            words = out[at:end].split(b" ")
            if words[-1] == b"missing":
                raise self._fault("missing-blob", f"it does not hold blob {name}", hint="fetch without a filter")
            size = int(words[2])
            found[name] = out[end + 1 : end + 1 + size]
            at = end + size + 2
        return found

    def leaves(self, entries: Iterable[Entry]) -> tuple[Leaf, ...]:
        """Read entries as the leaves of a tree: the blobs' own bytes, so that no attribute (export-subst, eol) changes them."""
        wanted = tuple(entries)
        content = self.blobs(entry.blob for entry in wanted)
        return tuple(
            Leaf(
                path=entry.path,
                data=content[entry.blob],
                kind="link" if entry.mode == SYMLINK else "executable" if entry.mode == EXECUTABLE else "file",
            )
            for entry in wanted
        )

    def patch(self, before: str, after: str, paths: Sequence[str]) -> bytes:
        """Give the change of some paths between two commits as a patch that applies binary files too."""
        if not paths:
            return b""
        options = ("-p", "-r", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv")
        return self._git("diff-tree", *options, before, after, "--", *paths)

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        try:
            return run_git(["-C", str(self.folder), *_SETTINGS, *arguments], stdin=stdin, env=_ENV)
        except WorldFault as fault:
            said = fault.reasons[0].got
            if fault.reasons[0].code != "git":
                raise
            what = f"`git {arguments[0]}` failed: {said}"
            raise self._fault("git", what, hint="`git fsck` tells whether it is damaged") from fault

    def _try(self, *arguments: str) -> bytes | None:
        try:
            return self._git(*arguments)
        except WorldFault as fault:
            if fault.reasons[0].code != "git":
                raise
            return None

    def _fault(self, code: str, what: str, *, hint: str) -> WorldFault:
        return WorldFault(Fault(code=code, what=f"{self.name}: {what}", where=self.name, hint=hint))
