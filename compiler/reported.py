"""What a report tells beside its numbers: routes, what nothing scored, what arms were granted, what the run was to take."""

from collections.abc import Sequence
from dataclasses import replace

from compiler.arms import original
from compiler.crossing import arm_ids
from compiler.estimate import estimate
from compiler.plan import AnalysisPlan, ArmPlan, RunPlan, one_tool
from compiler.prices import routes_told
from ledger.codec import decimal_text
from spec_lang.model import Spec
from spec_lang.quantity import Range


def with_report(plan: AnalysisPlan, spec: Spec, run: RunPlan) -> AnalysisPlan:
    """Give an analysis plan with all that its report tells of the run."""
    return replace(
        plan,
        routes=routes_told(run.routes),
        unscored={name: spec.unscored[name] for name in sorted(spec.unscored)},
        accommodations={name: original(spec, each.name).accommodations for name, each in arm_ids(spec).items()},
        same_tool=same_tool(run.arms),
        estimate=_estimate(spec, run),
    )


def same_tool(arms: Sequence[ArmPlan]) -> tuple[tuple[str, ...], ...]:
    """Group the arms that are driven by one program."""
    groups: list[list[ArmPlan]] = []
    for arm in arms:
        mine = next((each for each in groups if one_tool(each[0].agent, arm.agent)), None)
        if mine is None:
            groups.append([arm])
        else:
            mine.append(arm)
    return tuple(tuple(arm.name for arm in each) for each in groups if len(each) > 1)


def _estimate(spec: Spec, run: RunPlan) -> dict[str, str]:
    most = estimate(run)
    told = {"most_s": decimal_text(most.seconds)}
    if most.usd is not None:
        told["most_usd"] = decimal_text(most.usd)
    budget = spec.trials.budget
    if budget is not None and budget.estimate is not None:
        told["usd"] = _ends(budget.estimate)
    if budget is not None and budget.estimate_time is not None:
        told["s"] = _ends(budget.estimate_time)
    return told


def _ends(found: Range) -> str:
    return f"{decimal_text(found.low.base)}..{decimal_text(found.high.base)}"
