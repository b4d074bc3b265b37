"""Proves a candidate's oracle: which tests fail at the start and pass with the reference, the same in every repetition."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Literal, TypeAlias

from compiler.task import Reason, TestPlan
from executor.environments import Environment
from executor.ports import Built, Sandbox
from executor.protection import make_gradable
from executor.repository import run_git
from executor.scratch import mount_overlay, own_folder
from executor.suite import State, SuiteRun, run_suite
from executor.trees import lay
from ledger.canonical import canonical, digest
from ledger.errors import WorldFault
from ledger.plain import Plain

Side = Literal["start", "fix"]
Pairs: TypeAlias = Sequence[tuple[SuiteRun, SuiteRun]]
"""(start, fix) of each harvest."""

_BROKEN: frozenset[State] = frozenset(("failed", "error", "timeout", "missing", "uncollected"))
_NEW_NAME = re.compile(
    r"(?:\w+\.)*(?:ImportError|ModuleNotFoundError|AttributeError|NameError)\b"
    r"|(?:\w+\.)*TypeError: .*unexpected keyword argument",
    re.DOTALL,
)


SIDES: tuple[Side, ...] = ("start", "fix")


class ReferenceDoesNotApply(Exception):  # noqa: N818  # reads as what it says
    """The reference patch does not apply to the start."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lists:
    """The oracle: what the fix repairs, what it must keep, and what it breaks."""

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    pass_to_fail: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """What the rules read: the plan as the source built it, all runs, and the oracle that follows from the first pair."""

    tests: TestPlan
    pairs: Pairs
    lists: Lists
    declared: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Gated:
    """What the gate says. ``reasons`` empty: it holds. ``evidence`` has no timings; ``seconds`` are those of the test suites."""

    tests: TestPlan
    facts: Mapping[str, Plain] = field(default_factory=dict)
    evidence: Mapping[str, Plain] = field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()
    seconds: Decimal = Decimal(0)


def gate(built: Built, *, harvests: int, environment: Environment, sandbox: Sandbox, scratch: Path) -> Gated:
    """Run the tests at the start and with the reference, ``harvests`` times each, every time in another fresh tree.

    A tree is made as a result is graded: the start, a change (nothing, or the reference), and the held-out files. A task
    that carries no tests passes without a run; its checks are proved by ``validate``.

    Raises:
        WorldFault: The tests cannot be run on this machine.
    """
    if not built.tests.files:
        return Gated(tests=built.tests, evidence={"gate": "none"})
    pristine = scratch / "pristine"
    pristine.mkdir(parents=True)
    lay(built.given, pristine)
    pairs: list[tuple[SuiteRun, SuiteRun]] = []
    for number in range(1, harvests + 1):
        runs = []
        for side in SIDES:
            try:
                with side_tree(side, built, pristine, scratch) as tree:
                    place = scratch / f"run-{number}-{side}"
                    runs.append(_run(built.tests, tree, place, environment, sandbox))
            except ReferenceDoesNotApply as error:
                reason = Reason(code="reference-fails", what="the reference does not apply", detail=str(error))
                return Gated(tests=built.tests, reasons=(reason,), seconds=_seconds(pairs))
        pairs.append((runs[0], runs[1]))
    return judge(built.tests, pairs, declared=built.declared)


def _run(tests: TestPlan, tree: Path, place: Path, environment: Environment, sandbox: Sandbox) -> SuiteRun:
    path = tuple(str(folder) for folder in environment.path)
    return run_suite(tests, root=tree, scratch=place, sandbox=sandbox, path=path, mounts=environment.mounts)


def judge(tests: TestPlan, pairs: Pairs, *, declared: tuple[str, ...] | None = None) -> Gated:
    """Read the oracle off the first pair of runs, and reject with every reason that the pairs give. Pure.

    ``declared`` are the tests that must be broken at the start, no more and no fewer, and none with the reference.
    """
    lists = _declared(tests, *pairs[0]) if tests.fail_to_pass else compare(*pairs[0])
    proof = Proof(tests=tests, pairs=pairs, lists=lists, declared=declared)
    reasons = tuple(reason for rule in RULES if (reason := rule(proof)) is not None)
    return Gated(
        tests=replace(tests, fail_to_pass=lists.fail_to_pass, pass_to_pass=lists.pass_to_pass),
        facts={
            "fail_to_pass": list(lists.fail_to_pass),
            "pass_to_pass": list(lists.pass_to_pass),
            "pass_to_fail": list(lists.pass_to_fail),
            "flaky": any(reason.code == "flaky" for reason in reasons),
            **({} if declared is None else {"broken": list(_bad(pairs[0], 0)), "repaired": not _bad(pairs[0], 1)}),
        },
        evidence=_evidence(tests, pairs, lists),
        reasons=reasons,
        seconds=_seconds(pairs),
    )


