"""The one route by which a run's costs are measured: the agent's own word, the provider's records, or the agent's tokens at prices.

A cost that the route cannot give is unknown with its reason; no other route steps in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from compiler.plan import AgentPlan
from compiler.routes import RoutesPlan
from executor.ports import Agent, AgentEnd, AgentEvent, Network
from executor.recording import Recording
from executor.treatments import ReachesModel, ReportsAsTold
from executor.turns import NEW_RUN, TOLD
from executor.usage import Bill
from ledger.plain import Plain

AGENT, PROVIDER, TABLE = "agent-result", "provider-usage", "price-table"
NAMED = "cost route"
"""Under this name an outcome's versions say by which route its cost was measured, and at which prices."""
_MILLION = 1_000_000
_MOST = Decimal(10**15)
"""USD; what claims more is no count of anything, and could not be written to nine places."""
_NEEDED = ("input_tokens", "output_tokens", "cache_read")
_KINDS: Mapping[str, str] = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read": "cache_read",
    "cache_write": "cache_write",
}
"""Trial fact → the kind of token under which the table has its price. An agent that never says what it wrote to a cache wrote nothing."""

Cost = tuple[Decimal | None, str]
"""A cost in USD, or why there is none."""


def deliverable(agent: Agent, plan: AgentPlan, network: Network) -> frozenset[str]:
    """Name the routes that an agent can deliver as it is configured; ``network`` is what it can reach."""
    told = agent.reports(plan) if isinstance(agent, ReportsAsTold) else agent.measures
    found = {AGENT} if "cost" in told else set[str]()
    if told.issuperset(_NEEDED):
        found.add(TABLE)
    if network == "model" and isinstance(agent, ReachesModel) and agent.access(plan) is not None:
        found.add(PROVIDER)
    return frozenset(found)


def by_route(end: AgentEnd, routes: RoutesPlan, plan: AgentPlan, recording: Recording | None) -> AgentEnd:
    """Give an agent's end with its cost by the registered route, whatever else it says of costs."""
    if routes.cost == AGENT:
        return end
    cost, why = _at_provider(routes, recording) if routes.cost == PROVIDER else _at_prices(routes, plan, end)
    if cost is not None and cost > _MOST:
        cost, why = None, "the counts of tokens that are told would cost more than all money there is"
    cost = None if cost is None else cost.quantize(Decimal("1e-9")).normalize()
    reasons = {**end.reasons, "cost": why} if cost is None else end.reasons
    return replace(end, measures={**end.measures, "cost": cost}, reasons=reasons)


def _at_provider(routes: RoutesPlan, recording: Recording | None) -> Cost:
    """Add up what every answer of the model used; one that does not say makes the sum unknown."""
    if recording is None:
        return None, "nothing went through the harness's proxy, so no record of the provider is known"
    with recording.lock:
        bills, under_way = tuple(recording.bills), recording.open
    if under_way:
        return None, "an answer of the provider was still under way when the agent ended"
    if not bills:
        return None, "no answer of the provider came through the harness's proxy"
    silent = sum(each.usage is None for each in bills)
    if silent:
        return None, f"{silent} of {len(bills)} answers of the provider do not say what they used"
    costs = [_stated(each) if routes.prices is None else _billed(each, routes) for each in bills]
    return _sum(costs)


def _stated(bill: Bill) -> Cost:
    """Take the provider's own word: without a table no other is comparable."""
    return bill.cost, "the provider's answers state no cost, and no price table is registered"


def _billed(bill: Bill, routes: RoutesPlan) -> Cost:
    assert bill.usage is not None
    model = bill.answered if bill.answered in routes.models else bill.asked
    if model is None or model not in routes.models:
        names = " nor ".join(dict.fromkeys(f"{each}" for each in (bill.answered, bill.asked) if each)) or "a model"
        return None, f"the price table has no price of {names}"
    if not bill.split and "cache_read" in routes.models[model]:
        return (
            None,
            f"the provider's answers do not say what came from a cache, which the price table prices apart for {model}",
        )
    long = min(bill.cache_write_1h, bill.usage["cache_write"])
    used = {_KINDS[fact]: count for fact, count in bill.usage.items()}
    return _priced(model, {**used, "cache_write": used["cache_write"] - long, "cache_write_1h": long}, routes)


def _at_prices(routes: RoutesPlan, plan: AgentPlan, end: AgentEnd) -> Cost:
    """Price the tokens that the agent reports, model by model where it tells them apart."""
    said = _by_model(end)
    if said is None:
        return None, "the agent ended a turn without saying what each model used"
    by_model = dict(said)
    if not by_model:
        model = plan.model or str(end.session.get("model") or "a model that the agent does not name")
        by_model = {model: {fact: _count(end.measures.get(fact)) for fact in _KINDS}}
    costs: list[Cost] = []
    for model, used in by_model.items():
        unknown = [fact for fact in _NEEDED if used.get(fact) is None]
        if unknown:
            costs.append((None, f"the agent does not report {', '.join(unknown)} of {model}"))
        elif model not in routes.models:
            costs.append((None, f"the price table has no price of {model}"))
        else:
            costs.append(_priced(model, {kind: used.get(fact) or 0 for fact, kind in _KINDS.items()}, routes))
    return _sum(costs)


def _by_model(end: AgentEnd) -> Mapping[str, Mapping[str, int | None]] | None:
    """Read what an agent's events say each model used; None where a turn does not say it and no later one includes it."""
    conversations, told = _conversations(end.events), list[Mapping[str, Plain]]()
    if not any(turn for conversation in conversations for turn in conversation):
        return {}
    for conversation in conversations:
        last = conversation[-1][-1:]
        if last and last[0].get("cumulative") is True:
            told += last
        elif all(conversation):
            told += (each for turn in conversation for each in turn)
        else:
            return None
    totals: dict[str, dict[str, int | None]] = {}
    for data in told:
        models = data["models"]
        assert isinstance(models, Mapping)
        for model, used in models.items():
            total = totals.setdefault(model, dict.fromkeys(_KINDS, 0))
            for fact in _KINDS:
                more, so_far = _count(used.get(fact)) if isinstance(used, Mapping) else None, total[fact]
                total[fact] = None if more is None or so_far is None else so_far + more
    return totals


def _conversations(events: Sequence[AgentEvent]) -> list[list[list[Mapping[str, Plain]]]]:
    """Give what is said of models, for each turn of each conversation; the harness's own marks tell where they begin."""
    found: list[list[list[Mapping[str, Plain]]]] = [[[]]]
    for event in events:
        if event.kind == "harness" and event.data.get("what") == NEW_RUN:
            found.append([[]])
        elif event.kind == "harness" and event.data.get("what") == TOLD:
            found[-1].append([])
        elif event.kind == "usage" and isinstance(event.data.get("models"), Mapping):
            found[-1][-1].append(event.data)
    return found


def _priced(model: str, used: Mapping[str, int], routes: RoutesPlan) -> Cost:
    prices, total = routes.models[model], Decimal(0)
    for kind, count in used.items():
        if count and kind not in prices:
            return None, f"the price table has no price of {kind} for {model}"
        total += count * prices.get(kind, Decimal(0)) / _MILLION
    return total, ""


def _sum(costs: Sequence[Cost]) -> Cost:
    """Add up; one unknown part makes the whole unknown."""
    whys = dict.fromkeys(why for cost, why in costs if cost is None)
    if whys:
        return None, "; ".join(whys)
    return sum((cost for cost, _ in costs if cost is not None), Decimal(0)), ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
