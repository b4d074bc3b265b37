"""What a run may cost in money and time, worked out before it from the registered limits and nothing else."""

from dataclasses import dataclass
from decimal import Decimal

from compiler.plan import RunPlan

LABEL = "an estimate made before the run from the registered limits: the most it may take, not a forecast"


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The most that a run may take. Money in USD, time in seconds of wall clock at the registered concurrency.

    ``usd_limits`` is what all trials may cost by their limits, ``usd`` the same under the budget; None when no limit is
    registered, with the sentence in ``unknown``. ``attempts`` counts every registered retry of every trial as used up.
    ``usd_retries`` and ``seconds_retries`` are the same bounds with every retry used up.
    """

    trials: int
    attempts: int
    usd: Decimal | None
    usd_limits: Decimal | None
    usd_retries: Decimal | None
    seconds: Decimal
    seconds_retries: Decimal
    unknown: str | None = None
    label: str = LABEL


def estimate(plan: RunPlan) -> Estimate:
    """Bound a run: trials times their arm's limits, divided over the workers; retries apart.

    Grading and preparing are not in it: they have no registered limit.
    """
    limits = {arm.name: arm.agent.limits for arm in plan.arms}
    retries = max((rule.retry or 0 for rule in plan.rules), default=0)
    seconds = sum((limits[trial.arm].time_s for trial in plan.trials), Decimal(0)) / max(1, plan.concurrency)
    costs = [limits[trial.arm].cost_usd for trial in plan.trials]
    unlimited = sorted({trial.arm for trial in plan.trials if limits[trial.arm].cost_usd is None})
    usd_limits = None if unlimited else sum((each for each in costs if each is not None), Decimal(0))
    usd_retries = None if usd_limits is None else usd_limits * (1 + retries)
    return Estimate(
        trials=len(plan.trials),
        attempts=len(plan.trials) * (1 + retries),
        usd=_least(usd_limits, plan.budget_usd),
        usd_limits=usd_limits,
        usd_retries=_least(usd_retries, plan.budget_usd),
        seconds=seconds,
        seconds_retries=seconds * (1 + retries),
        unknown=None if not unlimited else f"no cost limit is registered for {', '.join(unlimited)}",
    )


def _least(first: Decimal | None, second: Decimal | None) -> Decimal | None:
    known = [each for each in (first, second) if each is not None]
    return min(known) if known else None
