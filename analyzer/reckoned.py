"""An endpoint as it is computed: exact where it can be, before it is written down as doubles."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from analyzer.reading import tree
from analyzer.verdict import Estimate, Shown
from compiler.plan import EndpointPlan
from spec_lang.expr.ast import Arithmetic, Number

Amount: TypeAlias = "Fraction | float | int | str | None"
Entry: TypeAlias = "Amount | Amounts | list[str]"
Amounts: TypeAlias = Mapping[str, Entry]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reckoned:
    """One endpoint: ``values`` as in ``verdict.Estimate`` but exact; ``differences`` per task for sizing the next run."""

    endpoint: EndpointPlan
    values: Amounts
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tasks: Mapping[str, Amounts] = field(default_factory=dict)
    by: Mapping[str, Amounts] = field(default_factory=dict)
    differences: tuple[Fraction, ...] | None = None


def estimate_of(reckoned: Reckoned) -> Estimate:
    """Write a reckoned endpoint down: counts as integers, all else as the nearest doubles."""
    endpoint = reckoned.endpoint
    return Estimate(
        name=endpoint.name,
        role=endpoint.role,
        unit=unit_of(endpoint),
        values=shown_all(reckoned.values),
        reasons=reckoned.reasons,
        notes=reckoned.notes,
        tasks={task: shown_all(each) for task, each in reckoned.tasks.items()},
        by={level: shown_all(each) for level, each in reckoned.by.items()},
    )


def unit_of(endpoint: EndpointPlan) -> str:
    """Give the unit of an endpoint's estimate. A relative change (``A / B - 1``) is a share, though its type is a plain number."""
    if endpoint.unit == "number" and endpoint.compare is not None:
        match tree(endpoint.compare):
            case Arithmetic(sign="-", left=Arithmetic(sign="/"), right=Number(value=value)) if value == 1:
                return "share"
    return endpoint.unit


def shown_all(values: Amounts) -> dict[str, Shown]:
    """Write many values down."""
    return {name: shown(each) for name, each in values.items()}


def shown(amount: object) -> Shown:
    """Write one value down. A fraction becomes its nearest double, zero never a negative one."""
    if isinstance(amount, Fraction):
        return float(amount)
    if isinstance(amount, float):
        return amount + 0.0  # -0.0 would be another text for the same number
    if isinstance(amount, Mapping):
        return {str(name): shown(each) for name, each in amount.items()}
    if isinstance(amount, list | tuple):
        return [shown(each) for each in amount]
    assert amount is None or isinstance(amount, bool | int | str)
    return amount