def _seconds(pairs: Pairs) -> Decimal:
    return sum((run.seconds for pair in pairs for run in pair), Decimal(0))


def compare(start: SuiteRun, fix: SuiteRun) -> Lists:
    """Compare the two sides. A test that was skipped or expected to fail at the start is in no list: it told nothing there."""
    good, before = fix.passed(), start.passed()
    return Lists(
        fail_to_pass=tuple(sorted(test for test in good if start.state(test) in _BROKEN)),
        pass_to_pass=tuple(sorted(good & before)),
        pass_to_fail=tuple(sorted(before - good)),
    )


def _declared(tests: TestPlan, start: SuiteRun, fix: SuiteRun) -> Lists:
    """Take the lists as the source declares them (an imported benchmark); what is broken is still looked for."""
    broken = tuple(sorted((start.passed() - fix.passed()) & set(tests.pass_to_pass)))
    return Lists(fail_to_pass=tests.fail_to_pass, pass_to_pass=tests.pass_to_pass, pass_to_fail=broken)


# --- reasons to reject, in the order in which they are told ---


def _over_limit(proof: Proof) -> Reason | None:
    stopped = {run.stopped_by for pair in proof.pairs for run in pair} - {None}
    if "time" in stopped:
        return Reason(code="over-time", what=f"its tests take longer than {proof.tests.timeout_s} s")
    if stopped:
        return Reason(code="over-limit", what=f"its tests use too much: {', '.join(sorted(map(str, stopped)))}")
    return None


def _environment_error(proof: Proof) -> Reason | None:
    """Nothing ran even with the fix: the environment is at fault, which is not the same as a fix without effect."""
    fix = proof.pairs[0][1]
    if set(fix.states.values()) <= {"missing"}:
        why = ", ".join(sorted(set(fix.uncollected.values()))) or f"exit status {fix.exit_code}: {fix.said}"
        return Reason(code="env-error-at-fix", what="no test could be collected with the fix", detail=why)
    return None


def _no_fail_to_pass(proof: Proof) -> Reason | None:
    if proof.lists.fail_to_pass or _environment_error(proof) is not None:
        return None
    return Reason(code="no-f2p", what="no test fails at the start and passes with the fix")


def _flaky(proof: Proof) -> Reason | None:
    first = compare(*proof.pairs[0])
    for number, pair in enumerate(proof.pairs[1:], 2):
        again = compare(*pair)
        moved = (
            set(again.fail_to_pass) ^ set(first.fail_to_pass)
            | set(again.pass_to_pass) ^ set(first.pass_to_pass)
            | set(again.pass_to_fail) ^ set(first.pass_to_fail)
        )
        if moved:
            what = f"harvest {number} gives another oracle than the first"
            return Reason(code="flaky", what=what, detail=_some(sorted(moved)))
    return None


def _pass_to_fail(proof: Proof) -> Reason | None:
    broken = proof.lists.pass_to_fail
    if broken and _environment_error(proof) is None:
        return Reason(code="p2f", what="the fix breaks tests that passed", detail=_some(broken))
    return None


def _noop_passes(proof: Proof) -> Reason | None:
    wanted = proof.tests.fail_to_pass  # as declared: lists that were measured cannot pass at the start
    if wanted and any(all(start.state(test) == "passed" for test in wanted) for start, _ in proof.pairs):
        return Reason(code="noop-passes", what="doing nothing already passes")
    return None


def _reference_fails(proof: Proof) -> Reason | None:
    wanted = (*proof.tests.fail_to_pass, *proof.tests.pass_to_pass)
    bad = sorted({test for _, fix in proof.pairs for test in wanted if fix.state(test) != "passed"})
    if bad:
        return Reason(code="reference-fails", what="the reference does not pass", detail=_some(bad))
    return None


def _broken_elsewhere(proof: Proof) -> Reason | None:
    """A defect breaks exactly what was declared: a test that was to fail and passes, or another that fails, is another defect."""
    if proof.declared is None:
        return None
    for pair in proof.pairs:
        odd = sorted(set(_bad(pair, 0)) ^ set(proof.declared))
        if odd:
            missed = [test for test in odd if test in proof.declared]
            what = "a declared test does not fail" if missed else "a test fails that is not declared"
            return Reason(code="broken-elsewhere", what=what, detail=_some(missed or odd))
    return None


