"""Audit: derive everything again from the bytes, one numbered check after another; nothing is ever written."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from analyzer.frame import frame
from analyzer.gather import bounded
from analyzer.verdict_file import decode, encode
from analyzer.void import refuse_void
from analyzer.warnings import looks
from compiler.amend import told_otherwise
from compiler.inputs import POOL
from compiler.pipeline import Compiled, compile_spec
from compiler.pool_file import read as read_pool
from ledger.blobs import Blobs
from ledger.canonical import digest
from ledger.errors import Fault, Faults, IntegrityFault, UndecidedFault
from ledger.records import Claimed, Outcome
from prereg import tool
from prereg.audited import Asked, Audited, Check, NotAsked, Status
from prereg.case import Case
from prereg.closeness import apart
from prereg.faults import reasons
from prereg.published import compare_published
from prereg.reading import load_spec
from prereg.rendering import renderings
from prereg.reports import compare_reports
from prereg.sealed import caveats, store_here
from spec_lang.diagnostics import SpecErrors


def chain_of_registrations(case: Case, _asked: Asked) -> str:
    """Every registration carries its own digest and follows the ones before; none is missing, none is a fork, each says what it changed."""
    found = tuple(told_otherwise(case.entries))
    by_this = [fault for entry, fault in found if entry.registration.tool["digest"] == tool.identity()["digest"]]
    if by_this:
        raise IntegrityFault(*by_this)
    if found:  # another build may word a change in another way
        raise UndecidedFault(*(replace(fault, hint="use the prereg that registered it") for _, fault in found))
    return f"{len(case.entries)} registration(s) in one line"


def registration(case: Case, _asked: Asked) -> str:
    """The run's registration is in the registry, and its spec, plan and inputs are the bytes that it names."""
    count = case.registered_files
    _ = case.plan
    return f"{case.entry.name}: {count} files are the bytes that the registration names"


def expected_spec(case: Case, asked: Asked) -> str:
    """The spec is the one that the auditor expects."""
    got = str(case.entry.registration.spec["digest"])
    if asked.expect is None:
        return NotAsked(f"nothing expected from outside was given; the spec is {got}")
    _equal("unexpected-spec", "the run belongs to another spec than the one expected", asked.expect, got)
    return f"the spec is the expected {got}"


def recompiled(case: Case, _asked: Asked) -> str:
    """Compiling the registered spec, pool and inputs again gives the same spec.json and plan.json, byte for byte."""
    entry = case.entry
    made_by, now = entry.registration.tool, tool.identity()
    other = made_by["digest"] != now["digest"]
    registered = (entry.registration.spec["digest"], str(entry.registration.plan["digest"]))
    try:
        again = _compile(case)
    except SpecErrors as fault:
        if not other:
            raise IntegrityFault(*reasons(fault)) from fault
        again = None
    if other and (again is None or registered != (again.spec_digest, again.plan_digest)):
        what = "another build of prereg registered this, and this one does not compile it into the same bytes"
        hint = f"use {made_by['name']} {made_by['version']}, {made_by['digest']}"
        got = f"{now['version']}, {now['digest']}"
        raise UndecidedFault(Fault(code="other-tool", what=what, expected=made_by["digest"], got=got, hint=hint))
    assert again is not None
    _equal("recompile-spec", "compiling again gives another spec.json", registered[0], again.spec_digest)
    _equal("recompile-plan", "compiling again gives another plan.json", registered[1], again.plan_digest)
    note = ", by another build of prereg than the one that registered it" if other else ""
    return f"plan.json again is {again.plan_digest}{note}"


def _compile(case: Case) -> Compiled:
    inputs = case.entry.inputs()
    pool = read_pool(inputs[POOL], where=POOL)
    return compile_spec(load_spec(case.entry.folder / "spec.yaml"), pool, inputs)


def current_spec(case: Case, _asked: Asked) -> str:
    """The experiment folder's spec and inputs mean what was registered, or an amendment of it."""
    return f"spec.yaml and its inputs mean what was registered ({len(case.warnings)} warning(s))"


