"""Verifies that a fix's tests are withheld: nothing of them is in the starting tree, and what remains of the suite does not miss them."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path, PurePosixPath

from compiler.task import Reason
from executor.environments import Environment
from executor.gates import Gated, side_tree
from executor.ports import Built, Sandbox
from executor.suite import SuiteRun, run_suite
from executor.trees import Leaf, lay, leaves
from executor.withheld import Withheld
from ledger.canonical import canonical, digest
from ledger.plain import Plain

_DEFINES = r"\b(?:def|class|function|func|fn)\s+{}\b"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Runs:
    """Where and how often suites are run."""

    harvests: int
    environment: Environment
    sandbox: Sandbox
    scratch: Path


def seen_without_running(built: Built) -> Reason | None:
    """Say what keeps tests from being withheld, as far as the starting tree shows: a file, its bytes, or whoever imports it."""
    withheld = built.withheld
    if withheld is None:
        return None
    given = tuple(leaves(built.given))
    hidden = [leaf for leaf in leaves(built.held_out) if leaf.path in withheld.paths]
    there = [leaf.path for leaf in given if leaf.path in withheld.paths]
    if withheld.strict and there:
        return Reason(code="not-withheld", what="a withheld test file is in the starting tree", detail=there[0])
    secret = {digest(leaf.data) for leaf in hidden} | (withheld.before if withheld.strict else set())
    copies = [leaf.path for leaf in given if leaf.data.strip() and digest(leaf.data) in secret]
    if copies:
        return Reason(
            code="not-withheld", what="the starting tree holds a copy of a withheld test file", detail=copies[0]
        )
    importing = next(_importing(given, withheld), None) if withheld.strict else None
    if importing is not None:
        return Reason(
            code="unwithholdable", what="a file of the starting tree imports a withheld test file", detail=importing
        )
    if not withheld.suite:
        return Reason(code="no-baseline", what="no test remains that a regression could be seen by")
    return None


def verify(
    built: Built, gated: Gated, *, harvests: int, environment: Environment, sandbox: Sandbox, scratch: Path
) -> Gated:
    """Tell the tests of the restored files from those that remained, and hold the starting tree against both.

    The restored files are run alone in the tree of the reference, and the remaining ones alone in the bare starting tree,
    ``harvests`` times each: every remaining test that passes beside the restored files must pass without them.

    Raises:
        WorldFault: The tests cannot be run on this machine.
    """
    withheld = built.withheld
    if withheld is None or gated.reasons:
        return gated
    runs = _Runs(harvests=harvests, environment=environment, sandbox=sandbox, scratch=scratch)
    pristine = scratch / "pristine"
    if not pristine.is_dir():
        pristine.mkdir(parents=True)
        lay(built.given, pristine)
    restored = [_restored(built, withheld, pristine, runs, number) for number in range(harvests)]
    bare = [_bare(built, withheld, runs, number) for number in range(harvests)]
    ids = frozenset(test for run in restored for test in run.states)
    held_out = frozenset.intersection(*(run.passed() for run in restored))
    baseline = frozenset(gated.tests.pass_to_pass) - ids
    repaired = frozenset(gated.tests.fail_to_pass) & ids
    tests = replace(gated.tests, held_out=tuple(sorted(held_out)), baseline=tuple(sorted(baseline)))
    reasons = tuple(
        _reasons(built, repaired=repaired, held_out=held_out, baseline=baseline, restored=restored, bare=bare)
    )
    seconds = sum((run.seconds for run in (*restored, *bare)), Decimal(0))
    return replace(
        gated,
        tests=tests,
        facts={**gated.facts, "withheld": list(withheld.paths)},
        evidence={**gated.evidence, "withheld": _evidence(withheld, held_out, baseline, bare[0])},
        reasons=reasons,
        seconds=gated.seconds + seconds,
    )


def _restored(built: Built, withheld: Withheld, pristine: Path, runs: _Runs, number: int) -> SuiteRun:
    with side_tree("fix", built, pristine, runs.scratch) as tree:
        return _run(built, withheld.tests, tree, runs, f"restored-{number}")


def _bare(built: Built, withheld: Withheld, runs: _Runs, number: int) -> SuiteRun:
    tree = runs.scratch / f"bare-{number}-tree"
    tree.mkdir()
    lay(built.given, tree)
    return _run(built, withheld.suite, tree, runs, f"bare-{number}")


def _run(built: Built, files: tuple[str, ...], tree: Path, runs: _Runs, place: str) -> SuiteRun:
    environment = runs.environment
    path = tuple(str(folder) for folder in environment.path)
    plan = replace(built.tests, files=files)
    return run_suite(
        plan, root=tree, scratch=runs.scratch / place, sandbox=runs.sandbox, path=path, mounts=environment.mounts
    )


def _reasons(
    built: Built,
    *,
    repaired: frozenset[str],
    held_out: frozenset[str],
    baseline: frozenset[str],
    restored: list[SuiteRun],
    bare: list[SuiteRun],
) -> Iterator[Reason]:
    unstable = sorted(frozenset.union(*(run.passed() for run in restored)) - held_out)
    if unstable:
        yield Reason(code="flaky", what="a restored test passes in one harvest and not in another", detail=unstable[0])
    if not repaired:
        yield Reason(code="no-f2p", what="no withheld test fails at the start and passes with the fix")
    if not baseline:
        yield Reason(code="no-baseline", what="no remaining test passes before and after the fix")
    missing = sorted(test for run in bare for test in baseline if run.state(test) != "passed")
    if missing:
        what = "tests that remain do not pass without the withheld files"
        yield Reason(code="unwithholdable", what=what, detail=missing[0])
    named = next(_naming(built, repaired), None)
    if named is not None:
        yield Reason(code="not-withheld", what="the starting tree names a withheld test", detail=named)


def _evidence(withheld: Withheld, held_out: Iterable[str], baseline: Iterable[str], bare: SuiteRun) -> dict[str, Plain]:
    return {
        "files": list(withheld.paths),
        "strict": withheld.strict,
        "held_out": digest(canonical(sorted(held_out))),
        "baseline": digest(canonical(sorted(baseline))),
        "bare": bare.counts(),
    }


# --- what a tree tells ---


def _importing(given: Iterable[Leaf], withheld: Withheld) -> Iterator[str]:
    """Give the Python files that import a withheld one, absolutely, from a folder on the path, or relatively."""
    hidden = [".".join(PurePosixPath(path).with_suffix("").parts) for path in withheld.paths if path.endswith(".py")]
    for leaf in given:
        if leaf.path.endswith(".py") and leaf.kind != "link":
            names = _imports(leaf)
            if any(full == name or full.endswith(f".{name}") for full in hidden for name in names):
                yield leaf.path


def _imports(leaf: Leaf) -> frozenset[str]:
    """Give the dotted names that a Python file imports; relative ones are resolved from the root of the tree."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(leaf.data)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()  # what cannot be parsed cannot be imported; whoever needs it fails in the bare run
    found: set[str] = set()
    folder = PurePosixPath(leaf.path).parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = (*(folder[: -node.level] if node.level else ()), *((node.module,) if node.module else ()))
            found |= {".".join(base), *(".".join((*base, alias.name)) for alias in node.names)}
    return frozenset(found - {""})


def _naming(built: Built, tests: Iterable[str]) -> Iterator[str]:
    """Give the files of the start that name a test by its function's name.

    A remaining test file may have a test of its own that is called so, and the versions from before the fix, where they stay,
    may hold the test as it was.
    """
    names = sorted({re.split(r"::|\.", test.split("[", 1)[0])[-1].strip() for test in tests} - {""})
    withheld = built.withheld
    if not names or withheld is None:
        return
    earlier = () if withheld.strict else withheld.paths
    whole = re.compile(rb"(?<![A-Za-z0-9_])(?:" + "|".join(map(re.escape, names)).encode() + rb")(?![A-Za-z0-9_])")
    for leaf in leaves(built.given):
        for hit in () if leaf.path in earlier else whole.finditer(leaf.data):
            name = re.escape(hit.group().decode("utf-8", "replace"))
            if leaf.path not in withheld.suite or not re.search(_DEFINES.format(name).encode(), leaf.data):
                yield leaf.path
                break
