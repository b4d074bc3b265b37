"""Puts a defect patch into a commit's tree by git's index alone: no checkout, and no attribute or hook has a say."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from executor.repository import contents, git, index_lines, make_bare, store
from executor.sources.git import EXECUTABLE, GITLINK, SYMLINK, Repository
from executor.trees import Leaf
from ledger.errors import WorldFault

_MODES = {"file": "100644", "executable": EXECUTABLE, "link": SYMLINK}
_HOW = ("-p", "-r", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv")


@dataclass(frozen=True, kw_only=True, slots=True)
class Injected:
    """A commit's tree as it was (``right``) and with the defect (``wrong``), the patch back, and the paths between them."""

    right: tuple[Leaf, ...]
    wrong: tuple[Leaf, ...]
    back: bytes
    changed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """Why a defect cannot be put in: a stable code, a sentence, and what it is about."""

    code: str
    what: str
    detail: str = ""


def inject(defect: bytes, repository: Repository, commit: str, scratch: Path) -> Injected | Refused:
    """Put a defect into a commit's tree; ``scratch`` is an empty folder for the index.

    Raises:
        WorldFault: git is missing, or the repository cannot be read.
    """
    entries = repository.tree(commit)
    modules = [entry.path for entry in entries if entry.mode == GITLINK]
    if modules:
        return Refused(
            code="submodule", what="its tree holds a submodule, whose files are elsewhere", detail=modules[0]
        )
    absent = repository.absent(entry.blob for entry in entries)
    lacking = [entry.path for entry in entries if entry.blob in absent]
    if lacking:
        return Refused(code="missing-blob", what="the repository lacks a file of its commit", detail=lacking[0])
    right = repository.leaves(entries)
    index = scratch / "git"
    make_bare(index)
    held = {leaf.path: (_MODES[leaf.kind], store(index, leaf.data)) for leaf in right}
    git(index, "update-index", "-z", "--index-info", stdin=index_lines(held))
    before = git(index, "write-tree").decode().strip()
    try:
        git(index, "apply", "--cached", "--whitespace=nowarn", "-", stdin=defect)
    except WorldFault as fault:
        if fault.reasons[0].code != "git":
            raise
        said = fault.reasons[0].got or ""
        return Refused(code="defect-does-not-apply", what="defect.patch does not fit its commit", detail=said)
    after = git(index, "write-tree").decode().strip()
    if before == after:
        return Refused(code="no-defect", what="defect.patch changes nothing")
    names = git(index, "diff-tree", "-r", "-z", "--name-only", "--no-renames", after, before)
    return Injected(
        right=right,
        wrong=tuple(_leaves(index, after)),
        back=git(index, "diff-tree", *_HOW, after, before),
        changed=tuple(sorted(name.decode("utf-8", "surrogateescape") for name in names.split(b"\0")[:-1])),
    )


def _leaves(index: Path, tree: str) -> Iterator[Leaf]:
    listed = git(index, "ls-tree", "-r", "-z", tree).split(b"\0")[:-1]
    heads = [line.split(b"\t", 1) for line in listed]
    said = [(*head.decode("ascii").split(" "), path.decode("utf-8", "surrogateescape")) for head, path in heads]
    for (mode, _, _, path), data in zip(said, contents(index, [each[2] for each in said]), strict=True):
        yield Leaf(
            path=path,
            data=data,
            kind="link" if mode == SYMLINK else "executable" if mode == EXECUTABLE else "file",
        )
