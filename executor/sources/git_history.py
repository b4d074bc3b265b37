"""Finds tasks in a git history: every commit is a candidate or has a reason, and a fix becomes start, held-out tests and reference."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from compiler.task import Reason
from executor.ports import Built, Found
from executor.sources.fixes import is_text, plan_of_tests, trees_of, utc, versions
from executor.sources.git import Change, Commit, Repository
from executor.sources.history_settings import HistorySettings, read_settings
from executor.sources.symbols import introduced
from executor.trees import pack
from ledger.plain import Plain

_ID_LENGTH = 12


class GitHistory:
    """Commits of a repository, read by plumbing at commits that are named in full."""

    kind: ClassVar[str] = "git-history"

    def origin(self, options: Mapping[str, Plain], base: Path) -> str:
        """Give ``name@commit``. Raises WorldFault when the repository cannot be read the same way by the next person."""
        settings, repository = _open(options, base)
        return f"{repository.name}@{settings.at}"

    def find(self, options: Mapping[str, Plain], base: Path) -> Iterator[Found]:
        """List every commit: those reachable from ``at`` first, then those only reachable from other refs; each oldest first.

        Raises:
            WorldFault: The repository cannot be read.
        """
        settings, repository = _open(options, base)
        walked = repository.commits([settings.at])
        known = {commit.hash for commit in walked}
        further = repository.commits([settings.at, *settings.refs]) if settings.refs else ()
        commits = (*walked, *(commit for commit in further if commit.hash not in known))
        changes = repository.changes(commit.hash for commit in commits)
        copies = _copies(repository, commits, changes) if settings.drop_duplicates else {}
        length = _unique_length([commit.hash for commit in commits])
        for commit in commits:
            changed = changes.get(commit.hash, ())
            storable = [each for each in changed if is_text(each.path)]
            yield Found(
                id=commit.hash[:length],
                facts=_facts(commit, storable),
                gold_files=tuple(each.path for each in storable if not settings.is_test(each.path)),
                dropped=_drop(commit, changed, settings, copies),
            )

    def build(self, options: Mapping[str, Plain], base: Path, found: Found) -> Built | Reason:
        """Give the parent's tree, the fix's tests and test infrastructure, and the rest of the fix as a patch."""
        settings, repository = _open(options, base, verify=False)
        fix, parent = str(found.facts["hash"]), str(found.facts["parent"])
        trees = trees_of(settings, repository, parent, fix)
        if isinstance(trees, Reason):
            return trees
        tests = plan_of_tests(settings, trees.changed, trees.after, trees.lacking)
        held_out = [entry for entry in trees.after if entry.path in tests.restore]
        return Built(
            given=pack((*repository.leaves(trees.here), *trees.stubs)),
            held_out=pack(repository.leaves(held_out)),
            reference=repository.patch(parent, fix, [each.path for each in trees.source]),
            tests=tests,
            gold_symbols=introduced(versions(repository, trees.source)),
            facts={"missing_blobs": sorted(trees.lacking)},
        )


def _open(options: Mapping[str, Plain], base: Path, *, verify: bool = True) -> tuple[HistorySettings, Repository]:
    settings = read_settings(options)
    folder = (base / settings.repository).resolve()
    repository = Repository(folder, name=folder.name.removesuffix(".git") or "repository")
    if verify:
        repository.verify((settings.at, *settings.refs))
    return settings, repository


# --- finding ---


def _facts(commit: Commit, changed: Sequence[Change]) -> dict[str, Plain]:
    return {
        "hash": commit.hash,
        "parent": commit.parents[0] if commit.parents else None,
        "subject": commit.subject,
        "body": commit.body,
        "author": commit.author,
        "committed": utc(commit.committed),
        "authored": utc(commit.authored),
        "merge": len(commit.parents) > 1,
        "changed": [{"path": each.path, "status": each.status} for each in changed],
    }


def _drop(
    commit: Commit, changed: Sequence[Change], settings: HistorySettings, copies: Mapping[str, str]
) -> Reason | None:
    """Say what keeps a commit from ever being a task, whatever the conditions are."""
    if not commit.parents:
        return Reason(code="no-parent", what="it is the first commit: there is nothing to start from")
    if len(commit.parents) > 1 and settings.skip_merges:
        return Reason(code="merge", what="it is a merge", detail="`merges: first-parent` counts it as one change")
    strange = [each.path for each in changed if not is_text(each.path)]
    if strange:
        return Reason(code="path-encoding", what="a changed path is not UTF-8", detail=ascii(strange[0]))
    if commit.hash in copies:
        return Reason(code="duplicate", what="the same change is an earlier candidate", detail=copies[commit.hash])
    return None


def _copies(
    repository: Repository, commits: Sequence[Commit], changes: Mapping[str, tuple[Change, ...]]
) -> Mapping[str, str]:
    """Give, for each commit whose patch an earlier one in the list already has, that earlier one."""
    every = [each for changed in changes.values() for each in changed]
    absent = repository.absent(name for each in every for name in (each.old, each.new) if name.strip("0"))
    single = [
        commit.hash
        for commit in commits
        if len(commit.parents) == 1
        and not any(each.old in absent or each.new in absent for each in changes.get(commit.hash, ()))
    ]
    patches = repository.patch_ids(single)
    first: dict[str, str] = {}
    return {
        name: first[patches[name]]
        for name in single
        if name in patches and first.setdefault(patches[name], name) != name
    }


def _unique_length(hashes: Iterable[str]) -> int:
    """Give how many digits of a commit id are needed: 12, or more where two commits would share them."""
    names = set(hashes)
    length = _ID_LENGTH
    while len({name[:length] for name in names}) < len(names):
        length += 1
    return length
