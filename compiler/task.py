"""Task nouns: what a source found, what its gate proved, and the digests of what is given and what is held out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ledger.plain import Plain

Status = Literal["kept", "dropped"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """Why a candidate was dropped: a stable code (``condition``, ``no-f2p``, ``flaky``, …), the condition or step, and a sentence."""

    code: str
    what: str
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """Blobs of one task, as digests. ``given`` is all that the agent may see; the rest never enters its workspace.

    ``given``: tar of the starting tree. ``held_out``: tar of the files laid over a result before grading.
    ``tests``: JSON of test ids and files (see TestPlan). ``reference``: the reference change as a git patch. ``answer``:
    the reference answer, where a task asks for one. ``prompt``: of a private set, whose texts stand in no pool.
    """

    given: str
    held_out: str
    tests: str | None = None
    reference: str | None = None
    answer: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TestPlan:
    """What the ``tests`` grader needs, stored as a blob: run which files, expect which ids, restore and delete which paths.

    Ids are whole test ids as the reporter gives them. ``restore`` are the paths in ``held_out`` (test infrastructure
    included); ``delete`` are paths that the fix removed.
    """

    __test__ = False

    run: tuple[str, ...]
    report: str
    files: tuple[str, ...]
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    restore: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    """Globs of paths that a change cannot reach in a graded tree (test folders, test infrastructure): put back before tests run."""
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_s: int = 600
    each_timeout_s: int = 60
    held_out: tuple[str, ...] = ()
    """Where tests were withheld: all tests of the restored files that pass with the reference."""
    baseline: tuple[str, ...] = ()
    """And those of the files that remained: they pass at the start, with the reference, and without the restored files."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One candidate task as harvest left it, one line of ``candidates.jsonl``.

    ``facts`` are the names that ``where`` conditions read (plain values; a fact that is not there is unknown).
    ``evidence`` is what the gate saw (outcome digests of each run, counts), never timings.
    ``gold_files`` and ``gold_symbols`` are what the reference touches and introduces, ``gold_lines`` the substantial lines
    that it adds or removes: no prompt may name them.
    """

    id: str
    set: str
    status: Status
    facts: Mapping[str, Plain]
    reasons: tuple[Reason, ...] = ()
    evidence: Mapping[str, Plain] = field(default_factory=dict)
    gold_files: tuple[str, ...] = ()
    gold_symbols: tuple[str, ...] = ()
    gold_lines: tuple[str, ...] = ()
    category: str | None = None
    requires: tuple[str, ...] = ()
    material: Material | None = None
    private: str | None = None
    """Of a private set: digest of the record in its store that holds all that is not told here."""