def _not_repaired(proof: Proof) -> Reason | None:
    if proof.declared is None:
        return None
    left = sorted({test for pair in proof.pairs for test in _bad(pair, 1)})
    if left:
        return Reason(code="not-repaired", what="tests fail once the defect is reversed", detail=_some(left))
    return None


def _bad(pair: tuple[SuiteRun, SuiteRun], side: int) -> tuple[str, ...]:
    """Give the tests of one side (0: the start) that are broken there; those that never ran are known from the other side."""
    names = {*pair[0].states, *pair[1].states}
    return tuple(sorted(test for test in names if pair[side].state(test) in _BROKEN))


RULES: tuple[Callable[[Proof], Reason | None], ...] = (
    _over_limit,
    _environment_error,
    _no_fail_to_pass,
    _flaky,
    _pass_to_fail,
    _noop_passes,
    _reference_fails,
    _broken_elsewhere,
    _not_repaired,
)


# --- evidence ---


def _evidence(tests: TestPlan, pairs: Pairs, lists: Lists) -> dict[str, Plain]:
    start, fix = pairs[0]
    suspects = [test for test in lists.fail_to_pass if looks_like_new_name(start, test)]
    return {
        "gate": "tests",
        "files": list(tests.files),
        "runs": [
            {
                "tree": side,
                "harvest": number,
                "outcomes": digest(canonical(dict(run.states))),
                "counts": run.counts(),
                "uncollected": dict(run.uncollected),
            }
            for number, pair in enumerate(pairs, 1)
            for side, run in zip(SIDES, pair, strict=True)
        ],
        "pass_to_pass": digest(canonical(list(lists.pass_to_pass))),
        "start_failures": dict(sorted(Counter(_sign(start, test) for test in lists.fail_to_pass).items())),
        "new_name": {
            "suspects": len(suspects),
            "all": bool(suspects) and len(suspects) == len(lists.fail_to_pass),
        },
        "not_run_at_start": sum(1 for test in fix.passed() if start.state(test) in ("skipped", "xfailed", "xpassed")),
        "bad_at_fix": len(fix.states) - len(fix.passed()),
    }


def looks_like_new_name(start: SuiteRun, test: str) -> bool:
    """Say whether a test may fail at the start only because a name does not exist there yet.

    A hint for the author's exclusions, never a reason to drop: an AttributeError may be the very symptom, and a constant
    that the fix introduces does not show.
    """
    return start.state(test) == "uncollected" or _NEW_NAME.match(start.signs.get(test, "")) is not None


def _sign(start: SuiteRun, test: str) -> str:
    state = start.state(test)
    kind = start.signs.get(test, "").split(":", 1)[0]
    return f"{state}:{kind}" if kind else state


def _some(tests: Sequence[str]) -> str:
    return ", ".join(tests[:3]) + (f" and {len(tests) - 3} more" if len(tests) > 3 else "")


# --- trees ---


@contextmanager
def side_tree(side: Side, built: Built, pristine: Path, scratch: Path) -> Iterator[Path]:
    """Give a side's tree, made just as a result is graded; the change of the fix's side is the reference."""
    with own_folder(scratch, side) as folder:
        tree = folder / "tree"
        for name in ("tree", "upper", "work"):
            (folder / name).mkdir()
        if mount_overlay(pristine, folder / "upper", folder / "work", tree) is not None:
            lay(built.given, tree)
        changed = _apply(built.reference, tree) if side == "fix" and built.reference else ()
        make_gradable(tree, pristine=pristine, changed=changed, held_out=built.held_out, plan=built.tests)
        yield tree


def _apply(patch: bytes, tree: Path) -> tuple[str, ...]:
    """Apply a patch to a folder, which is not taken for part of a repository above it; give the paths it touches."""
    command = ["-C", str(tree), "apply", "--whitespace=nowarn"]
    env = {"GIT_CEILING_DIRECTORIES": str(tree.parent)}
    try:
        touched = run_git([*command, "--numstat", "-z", "--apply", "-"], stdin=patch, env=env)
    except WorldFault as fault:
        raise ReferenceDoesNotApply(fault.reasons[0].got) from fault
    return tuple(os.fsdecode(line.split(b"\t", 2)[2]) for line in touched.split(b"\0")[:-1])
