"""Render a run's reports from its verdict, its plan, its ledger and the chain of registrations."""

from collections.abc import Iterator, Sequence

from analyzer.report import Registered, ReportInput, render
from analyzer.verdict import Verdict
from compiler.operating import Simulation, decode
from compiler.registry import Entry
from prereg import tool
from prereg.case import Case
from prereg.drawing import beside
from prereg.resources import texts


def rendered(case: Case, verdict: Verdict, verdict_digest: str) -> dict[str, str]:
    """Render report.md and report.html with every registration that there is now; ``verdict`` is read from its file."""
    return _render(case, verdict, verdict_digest, case.entries)


def renderings(case: Case, verdict: Verdict, verdict_digest: str) -> Iterator[dict[str, str]]:
    """Render with all registrations, then without the newest, and so on back to the run's own.

    A report that was rendered before a later amendment is still what the verdict rendered to then.
    """
    own = case.entries.index(case.entry)
    for count in range(len(case.entries), own, -1):
        yield _render(case, verdict, verdict_digest, case.entries[:count])


def _render(case: Case, verdict: Verdict, verdict_digest: str, entries: Sequence[Entry]) -> dict[str, str]:
    plan, made_by = case.plan, tool.identity()
    document = ReportInput(
        experiment=plan.run.experiment,
        run=case.record.run,
        verdict=verdict,
        verdict_digest=verdict_digest,
        plan=plan.analysis,
        arms=plan.run.arms,
        evidence=case.evidence,
        registration=case.entry.name,
        registrations=tuple(
            Registered(name=each.name, digest=each.digest, registration=each.registration) for each in entries
        ),
        command=f"prereg audit runs/{case.record.run}",
        tool=f"{made_by['name']} {made_by['version']} {made_by['digest']}",
        simulation=_simulation(case),
    )
    return render(document, texts(), begin=beside)


def _simulation(case: Case) -> Simulation | None:
    """Give the simulation that the run's registration carries, read from the registered bytes; None where it names none."""
    name = case.plan.analysis.sample_size.get("simulation")
    return None if name is None else decode(case.entry.inputs()[str(name)], where=str(name))
