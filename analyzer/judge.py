"""Judges a run by its registered analysis: evidence, estimates, decision, verdict. No knobs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.arms import summaries
from analyzer.costs import not_compared
from analyzer.decide import Decided, adjusted, decide
from analyzer.estimate import estimates
from analyzer.evidence import Evidence, evidence
from analyzer.pairing import Pairing
from analyzer.population import Population
from analyzer.reckoned import Reckoned, estimate_of
from analyzer.sizing import next_run
from analyzer.verdict import Verdict
from analyzer.void import refuse_void
from analyzer.warnings import warnings
from compiler.plan import AnalysisPlan, TrialPlan
from ledger.canonical import digest
from ledger.chain import encode
from ledger.errors import Fault, IntegrityFault
from ledger.records import Analysis, Line, Opened


@dataclass(frozen=True, kw_only=True, slots=True)
class Weighed:
    """What the registered analysis makes of its trials; ``gaps`` are those without a usable outcome, with why."""

    endpoints: Mapping[str, Reckoned]
    gaps: Mapping[str, str]
    decided: Decided


def judge(
    plan: AnalysisPlan, lines: Sequence[Line], *, spec_digest: str, plan_digest: str, trials: Sequence[TrialPlan]
) -> Verdict:
    """Judge the verified lines of one ledger.

    A closed run with a registered gap is a verdict: no verdict. The order of lines, arms and tasks changes nothing.

    Raises:
        IntegrityFault: The ledger belongs to another plan, a line does not belong or is not what it must be, or its outcomes come from
            several versions of a tool.
        UndecidedFault: The run is still open, or a trial has no outcome that a registered rule explains.
    """
    known = evidence_of(plan, lines, spec_digest=spec_digest, plan_digest=plan_digest, trials=trials)
    return judge_evidence(plan, known, spec_digest=spec_digest, plan_digest=plan_digest, ledger_head=head(lines))


def evidence_of(
    plan: AnalysisPlan, lines: Sequence[Line], *, spec_digest: str, plan_digest: str, trials: Sequence[TrialPlan]
) -> Evidence:
    """Read the verified lines of one ledger, after a look whether it was opened for this spec and plan. Raises as ``judge``."""
    _refuse_foreign(lines, spec_digest, plan_digest)
    found = evidence(plan, lines, trials)
    refuse_void(plan, found.frame)
    return found


def judge_evidence(
    plan: AnalysisPlan,
    known: Evidence,
    *,
    spec_digest: str,
    plan_digest: str,
    ledger_head: str,
    post_hoc: Mapping[str, str] | None = None,
) -> Verdict:
    """Judge what was read before; ``post_hoc`` are the endpoints that the registrations tell to be. Raises IntegrityFault as ``judge``."""
    weighed = weigh(plan, known.everyone, known.pairings)
    status = weighed.decided.status
    return Verdict(
        status=status,
        claim=plan.decision.claim,
        wording=plan.decision.wording[status],
        conditions=weighed.decided.conditions,
        decidable=weighed.decided.decidable,
        endpoints={name: estimate_of(each) for name, each in weighed.endpoints.items()},
        arms=summaries(plan.arms, known.settled),
        warnings=warnings(plan, known.frame, known.settled, weighed.endpoints),
        spec_digest=spec_digest,
        plan_digest=plan_digest,
        ledger_head=ledger_head,
        stage=plan.stage,
        simulated=known.frame.simulated,
        gaps=weighed.gaps,
        sizing=next_run(plan, weighed.endpoints),
        routes=plan.routes,
        not_compared=not_compared(plan, known.everyone, weighed.endpoints),
        post_hoc=post_hoc or {},
    )


def weigh(plan: AnalysisPlan, everyone: Population, pairings: Mapping[str, Pairing] | None = None) -> Weighed:
    """Estimate and decide. Judging a run, working out power and simulating all come through here.

    ``pairings`` are those of the endpoints where they were made before.

    Raises:
        IntegrityFault: The plan asks for what this version does not have.
    """
    endpoints = adjusted(plan.decision, estimates(plan.endpoints, everyone, pairings))
    gaps = {
        each.row.trial.id: each.why
        for task in everyone.tasks
        for arm in everyone.arms
        for each in everyone.trials.get((task.id, arm), ())
        if each.fate == "gap"
    }
    return Weighed(endpoints=endpoints, gaps=gaps, decided=decide(plan.decision, endpoints, gaps))


def head(lines: Sequence[Line]) -> str:
    """Give the digest of the last line that is not itself an analysis; so an identical re-analysis changes nothing."""
    last = next((line for line in reversed(lines) if not isinstance(line.record, Analysis)), None)
    return digest(encode(last)) if last is not None else ""


def _refuse_foreign(lines: Sequence[Line], spec_digest: str, plan_digest: str) -> None:
    opened = lines[0].record if lines else None
    if not isinstance(opened, Opened):
        return  # the frame says what is wrong with it
    for name, expected, got in (
        ("plan", plan_digest, opened.plan_digest),
        ("spec", spec_digest, opened.spec_digest),
    ):
        if expected != got:
            raise IntegrityFault(
                Fault(
                    code="foreign",
                    what=f"the ledger was opened for another {name}",
                    expected=expected,
                    got=got,
                    where="ledger line 1",
                    hint="analyse the run with the registration that it was made from",
                )
            )
