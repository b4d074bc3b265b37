"""Carries out a HarvestPlan: lists candidates, proves the promising ones, and freezes facts, evidence and blobs into a pool."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from pathlib import Path

from compiler.plan import HarvestPlan, HarvestSet
from compiler.pool import Pool, PoolHead
from compiler.task import Candidate, Material, Reason, TestPlan
from executor.check_gates import OwnVerdict, Tools, gate_checks
from executor.environments import Environment, prepare
from executor.gates import Gated, gate
from executor.keeping import Judged, Keep
from executor.own_files import own_files
from executor.patches import substantial_lines
from executor.ports import Built, Found, Grader, Sandbox, Source
from executor.programs import absent
from executor.scratch import own_folder
from executor.sealing import PROMPT, blobs_of_set, seal, unnamed
from executor.setup_steps import set_up
from executor.withholding import seen_without_running, verify
from ledger.blobs import Blobs
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain
from ledger.sealed import SealedBlobs


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One candidate of a set has been settled; ``done`` of ``total`` that were worth building."""

    set: str
    candidate: str
    status: str
    done: int
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SetReport:
    """What a set's harvest found and took. ``dropped`` counts the first reason of each dropped candidate, by code.

    ``test_seconds`` are spent inside test suites, ``other_seconds`` around them, both added over the workers.
    """

    origin: str
    found: int
    proved: int
    kept: int
    dropped: Mapping[str, int]
    test_seconds: Decimal
    other_seconds: Decimal
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class HarvestReport:
    """How a harvest went on this machine. Unlike the pool it has timings; nothing that is judged depends on it."""

    harvest: str
    seconds: Decimal
    workers: int
    sets: Mapping[str, SetReport]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Site:
    """Where and with what a harvest works."""

    base: Path
    sandbox: Sandbox
    graders: Mapping[str, Grader]
    blobs: Blobs
    keep: Keep
    scratch: Path
    cache: Path
    workers: int
    only: Collection[str] | None
    report: Callable[[Step], None]
    own_verdict: OwnVerdict | None
    sealed: Path | None


def harvest(
    plan: HarvestPlan,
    *,
    base: Path,
    sources: Mapping[str, Source],
    graders: Mapping[str, Grader],
    sandbox: Sandbox,
    blobs: Blobs,
    keep: Keep,
    scratch: Path,
    cache: Path,
    report: Callable[[Step], None],
    workers: int = 1,
    only: Collection[str] | None = None,
    own_verdict: OwnVerdict | None = None,
    sealed: Path | None = None,
) -> tuple[Pool, HarvestReport]:
    """Harvest every set of a plan; ``base`` is the spec's folder, ``workers`` the concurrency of the run that will follow.

    ``keep`` is asked twice about each candidate: with the facts of its metadata (only a condition that is false drops it
    then) and with those of its gate (now an unknown fact drops it too). ``graders`` judge the checks that tasks bring
    along; a suite is read by the gate itself, as the ``tests`` check reads it. ``only`` names the candidates to prove,
    where not all are wanted; the others are left out of the pool. ``own_verdict`` reads the conditions that a task
    brings along; without it every check of the task must hold. ``sealed`` takes the place of a private store's blobs.

    Raises:
        WorldFault: A source, an interpreter or the sandbox cannot do its part.
    """
    started = time.monotonic()
    site = _Site(
        base=base,
        sandbox=sandbox,
        graders=graders,
        blobs=blobs,
        keep=keep,
        scratch=scratch,
        cache=cache,
        workers=workers,
        only=only,
        report=report,
        own_verdict=own_verdict,
        sealed=sealed,
    )
    candidates: list[Candidate] = []
    reports: dict[str, SetReport] = {}
    files: dict[str, dict[str, str]] = {}
    for each in plan.sets:
        source = sources.get(each.source.kind)
        if source is None:
            what, expected = f"there is no source of kind {each.source.kind!r}", ", ".join(sorted(sources))
            raise WorldFault(Fault(code="no-source", what=what, expected=expected, where=f"tasks.{each.name}.source"))
        files[each.name] = own_files(each, source, base)  # before it is read: what changes meanwhile is seen later
        found, reports[each.name] = _harvest_set(each, source, site)
        candidates.extend(found)
    name = digest(canonical(to_plain(plan)))
    pool = Pool(
        head=PoolHead(harvest=name, origin={key: value.origin for key, value in reports.items()}, files=files),
        candidates=tuple(sorted(candidates, key=lambda candidate: (candidate.set, candidate.id))),
    )
    seconds = _since(started)
    return pool, HarvestReport(harvest=name, seconds=seconds, workers=workers, sets=reports)


