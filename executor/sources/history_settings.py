"""What an author says about a git history: which repository and commit, what counts as a test, and which commits are walked."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from executor.protection import matches
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_ROOTS = ("tests", "test")
_TEST_FILES = ("tests/**/test_*.py", "tests/**/*_test.py", "test/**/test_*.py", "test/**/*_test.py")
_TIMEOUT_S = 600
_EACH_TIMEOUT_S = 60
_SECONDS = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True, kw_only=True, slots=True)
class HistorySettings:
    """The options of ``kind: git-history``, read.

    ``roots`` are folders that hold nothing but tests; ``test_files`` globs of the files that are run. ``stubs`` are files
    (path → text) that a build would generate and no commit holds. ``suite`` are paths to run instead of the changed test files.
    """

    repository: str
    at: str
    run: tuple[str, ...]
    report: str
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_s: int = _TIMEOUT_S
    each_timeout_s: int = _EACH_TIMEOUT_S
    roots: tuple[str, ...] = _ROOTS
    test_files: tuple[str, ...] = _TEST_FILES
    suite: tuple[str, ...] = ()
    stubs: Mapping[str, str] = field(default_factory=dict)
    refs: tuple[str, ...] = ()
    skip_merges: bool = True
    drop_duplicates: bool = True
    drop_any_missing: bool = False

    @property
    def test_globs(self) -> tuple[str, ...]:
        """Globs of everything that belongs to the tests."""
        return (*(f"{root}/**" for root in self.roots), *self.test_files)

    def is_test(self, path: str) -> bool:
        """Say whether a path belongs to the tests rather than to the program."""
        return matches(path, self.test_globs)


def read_settings(options: Mapping[str, Plain]) -> HistorySettings:
    """Read options whose shape the catalogue has checked.

    ``repository``, ``at``; ``tests {run, report, env, timeout, each_timeout, roots, suite, stubs}``; ``test_files``;
    ``walk {refs: at | [full ids], merges: skip | first-parent, duplicates: first | keep, missing_blobs: drop | drop-any}``.
    ``missing_blobs: drop`` drops a candidate whose source, tests or test infrastructure lack a blob; ``drop-any`` one that
    lacks any blob at all.

    Raises:
        WorldFault: A duration or an option cannot be read (code ``options``).
    """
    tests, walk = _map(options, "tests"), _map(options, "walk")
    run = tests.get("run", ["python", "-m", "pytest"])
    refs = walk.get("refs", "at")
    return HistorySettings(
        repository=str(options["repository"]),
        at=str(options["at"]),
        run=tuple(shlex.split(run)) if isinstance(run, str) else _texts(run),
        report=str(tests.get("report", "pytest-plugin")),
        env={name: str(value) for name, value in _map(tests, "env").items()},
        timeout_s=_seconds(tests.get("timeout", _TIMEOUT_S)),
        each_timeout_s=_seconds(tests.get("each_timeout", _EACH_TIMEOUT_S)),
        roots=tuple(root.strip("/") for root in _texts(tests.get("roots", _ROOTS))),
        test_files=_texts(options.get("test_files", _TEST_FILES)),
        suite=_texts(tests.get("suite", ())),
        stubs={path: str(text) for path, text in _map(tests, "stubs").items()},
        refs=() if refs == "at" else _texts(refs),
        skip_merges=_one_of(walk, "merges", "skip", "first-parent") == "skip",
        drop_duplicates=_one_of(walk, "duplicates", "first", "keep") == "first",
        drop_any_missing=_one_of(walk, "missing_blobs", "drop", "drop-any") == "drop-any",
    )


def _map(options: Mapping[str, Plain], key: str) -> Mapping[str, Plain]:
    value = options.get(key)
    return value if isinstance(value, Mapping) else {}


def _texts(value: Plain) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _fault(f"{value!r} is not a list")
    return tuple(str(each) for each in value)


def _one_of(options: Mapping[str, Plain], key: str, usual: str, other: str) -> str:
    value = options.get(key, usual)
    if value not in (usual, other):
        raise _fault(f"`{key}: {value}` is not known", expected=f"{usual} or {other}")
    return str(value)


def _seconds(value: Plain) -> int:
    read = re.fullmatch(r"([0-9]+) ?(s|min|h|)", str(value))
    if read is None or not int(read[1]):
        raise _fault(f"{value!r} is no duration", expected="whole seconds, minutes or hours, as in 60 s")
    return int(read[1]) * _SECONDS[read[2] or "s"]


def _fault(what: str, *, expected: str | None = None) -> WorldFault:
    return WorldFault(Fault(code="options", what=f"the source's options: {what}", expected=expected, where="source"))
