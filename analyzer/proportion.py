"""Wilson intervals of counts, one an arm."""

from collections.abc import Mapping

from analyzer.procedures import refuse
from analyzer.reckoned import Amount, Amounts, Entry
from compiler.plan import EndpointPlan
from stats.proportions import wilson


def wilson_of(endpoint: EndpointPlan, counts: Mapping[str, Amount], totals: Mapping[str, int]) -> Amounts:
    """Give each arm's Wilson interval over its tasks or trials; None where its count is unknown or nothing was tried.

    Raises:
        IntegrityFault: The plan asks for another interval of a value of one arm.
    """
    assert endpoint.interval is not None
    if endpoint.interval.kind != "wilson":
        raise refuse(
            endpoint.interval, f"endpoints.{endpoint.name}.interval", "a value of one arm has a wilson interval or none"
        )
    level = str(endpoint.interval.options.get("level", "0.95"))
    bounds: dict[str, Entry] = {}
    for arm, total in totals.items():
        count = counts.get(arm)
        if isinstance(count, int) and total:
            found = wilson(count, total, level=level)
            bounds[arm] = {"lower": found.lo, "upper": found.hi}
        else:
            bounds[arm] = None
    return bounds
