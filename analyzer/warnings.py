"""What a reader must know beside the verdict: simulated parts, contamination, retries, peeks, unknown values."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from analyzer.accounting import Accounts, cache_surprises
from analyzer.frame import Frame
from analyzer.gather import Gathered, used_up
from analyzer.judgments import judging
from analyzer.missing import Settled
from analyzer.reckoned import Reckoned
from compiler.plan import AnalysisPlan

_WINDOW = timedelta(hours=24)
"""The arms of a pair should run within one: over longer times services, loads and machines change."""


def warnings(
    plan: AnalysisPlan, frame: Frame, settled: Sequence[Settled], endpoints: Mapping[str, Reckoned]
) -> tuple[str, ...]:
    """Collect all warnings, in a fixed order."""
    return (
        *_stage(plan, frame),
        *_again(frame),
        *looks(frame.gathered),
        *_development(plan),
        *_contamination(plan),
        *_machines(frame),
        *_windows(frame),
        *_process(frame),
        *judging(plan, frame),
        *(cache_surprises(plan.cache, Accounts(frame, plan.arms)) if plan.cache else ()),
        *_unknown(settled, endpoints),
    )


def _stage(plan: AnalysisPlan, frame: Frame) -> Iterator[str]:
    if frame.simulated:
        yield "SIMULATED: outcomes were made up by a simulated or scripted agent; this is no evidence about any agent"
    if frame.simulated and not plan.simulated:
        yield "the plan does not say that the agent is simulated, the ledger does"
    if plan.stage in ("pilot", "smoke"):
        yield f"{plan.stage.upper()}: this run is not evidence for the claim; it tries out the design"


def _again(frame: Frame) -> Iterator[str]:
    """Say that a run repeats what was carried out before: a retry is another experiment, whoever saw what of the first."""
    opened = frame.gathered.opened
    same = [each for each in opened.earlier if each.registration == opened.registration] if opened else []
    if opened is not None and any(each.outcomes for each in same):
        runs = ", ".join(f"{each.run} with {_count(each.outcomes, 'outcome')}" for each in same)
        yield (
            f"RETRY EXPERIMENT: this is run {len(same) + 1} of {opened.registration}, after {runs}; "
            "it is reported apart, replaces nothing, and is pooled with nothing"
        )
    spent = [row.trial.id for row in frame.rows if any(used_up(each) for each in row.lost)]
    if spent:
        yield (
            f"{_count(len(spent), 'trial')} tried again after an attempt that used up its limits: that is a retry of a result, "
            f"not of what the world failed ({', '.join(spent[:5])}{', …' if len(spent) > 5 else ''})"
        )


def looks(gathered: Gathered) -> Iterator[str]:
    """Say how often outcomes were looked at before the close, and how early."""
    if gathered.peeks:
        first = min(each.outcomes for _, each in gathered.peeks)
        of = len(gathered.outcomes)
        times = _count(len(gathered.peeks), "time")
        yield f"outcomes were looked at {times} before the close, first with {first} of {of} there"


def _development(plan: AnalysisPlan) -> Iterator[str]:
    """Say of whose tasks the totals of arms are, too: what was tuned on a task is not shown by it."""
    kept = sum(each.use == "development" for each in plan.tasks)
    if kept:
        yield (
            f"{kept} of {_count(len(plan.tasks), 'task')} for development: they decide nothing, "
            "and what is told of an arm by itself (rates, totals, matrix, judgments) holds them too"
        )


def _contamination(plan: AnalysisPlan) -> Iterator[str]:
    flagged: dict[str, int] = {}
    for task in plan.tasks:
        for model in task.predates:
            flagged[model] = flagged.get(model, 0) + 1
    for model in sorted(flagged):
        yield f"contamination is possible: {_count(flagged[model], 'task')} may be in the training data of {model}"


def _machines(frame: Frame) -> Iterator[str]:
    if len(frame.gathered.machines) < 2:
        return
    machines: dict[tuple[str, int], set[str]] = {}
    for row in frame.rows:
        if row.outcome is not None and row.outcome.machine:
            machines.setdefault((row.trial.task, row.trial.seed), set()).add(row.outcome.machine)
    apart = sum(len(each) > 1 for each in machines.values())
    if apart:
        yield f"the arms of {_count(apart, 'pair')} of trials ran on different machines"


def _windows(frame: Frame) -> Iterator[str]:
    ends = frame.gathered.times.values()
    if not ends or min(ends)[:10] == max(ends)[:10]:
        return  # all on one day
    times: dict[tuple[str, int], list[str]] = {}
    for row in frame.rows:
        if (at := frame.gathered.times.get(row.trial.id)) is not None:
            times.setdefault((row.trial.task, row.trial.seed), []).append(at)
    apart = sum(_far(min(each), max(each)) for each in times.values())
    if apart:
        yield f"the arms of {_count(apart, 'pair')} of trials ended more than 24 hours apart"


def _far(first: str, last: str) -> bool:
    """Say whether two times of a ledger (RFC 3339 in UTC, so that they sort as text) lie further apart than one window."""
    if first[:10] == last[:10]:
        return False
    try:
        return datetime.fromisoformat(last) - datetime.fromisoformat(first) > _WINDOW
    except (ValueError, TypeError):  # no times, so nothing is known of them
        return False


def _process(frame: Frame) -> Iterator[str]:
    gathered = frame.gathered
    if gathered.deviations:
        yield f"{_count(len(gathered.deviations), 'deviation')} from the plan recorded"


def _unknown(settled: Sequence[Settled], endpoints: Mapping[str, Reckoned]) -> Iterator[str]:
    excluded = sum(each.fate == "excluded" for each in settled)
    if excluded:
        yield f"{_count(excluded, 'trial')} excluded by registered rules"
    for name, each in endpoints.items():
        unknown = each.values.get("unknown")
        if isinstance(unknown, int) and unknown:
            yield f"{name} is unknown on {_count(unknown, 'task')}; nothing that needs it is claimed"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