def ledger_chain(case: Case, _asked: Asked) -> str:
    """Every line of the ledger follows from the one before, the first from the registration; the head is the last line."""
    lines = case.lines
    _ = (case.opened, case.analyses)
    if case.remembered.torn:
        what = f"the ledger ends in {len(case.remembered.torn)} bytes of a line that was never finished"
        raise UndecidedFault(Fault(code="torn", what=what, hint="prereg execute recovers it visibly"))
    return f"{len(lines)} lines, head {case.remembered.head}"


def trials(case: Case, _asked: Asked) -> str:
    """Only planned trials were attempted, in the planned order, and each has at most one outcome."""
    planned = [each.id for each in case.plan.run.trials]
    place = {trial: number for number, trial in enumerate(planned)}
    first: list[int] = []
    outcomes: set[str] = set()
    for line in case.lines:
        record = line.record
        if isinstance(record, Claimed | Outcome) and record.trial not in place:
            raise _refused(
                "foreign", f"{record.trial} is not planned", "a planned trial", record.trial, f"line {line.seq}"
            )
        if isinstance(record, Claimed) and record.attempt == 1:
            first.append(place[record.trial])
        if isinstance(record, Outcome):
            if record.trial in outcomes:
                raise _refused("doubled", f"{record.trial} has two outcomes", "one", "two", f"line {line.seq}")
            outcomes.add(record.trial)
    if first != sorted(first):
        at = next(number for number, (a, b) in enumerate(pairwise(first)) if a > b)
        raise _refused(
            "order", "trials began in another order than planned", planned[first[at + 1]], planned[first[at]]
        )
    return (
        f"{len(outcomes)} of {len(planned)} planned trials have their one outcome; first attempts in the planned order"
    )


def versions(case: Case, _asked: Asked) -> str:
    """Every tool has one version in all outcomes, and every cost was measured by the registered route."""
    found = frame(case.plan.analysis, case.lines, case.plan.run.trials)
    refuse_void(case.plan.analysis, found)
    outcomes = sum(row.outcome is not None for row in found.rows)
    return f"one version of each tool in {outcomes} outcomes, costs by {case.plan.analysis.routes.get('cost')}"


def closing(case: Case, _asked: Asked) -> str:
    """The closing record counts what the ledger holds, and names every trial without an outcome."""
    closed = case.closed
    if closed is None:
        hint = f"finish it: prereg execute {case.experiment.root} --run {case.record.run}"
        raise UndecidedFault(Fault(code="open", what="the run is not closed", hint=hint))
    outcomes = {each.record.trial for each in case.lines if isinstance(each.record, Outcome)}
    attempts = sum(isinstance(each.record, Claimed) for each in case.lines)
    _equal("count", "the close counts other outcomes", str(closed.outcomes), str(len(outcomes)))
    _equal("count", "the close counts other attempts", str(closed.attempts), str(attempts))
    missing = {each.id for each in case.plan.run.trials} - outcomes
    _equal("gaps", "the close names other gaps", ", ".join(sorted(closed.gaps)), ", ".join(sorted(missing)))
    counted = f"closed with {closed.outcomes} outcomes after {closed.attempts} attempts, {len(closed.gaps)} gap(s)"
    return "; ".join([counted, *looks(case.gathered)])


def blobs(case: Case, _asked: Asked) -> str:
    """Every blob that the plan or the ledger names is there and hashes to its name."""
    named = case.blobs
    lost = tuple(fault for folder, digests in named.items() for fault in _blob_faults(Blobs(folder), digests))
    private = []
    for env, digests in case.sealed.items():
        store = store_here(env)
        if store is None:
            private.append(
                f"{len(digests)} sealed blobs of private tasks are in a store that is not here (${env}): NOT VERIFIED"
            )
        else:
            lost += tuple(_blob_faults(store, digests))
            private.append(f"{len(digests)} sealed blobs of private tasks hash to their names too")
    if lost:
        raise IntegrityFault(*bounded(lost))
    return "; ".join([f"{sum(map(len, named.values()))} artefacts, trees and prompts hash to their names", *private])


