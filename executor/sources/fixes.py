"""What a fix of a history becomes: which trees cannot be rebuilt, what its tests are, and the files before and after it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from compiler.task import Reason, TestPlan
from executor.protection import INFRASTRUCTURE, matches
from executor.sources.git import GITLINK, SYMLINK, Change, Entry, Repository
from executor.sources.history_settings import HistorySettings
from executor.trees import Leaf


@dataclass(frozen=True, kw_only=True, slots=True)
class FixTrees:
    """The trees on both sides of a fix: ``here`` are the files of the start that the repository has, ``lacking`` what it has not.

    ``source`` are the changes of the fix that are no tests; ``stubs`` stand in for submodules.
    """

    changed: tuple[Change, ...]
    here: tuple[Entry, ...]
    after: tuple[Entry, ...]
    lacking: frozenset[str]
    source: tuple[Change, ...]
    stubs: tuple[Leaf, ...]


def trees_of(settings: HistorySettings, repository: Repository, parent: str, fix: str) -> FixTrees | Reason:
    """Read the trees of a fix and of its parent, or say why they make no task."""
    changed = repository.changes([fix]).get(fix, ())
    before, after = repository.tree(parent), repository.tree(fix)
    absent = repository.absent(entry.blob for entry in (*before, *after) if entry.mode != GITLINK)
    lacking = {entry.path for entry in (*before, *after) if entry.blob in absent}
    reason = _unfit(settings, changed, (*before, *after), lacking)
    if reason is not None:
        return reason
    there = {entry.path for entry in (*before, *after)}
    return FixTrees(
        changed=changed,
        here=tuple(entry for entry in before if entry.mode != GITLINK and entry.path not in lacking),
        after=tuple(after),
        lacking=frozenset(lacking),
        source=tuple(each for each in changed if not settings.is_test(each.path)),
        stubs=tuple(Leaf(path=path, data=text.encode()) for path, text in settings.stubs.items() if path not in there),
    )


def _unfit(
    settings: HistorySettings, changed: Sequence[Change], entries: Sequence[Entry], lacking: set[str]
) -> Reason | None:
    """Say why a commit's trees cannot be rebuilt, or hold nothing to test."""
    modules = sorted({entry.path for entry in entries if entry.mode == GITLINK})
    unstubbed = [path for path in modules if not any(stub.startswith(f"{path}/") for stub in settings.stubs)]
    if unstubbed:
        return Reason(
            code="submodule", what="its tree holds a submodule, whose files are elsewhere", detail=unstubbed[0]
        )
    links = [entry.path for entry in entries if entry.mode == SYMLINK and entry.path in lacking]
    gold = [each.path for each in changed if not settings.is_test(each.path)]
    code = {Path(pattern).suffix for pattern in settings.test_files}
    needed = [
        path
        for path in sorted(lacking)
        if settings.drop_any_missing
        or path in links
        or path in {each.path for each in changed}
        or settings.is_test(path)
        or matches(path, INFRASTRUCTURE)
        or Path(path).suffix in code
    ]
    if needed:
        return Reason(code="missing-blob", what="the repository lacks a file that the task needs", detail=needed[0])
    if not gold:
        return Reason(code="no-source", what="it changes nothing but tests")
    if not run_files(settings, changed):
        return Reason(code="no-test-files", what="it leaves no changed test file to run")
    return None


def plan_of_tests(
    settings: HistorySettings, changed: Sequence[Change], after: Sequence[Entry], lacking: frozenset[str]
) -> TestPlan:
    """Say which files are run and which are restored: the fix's tests, and all test infrastructure as the fix left it."""
    touched = {each.path for each in changed if settings.is_test(each.path)}
    restore = {entry.path for entry in after if entry.path in touched or matches(entry.path, INFRASTRUCTURE)}
    gone = {each.path for each in changed if each.status == "D"}
    return TestPlan(
        run=settings.run,
        report=settings.report,
        files=settings.suite or run_files(settings, changed),
        fail_to_pass=(),
        pass_to_pass=(),
        restore=tuple(sorted(restore - lacking)),
        delete=tuple(sorted(path for path in gone if settings.is_test(path) or matches(path, INFRASTRUCTURE))),
        protect=(*settings.test_globs, *INFRASTRUCTURE),
        env=settings.env,
        timeout_s=settings.timeout_s,
        each_timeout_s=settings.each_timeout_s,
    )


def run_files(settings: HistorySettings, changed: Sequence[Change]) -> tuple[str, ...]:
    """Give the changed test files to run."""
    left = (each.path for each in changed if each.status != "D" and each.new_mode not in (SYMLINK, GITLINK))
    return tuple(sorted(path for path in left if is_run(settings, path)))


def is_run(settings: HistorySettings, path: str) -> bool:
    """Say whether a path is a file of tests to run: no infrastructure and, for Python's runners, no data."""
    return (
        matches(path, settings.test_files)
        and not matches(path, INFRASTRUCTURE)
        and (settings.report == "junit" or path.endswith(".py"))
    )


def versions(repository: Repository, changed: Sequence[Change]) -> Iterator[tuple[str, bytes | None, bytes | None]]:
    """Give each changed path with its bytes before and after, as far as there are any."""
    content = repository.blobs(name for each in changed for name in (each.old, each.new) if name.strip("0"))
    for each in changed:
        yield each.path, content.get(each.old), content.get(each.new)


def utc(moment: str) -> str:
    """Give a time of a commit in UTC."""
    return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_text(path: str) -> bool:
    """Whether a path can be written as JSON (git paths are bytes; those that are not UTF-8 hold surrogates)."""
    return not any("\ud800" <= sign <= "\udfff" for sign in path)
