"""What a report is worked out from: the stored verdict, the plan, the ledger and its registrations. No clock, no machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.frame import Frame, frame
from analyzer.missing import Settled, settle
from analyzer.pairing import Pairing, pair
from analyzer.population import Population, population, tabulate, under
from analyzer.verdict import Verdict
from analyzer.verdict_file import encode
from compiler.plan import AnalysisPlan, ArmPlan, TrialPlan
from compiler.registration import Registration
from ledger.canonical import digest
from ledger.records import Analysis, Line


@dataclass(frozen=True, kw_only=True, slots=True)
class Registered:
    """One registration of the experiment: its folder name, its digest, and what it says."""

    name: str
    digest: str
    registration: Registration


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportInput:
    """All that a report says comes from here.

    ``experiment`` and ``run`` are names; ``arms`` those of the run plan, for pinned versions; ``registrations`` all of the
    experiment, oldest first, and ``registration`` the name of the one that was carried out. ``command`` re-derives the
    report; it names paths as the reader of the bundle sees them. ``tool`` names the build that renders it.
    """

    experiment: str
    run: str
    verdict: Verdict
    plan: AnalysisPlan
    arms: Sequence[ArmPlan]
    trials: Sequence[TrialPlan]
    lines: Sequence[Line]
    registration: str
    registrations: Sequence[Registered] = ()
    command: str = ""
    tool: str = "prereg"


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """A report's input with what is worked out from it once: the frame, the settled trials, the digest of the verdict.

    ``everyone`` are the tasks that the decision is about, with their trials; ``pairings`` those of every endpoint that
    compares arms, by its name.
    """

    document: ReportInput
    frame: Frame
    settled: Sequence[Settled]
    everyone: Population
    pairings: Mapping[str, Pairing]
    verdict_digest: str
    tasks: int = field(default=0)


def facts(document: ReportInput) -> Facts:
    """Work out what the sections share. An analysis line changes nothing, so a report is the same before and after it.

    Raises:
        IntegrityFault: As ``judge``.
        UndecidedFault: As ``judge``.
    """
    lines = [line for line in document.lines if not isinstance(line.record, Analysis)]
    framed = frame(document.plan, lines, document.trials)
    settled = settle(document.plan, framed)
    everyone = population(document.plan, settled)
    return Facts(
        document=document,
        frame=framed,
        settled=settled,
        everyone=everyone,
        pairings={
            each.name: pair(tabulate(under(everyone, each.where), each), each.compare)
            for each in document.plan.endpoints
            if each.compare is not None
        },
        verdict_digest=digest(encode(document.verdict)),
        tasks=len({trial.task for trial in document.trials}),
    )