def _harvest_set(plan: HarvestSet, source: Source, site: _Site) -> tuple[list[Candidate], SetReport]:
    started = time.monotonic()
    options = plan.source.options
    blobs = blobs_of_set(options, site.blobs, site.sealed)
    origin = source.origin(options, site.base)
    environment = prepare(plan.environment, base=site.base, cache=site.cache)
    work = _Work(plan=plan, source=source, environment=environment, site=site, blobs=blobs)
    candidates: list[Candidate] = []
    promising: list[Found] = []
    for found in source.find(options, site.base):
        if site.only is not None and found.id not in site.only:
            continue
        reasons = _metadata_reasons(plan, found, site.keep) or _lacking(found, environment)
        if reasons:
            candidates.append(_told(work, _candidate(plan, found, reasons=reasons)))
        else:
            promising.append(found)
    listed = _since(started)
    proved: list[_Proved] = []
    for each in _settle_all(work, promising):
        proved.append(each)
        status = each.candidate.status
        site.report(
            Step(set=plan.name, candidate=each.candidate.id, status=status, done=len(proved), total=len(promising))
        )
    candidates.extend(each.candidate for each in proved)
    test_seconds = sum((each.test_seconds for each in proved), Decimal(0))
    busy = sum((each.seconds for each in proved), Decimal(0))
    dropped = Counter(candidate.reasons[0].code for candidate in candidates if candidate.status == "dropped")
    return candidates, SetReport(
        origin=origin,
        found=len(candidates),
        proved=len(promising),
        kept=sum(candidate.status == "kept" for candidate in candidates),
        dropped=dict(sorted(dropped.items())),
        test_seconds=test_seconds,
        other_seconds=listed + busy - test_seconds,
        versions=environment.versions,
    )


# --- one candidate ---


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """What settling one candidate needs."""

    plan: HarvestSet
    source: Source
    environment: Environment
    site: _Site
    blobs: Blobs


@dataclass(frozen=True, kw_only=True, slots=True)
class _Proved:
    candidate: Candidate
    seconds: Decimal
    test_seconds: Decimal


def _settle_all(work: _Work, promising: Sequence[Found]) -> Iterator[_Proved]:
    """Settle candidates side by side, and give them in their order."""
    with ThreadPoolExecutor(max_workers=max(1, work.site.workers)) as executor:
        tasks = [executor.submit(_settle, work, found) for found in promising]
        try:
            for task in tasks:
                yield task.result()
        finally:
            for task in tasks:
                task.cancel()


def _settle(work: _Work, found: Found) -> _Proved:
    """Build, prove, and store one candidate."""
    started = time.monotonic()
    plan, site = work.plan, work.site
    with unnamed(found.id, work.blobs), own_folder(site.scratch.resolve(), "harvest") as folder:
        built = _build(work, found, folder)
        if isinstance(built, Reason):
            dropped = _told(work, _candidate(plan, found, reasons=(built,)))
            return _Proved(candidate=dropped, seconds=_since(started), test_seconds=Decimal(0))
        gated = _gate(work, found, built, folder)
    facts = {**found.facts, **built.facts, **gated.facts}
    reasons = gated.reasons or _final_reasons(site.keep(plan.name, _known(plan, found, facts)))
    candidate = replace(
        _candidate(plan, found, reasons=reasons),
        facts=facts,
        evidence=gated.evidence,
        gold_symbols=built.gold_symbols,
        gold_lines=substantial_lines(built.reference),
        material=None if reasons else _store(found, built, gated, work.blobs),
    )
    return _Proved(candidate=_told(work, candidate), seconds=_since(started), test_seconds=gated.seconds)


