"""Which costs are known, and which comparisons of them were not made: a measured and an unknown cost are never set against each other."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from analyzer.population import Population, under
from analyzer.reading import tree
from analyzer.reckoned import Reckoned
from compiler.plan import AnalysisPlan, EndpointPlan
from spec_lang.expr.ast import reads

RULE = "a measured and an unknown cost are neither subtracted, divided nor ranked"


def costly(plan: AnalysisPlan) -> tuple[EndpointPlan, ...]:
    """Give the endpoints that stand on costs, through whatever measures."""
    return tuple(each for each in plan.endpoints if "cost" in _facts(plan, _asked(each)))


def not_compared(plan: AnalysisPlan, everyone: Population, endpoints: Mapping[str, Reckoned]) -> dict[str, str]:
    """Say of each endpoint on costs whose arms cannot be set against each other why not: which arm is unknown, on how much, and why."""
    found: dict[str, str] = {}
    if len(plan.arms) < 2:
        return found
    for endpoint in costly(plan):
        if not _lacks(endpoints[endpoint.name]):
            continue
        arms = _sides(endpoint, everyone)
        unknown = {arm: gaps for arm in arms if (gaps := list(_unknown(endpoint, everyone, arm)))}
        if not unknown:
            continue
        measured = [arm for arm in arms if arm not in unknown]
        said = "; ".join(f"{arm} is unknown on {_listed(gaps)}" for arm, gaps in unknown.items())
        alone = f"only {measured[0]} is measured throughout: " if len(measured) == 1 else ""
        found[endpoint.name] = f"{alone}{said}; {RULE}"
    return found


def _lacks(reckoned: Reckoned) -> bool:
    """Say whether what the endpoint sets side by side is unknown somewhere."""
    values = reckoned.values
    if values.get("unknown"):
        return True
    arms = values.get("arms")
    return "unknown" not in values and isinstance(arms, Mapping) and any(each is None for each in arms.values())


def _sides(endpoint: EndpointPlan, everyone: Population) -> tuple[str, ...]:
    if endpoint.compare is None:
        return everyone.arms
    named = reads(tree(endpoint.compare))
    return tuple(arm for name in named for arm in everyone.pools.get(name, (name,)))


def _unknown(endpoint: EndpointPlan, everyone: Population, arm: str) -> Iterator[str]:
    """Give the reason of each trial of an arm whose cost is unknown; over attempts also where a lost attempt's is."""
    for task in under(everyone, endpoint.where).tasks:
        for each in everyone.trials.get((task.id, arm), ()):
            own = each.fate == "scored" and each.values.get("cost") is None
            lost = endpoint.over == "attempts" and each.fate != "excluded" and None in each.row.spent
            if own or lost:
                why = each.row.reasons.get("cost")
                yield why or ("a lost attempt does not say" if lost else "no reason is recorded")


def _listed(reasons: Sequence[str]) -> str:
    counts = Counter(reasons).most_common()
    trials = f"{len(reasons)} trial{'' if len(reasons) == 1 else 's'}"
    return f"{trials} ({'; '.join(why if times == len(reasons) else f'{times}: {why}' for why, times in counts)})"


def _asked(endpoint: EndpointPlan) -> frozenset[str]:
    named = {endpoint.measure} if endpoint.measure else set[str]()
    return frozenset(named | (set(reads(tree(endpoint.per_arm))) if endpoint.per_arm else set[str]()))


def _facts(plan: AnalysisPlan, asked: frozenset[str]) -> frozenset[str]:
    """Follow measures down to the facts that they are made of."""
    found = set(asked)
    for _ in plan.measures:
        found |= {fact for name in found if name in plan.measures for fact in reads(tree(plan.measures[name]))}
    return frozenset(found)
