"""Endpoints: a form that can be computed, a test and an interval that fit their data, and nothing left to choose afterwards."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from compiler.arms import resolve
from compiler.attempts import of_trials
from compiler.checks.subject import Key, Subject, each, fault, unknown_name
from compiler.crossing import PAIRED_BOOL
from compiler.typed import COUNTING, EndpointTypes, endpoint_types, measure_types
from spec_lang.catalog import SOURCE_FACTS, TRIAL_FACTS
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Arithmetic, Call, Name, reads, walk
from spec_lang.expr.builtins import BY_NAME
from spec_lang.expr.types import NumberType, describe
from spec_lang.model import Endpoint
from spec_lang.span import Span

CODES = {
    "P341": "seeds brought together in a way that does not fit the measure",
    "P342": "a measure that no agent of an arm reports",
    "P343": "a comparison that does not compare",
    "P344": "a test or interval that does not fit its data",
    "P345": "a level outside its range",
    "P347": "a statistic that is not named",
    "P348": "a grouping by what no source gives",
    "P349": "an endpoint over attempts that does not add them up",
}

NUMERIC = frozenset({"wilcoxon-signed-rank", "sign-flip", "hodges-lehmann"})
"""Procedures over differences of numbers."""

OF_SHARES = frozenset({"wilson"})
"""Procedures over one arm's share."""