def reanalyzed(case: Case, _asked: Asked) -> str:
    """Judging the ledger again gives the stored verdict: the same words, numbers to 1e-9."""
    if not case.folder.verdict.is_file():
        hint = f"prereg analyze {case.folder.root}"
        raise UndecidedFault(Fault(code="no-verdict-file", what="the run was not analyzed yet", hint=hint))
    stored = case.folder.verdict.read_bytes()
    recorded = [each.verdict for each in case.analyses]
    if digest(stored) not in recorded:
        what = "verdict.json is not a verdict that the ledger remembers"
        raise _refused(
            "verdict-altered", what, ", ".join(recorded) or "an analysis line", digest(stored), "verdict.json"
        )
    again = encode(case.judged)
    far = apart(stored, again)
    if far:
        raise IntegrityFault(*far)
    return "the same verdict" + ("" if again == stored else ", numbers within 1e-9")


def rerendered(case: Case, _asked: Asked) -> str:
    """Rendering the stored verdict again gives the stored reports, byte for byte."""
    return compare_reports(case.folder.root, _renderings(case))


def _renderings(case: Case) -> Iterator[dict[str, str]]:
    """Render only when asked: what is missing is said before anything is drawn."""
    stored = case.folder.verdict.read_bytes()
    yield from renderings(case, decode(stored), digest(stored))


def published(case: Case, asked: Asked) -> str:
    """What was published elsewhere is what the verdict says."""
    if asked.published is None:
        return NotAsked("no published page was given")
    root = case.folder.root
    return compare_published(asked.published, case.folder.verdict, root / "report.md", run=root.resolve().name)


AUDIT: tuple[Callable[[Case, Asked], str], ...] = (
    chain_of_registrations,
    registration,
    expected_spec,
    recompiled,
    current_spec,
    ledger_chain,
    trials,
    versions,
    closing,
    blobs,
    reanalyzed,
    rerendered,
    published,
)
"""The checks in their order; each raises the fault it finds, or says what it compared."""


def audit(case: Case, asked: Asked) -> Audited:
    """Run every check; one that stands on a failed one is marked as not reached instead of blaming twice."""
    done: list[Check] = []
    seen: set[Fault] = set()
    for number, step in enumerate(AUDIT, start=1):
        check = _run(number, step, case, asked, seen)
        seen |= set(check.reasons)
        done.append(check)
    return Audited(checks=tuple(done), warnings=tuple(_warnings(case)))


def _run(number: int, step: Callable[[Case, Asked], str], case: Case, asked: Asked, seen: set[Fault]) -> Check:
    name = step.__name__.replace("_", " ")
    try:
        detail = step(case, asked)
        return Check(
            number=number,
            name=name,
            status="not-asked" if isinstance(detail, NotAsked) else "passed",
            detail=str(detail),
        )
    except (Faults, OSError) as fault:
        found = reasons(fault)
        if set(found) <= seen:
            return Check(
                number=number, name=name, status="not-reached", detail="stands on a check above that did not pass"
            )
        status: Status = "refused" if isinstance(fault, IntegrityFault) else "undecided"
        return Check(number=number, name=name, status=status, detail=str(step.__doc__), reasons=found)


def _warnings(case: Case) -> Iterator[str]:
    try:
        yield from case.warnings
        yield from caveats(case.sealed)
        yield from looks(case.gathered)
        runs = [each.name for each in case.experiment.runs.iterdir() if each.resolve() != case.folder.root.resolve()]
        if runs:
            yield f"other runs stand beside this one: {', '.join(sorted(runs))}"
    except Faults:
        return


def _blob_faults(store: Blobs, named: Sequence[str]) -> Iterator[Fault]:
    for each in named:
        try:
            store.get(each)
        except IntegrityFault as fault:
            yield from fault.reasons


def _equal(code: str, what: str, expected: str, got: str) -> None:
    if expected != got:
        raise _refused(code, what, expected, got)


def _refused(code: str, what: str, expected: str, got: str, where: str | None = None) -> IntegrityFault:
    return IntegrityFault(Fault(code=code, what=what, expected=expected, got=got, where=where))
