"""The budget guard: what is spent, and what running and unknown-cost attempts may have spent, never passes the registered total."""

from collections.abc import Mapping
from decimal import Decimal

from compiler.plan import RunPlan
from executor.history import History
from ledger.codec import decimal_text
from ledger.errors import Fault, WorldFault

_MORE = "amend the registration with a larger budget (prereg amend), or leave the run incomplete"
_LOOK = (
    "no attempt told what it cost: see what the agent printed (stdout and stderr of its lines in ledger.jsonl are files in blobs/) "
    "before you amend the budget"
)


def arm_limits(plan: RunPlan) -> dict[str, Decimal]:
    """Give the most that one attempt of each arm may cost (USD).

    Raises:
        WorldFault: The plan has a budget and an arm without a cost limit (``budget``): nothing could be reserved for it.
    """
    if plan.budget_usd is None:
        return {}
    limits: dict[str, Decimal] = {}
    for arm in plan.arms:
        limit = arm.agent.limits.cost_usd
        if limit is None:
            raise WorldFault(
                Fault(
                    code="budget",
                    what=f"the run has a budget, but an attempt of {arm.name} may cost anything",
                    where=f"arms.{arm.name}",
                    hint="give the agent a cost limit (limits: {cost: 2 USD}) and register again",
                )
            )
        limits[arm.name] = limit
    return limits


def committed(history: History, limits: Mapping[str, Decimal]) -> Decimal:
    """Give what may be gone already: known costs of all attempts, and the limit of each running and each unknown-cost attempt."""
    running = sum((limits[arm] for arm in history.open.values()), Decimal(0))
    unknown = sum((limits[arm] * count for arm, count in history.unknown.items()), Decimal(0))
    return history.spent + running + unknown


def affordable(plan: RunPlan, history: History, limits: Mapping[str, Decimal], arm: str) -> bool:
    """Say whether one more attempt of an arm fits, at its limit."""
    return plan.budget_usd is None or committed(history, limits) + limits[arm] <= plan.budget_usd


def exhausted(plan: RunPlan, history: History, limits: Mapping[str, Decimal], arm: str) -> WorldFault:
    """Say that the next attempt does not fit, and what is left."""
    assert plan.budget_usd is not None
    held = committed(history, limits) - history.spent
    left = plan.budget_usd - history.spent - held
    said = f"{decimal_text(history.spent)} USD spent, {decimal_text(held)} USD held for attempts of unknown cost"
    return WorldFault(
        Fault(
            code="budget",
            what=f"the budget does not reach for another attempt of {arm}, which may cost {decimal_text(limits[arm])} USD",
            expected=f"at most {decimal_text(plan.budget_usd)} USD in all",
            got=f"{said}, {decimal_text(left)} USD left",
            hint=_LOOK if held and not history.spent else _MORE,
        )
    )