YES_NO = frozenset({"majority", "pass-at-k", "pass-hat-k"})
"""Ways of bringing seeds together that need a yes or no."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """One endpoint that is looked at: its name, what it says, and the types of its parts."""

    subject: Subject
    name: str
    endpoint: Endpoint
    types: EndpointTypes

    def at(self, *path: Key) -> Span:
        """The span of something in this endpoint."""
        return self.subject.at("endpoints", self.name, *path)


def check_endpoints(subject: Subject) -> Iterator[Diagnostic]:
    """Each endpoint can be computed in one way only.

    1. Seeds are brought together as the measure allows: ``only`` with one seed, ``majority`` and pass@k of a yes or no.
    2. A comparison reads at least two arms; tests and intervals fit the data; a bootstrap and a bare difference name
       their statistic.
    3. What is measured is reported by the agent of every arm, or by the harness.
    """
    spec = subject.spec
    types = endpoint_types(spec, measure_types(spec))
    for name in each(spec.endpoints):
        for part in PARTS:
            yield from part(Looked(subject=subject, name=name, endpoint=spec.endpoints[name], types=types[name]))


def _per_task(looked: Looked) -> Iterator[Diagnostic]:
    endpoint, types = looked.endpoint, looked.types
    how, seeds = endpoint.per_task, looked.subject.spec.trials.seeds
    span = looked.at("per_task")
    if how is None or types.measure is None:
        return
    if how == "only" and seeds != 1:
        hint = "per_task: majority" if types.is_bool else "per_task: mean"
        yield fault("P341", f"`only` needs one seed, and there are {seeds}", span, hint=hint)
    if how in YES_NO and not types.is_bool:
        summary = f"`{how}` needs true or false; `{endpoint.measure}` is {describe(types.measure)}"
        yield fault("P341", summary, span, hint="per_task: mean")
    if how in {"mean", "sum"} and not types.is_bool and not isinstance(types.measure, NumberType):
        summary = f"`{how}` needs a number; `{endpoint.measure}` is {describe(types.measure)}"
        yield fault("P341", summary, span, hint="show each task with per_task: only")
    if how in {"pass-at-k", "pass-hat-k"} and not 1 <= (endpoint.k or 0) <= seeds:
        summary = f"`{how}` needs k from 1 to {seeds}, the number of seeds"
        yield fault("P341", summary, looked.at("k"), hint="k: 1")


def _compare(looked: Looked) -> Iterator[Diagnostic]:
    endpoint = looked.endpoint
    if endpoint.compare is None or looked.types.estimate is None:
        return
    arms = [read for read in reads(endpoint.compare.tree) if read in looked.subject.spec.arms]
    if len(arms) < 2:
        yield fault("P343", f"`{endpoint.compare.text}` compares fewer than two arms", endpoint.compare.span)


def _fit(looked: Looked) -> Iterator[Diagnostic]:
    endpoint, types = looked.endpoint, looked.types
    for key, choice in (("test", endpoint.test), ("interval", endpoint.interval)):
        if choice is None:
            continue
        span = looked.at(key, "kind")
        counting = types.is_bool and endpoint.per_task in COUNTING
        if choice.kind in PAIRED_BOOL and not (counting and _is_difference(endpoint)):
            why = _why_not_counting(endpoint, types)
            hint = "wilcoxon-signed-rank" if key == "test" else "bootstrap-percentile"
            summary = f"`{choice.kind}` needs one yes or no a task and arm, compared as A - B"
            yield fault("P344", summary, span, detail=why, hint=f"for numbers: {hint}")
        if choice.kind in NUMERIC and (counting or endpoint.compare is None):
            hint = "mcnemar-exact" if key == "test" else "newcombe-paired"
            summary = f"`{choice.kind}` needs a difference of numbers; `{looked.name}` has a yes or no for each task"
            if endpoint.compare is None:
                summary = f"`{choice.kind}` needs a comparison, and `{looked.name}` has none"
            yield fault("P344", summary, span, hint=f"for yes and no: {hint}")
        if choice.kind in OF_SHARES and (endpoint.per_arm is None or not endpoint.per_arm.text.startswith("share(")):
            yield fault("P344", f"`{choice.kind}` needs one arm's share", span, hint="per_arm: share(solved)")
        elif endpoint.per_arm is not None and choice.kind not in {*OF_SHARES, *PAIRED_BOOL, *NUMERIC}:
            summary = f"`{choice.kind}` needs one value a task; `{looked.name}` is one value an arm"
            yield fault("P344", summary, span, hint="for one arm's share: wilson; for tasks: measure and compare")


def _why_not_counting(endpoint: Endpoint, types: EndpointTypes) -> str | None:
    if types.measure is not None and not types.is_bool:
        return f"`{endpoint.measure}` is {describe(types.measure)}"
    if endpoint.per_task not in COUNTING:
        return f"per_task: {endpoint.per_task} gives a share"
    return None


def _is_difference(endpoint: Endpoint) -> bool:
    tree = endpoint.compare.tree if endpoint.compare is not None else None
    match tree:
        case Arithmetic(sign="-", left=Name(), right=Name()):
            return True
        case _:
            return False


def _level(looked: Looked) -> Iterator[Diagnostic]:
    interval = looked.endpoint.interval
    level = interval.options.get("level") if interval is not None else None
    if level is not None and (not isinstance(level, Decimal | int) or not Decimal("0.5") <= Decimal(level) < 1):
        span = looked.at("interval", "level")
        yield fault("P345", f"level {level} does not lie between 0.5 and 1", span, hint="level: 0.95")


def _statistic(looked: Looked) -> Iterator[Diagnostic]:
    name, endpoint = looked.name, looked.endpoint
    if endpoint.statistic is not None or endpoint.per_arm is not None:
        return
    span = looked.subject.key("endpoints", name)
    interval = endpoint.interval.kind if endpoint.interval else ""
    if interval.startswith("bootstrap"):
        yield fault("P347", f"`{name}` does not say what its interval is of", span, hint="statistic: median")
    elif endpoint.compare is not None and not (endpoint.test or endpoint.interval or endpoint.show):
        yield fault("P347", f"`{name}` does not say how tasks come together", span, hint="statistic: median")


def _reported(looked: Looked) -> Iterator[Diagnostic]:
    subject, endpoint = looked.subject, looked.endpoint
    if subject.reported is None:
        return
    asked = {endpoint.measure} if endpoint.measure else set()
    asked |= set(reads(endpoint.per_arm.tree)) if endpoint.per_arm else set()
    facts = facts_behind(subject, frozenset(asked))
    for arm in resolve(subject.spec):
        able = subject.reported(arm)
        of_agent = (
            facts - {"cost"} if subject.cost_routes is not None else facts
        )  # costs have routes, and a check of their own
        lacking = sorted(fact for fact in of_agent if able is not None and fact in AGENT_FACTS and fact not in able)
        if lacking:
            path = "measure" if endpoint.measure else "per_arm"
            yield fault(
                "P342",
                f"`{lacking[0]}` is not reported by the agent of arm `{arm.name}`, `{arm.agent.kind}` as it is configured",
                looked.at(path),
                detail="its value would be unknown on every trial",
                hint="measure something that it reports, or what the harness measures itself (verdict, time)",
            )
            return


def facts_behind(subject: Subject, asked: frozenset[str]) -> frozenset[str]:
    """Follow measures down to the facts that they are made of."""
    found = set(asked)
    for _ in subject.spec.measures:
        found |= {
            fact for name in found if name in subject.spec.measures for fact in reads(subject.spec.measures[name].tree)
        }
    return frozenset(found & set(TRIAL_FACTS))


AGENT_FACTS = frozenset(
    {
        "cost", "turns", "tokens", "input_tokens", "output_tokens", "cache_read", "cache_write", "tool_calls",
        "tool_errors", "calls_before_first_edit",
    }
)  # fmt: skip
"""Trial facts that only the agent can tell; all others come from the harness."""


def _by(looked: Looked) -> Iterator[Diagnostic]:
    kinds = {tasks.source.kind for tasks in looked.subject.spec.tasks.values()}
    known = {"set", "category", *(fact for kind in kinds for fact in SOURCE_FACTS.get(kind, {}))}
    for place, fact in enumerate(looked.endpoint.by):
        if fact not in known:
            yield unknown_name("P348", "fact of a task", fact, known, looked.at("by", place))
    interval = looked.endpoint.interval
    cluster = interval.options.get("by") if interval is not None else None
    if cluster is not None and cluster not in known:
        yield unknown_name("P348", "fact of a task", str(cluster), known, looked.at("interval", "by"))


def _over(looked: Looked) -> Iterator[Diagnostic]:
    """Over attempts, one aggregate counts trials or attempts, and no interval takes attempts for tasks."""
    endpoint, spec = looked.endpoint, looked.subject.spec
    if endpoint.over != "attempts" or endpoint.per_arm is None:
        return
    if endpoint.interval is not None:
        summary = "an interval takes attempts at one task for tasks"
        yield fault("P349", summary, looked.at("interval"), hint="leave the interval out, or over: trials")
    whole = of_trials({name: each.tree for name, each in spec.measures.items()})
    for node in walk(endpoint.per_arm.tree):
        builtin = BY_NAME.get(node.name.text) if isinstance(node, Call) else None
        names = set(reads(node)) if builtin is not None and builtin.aggregate else set()
        if names & whole and names - whole:
            of_trial, of_attempt = min(names & whole), min(names - whole)
            summary = f"a trial has one `{of_trial}`, and each attempt its own `{of_attempt}`"
            hint = "name both together as one measure, which counts the attempt with the outcome"
            yield fault("P349", summary, endpoint.per_arm.where(node), hint=hint)


Part = Callable[[Looked], Iterator[Diagnostic]]

PARTS: tuple[Part, ...] = (_per_task, _compare, _fit, _level, _statistic, _reported, _by, _over)
"""What is looked at in each endpoint, in order."""