def _build(work: _Work, found: Found, folder: Path) -> Built | Reason:
    """Build a candidate's trees, its dependencies prepared."""
    site = work.site
    built = work.source.build(work.plan.source.options, site.base, found)
    if isinstance(built, Reason):
        return built
    return set_up(built, environment=work.environment, sandbox=site.sandbox, scratch=folder, cache=site.cache)


def _gate(work: _Work, found: Found, built: Built, folder: Path) -> Gated:
    site, harvests = work.site, work.plan.harvests
    if built.checks:
        tools = Tools(
            graders=site.graders,
            environment=work.environment,
            sandbox=site.sandbox,
            scratch=folder,
            verdict=None if site.own_verdict is None else partial(site.own_verdict, found.facts),
        )
        return gate_checks(built, harvests=harvests, tools=tools)
    shown = seen_without_running(built)
    if shown is not None:
        return Gated(tests=built.tests, reasons=(shown,))
    gated = gate(built, harvests=harvests, environment=work.environment, sandbox=site.sandbox, scratch=folder)
    return verify(built, gated, harvests=harvests, environment=work.environment, sandbox=site.sandbox, scratch=folder)


def _lacking(found: Found, environment: Environment) -> tuple[Reason, ...]:
    """Drop what this machine cannot prove: a task that nobody has seen solved here is in no plan."""
    missing = absent(found.requires, environment)
    what = "a program that the task requires is not on this machine"
    return (Reason(code="requires", what=what, detail=", ".join(missing)),) if missing else ()


def _metadata_reasons(plan: HarvestSet, found: Found, keep: Keep) -> tuple[Reason, ...]:
    """Say why a candidate is not worth building. What the gate will tell is still unknown and drops nothing here."""
    if found.dropped is not None:
        return (found.dropped,)
    judged = keep(plan.name, _known(plan, found, found.facts))
    if judged.holds is not False:
        return ()
    # What cannot be told yet is no reason yet.
    told = tuple(reason for reason in judged.reasons if reason.code != "unknown-fact")
    return told or (Reason(code="condition", what="a condition does not hold"),)


def _known(plan: HarvestSet, found: Found, facts: Mapping[str, Plain]) -> dict[str, Plain]:
    """Give what conditions may read: a candidate's facts, and those that every source has."""
    return {**facts, "id": found.id, "set": plan.name, "category": found.category}


def _final_reasons(judged: Judged) -> tuple[Reason, ...]:
    if judged.holds is True:
        return ()
    return judged.reasons or (Reason(code="condition", what="a condition does not hold or cannot be told"),)


def _candidate(plan: HarvestSet, found: Found, *, reasons: tuple[Reason, ...]) -> Candidate:
    return Candidate(
        id=found.id,
        set=plan.name,
        status="dropped" if reasons else "kept",
        facts=found.facts,
        reasons=reasons,
        gold_files=found.gold_files,
        category=found.category,
        requires=found.requires,
    )


def _told(work: _Work, candidate: Candidate) -> Candidate:
    """Give a candidate as the pool may tell it."""
    if not isinstance(work.blobs, SealedBlobs):
        return candidate
    judged = work.site.keep(
        work.plan.name, {**candidate.facts, "id": candidate.id, "set": candidate.set, "category": candidate.category}
    )
    return seal(candidate, judged.reasons, work.blobs)


def _store(found: Found, built: Built, gated: Gated, blobs: Blobs) -> Material:
    """Put a candidate's material into the blob store; what is given and what is held out never share a blob."""
    tests: TestPlan = gated.tests
    plain: Plain = to_plain(tests)
    return Material(
        given=blobs.put(built.given),
        held_out=blobs.put(built.held_out),
        tests=blobs.put(canonical(plain)) if tests.files or tests.protect else None,
        reference=blobs.put(built.reference) if built.reference else None,
        answer=None if built.answer is None else blobs.put(built.answer.encode("utf-8")),
        prompt=blobs.put(str(found.facts[PROMPT]).encode("utf-8")) if isinstance(blobs, SealedBlobs) else None,
    )


def _since(started: float) -> Decimal:
    return Decimal(round((time.monotonic() - started) * 1000)).scaleb(-3)
