"""The size of the design: how many tasks each endpoint has, and whether the registered reasons for that number stand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from compiler.checks.rule import deciding_sets
from compiler.checks.subject import Subject, fault
from compiler.checks.supports import Design, smallest_p
from compiler.crossing import arm_ids
from compiler.facts import candidate_facts, judge_conditions
from compiler.rewrite import condition_texts
from compiler.typed import endpoint_types, measure_types
from spec_lang.diagnostics import Diagnostic
from spec_lang.expr.ast import Arithmetic, Name, Node, walk
from spec_lang.expr.types import NumberType, describe
from spec_lang.model import Endpoint, NextRun

CODES = {
    "P360": "a sample size without its reason",
    "P361": "a floor that the design cannot reach",
    "P363": "a number out of its range, or on another scale than what it belongs to",
    "P365": "a ranking or percentage in words, over too few tasks",
    "P366": "a budget that may not last, or cannot be kept",
}

FEWEST_FOR_SHARES = next(n for n in range(1, 64) if 2 * Fraction(1, 2**n) < Fraction(1, 20))
"""Six: with fewer tasks all of 2^n sign patterns are too many for an exact paired two-sided p below 0.05 (McNemar 1947, Wilcoxon 1945),
and one task moves a share by more than 16 points: counts and existence claims only."""

_RANKING = re.compile(
    r"\d\s*%|\bper\s?cent\b|\brank|\bbest\b|\bworst\b|\bfastest\b|\bcheapest\b|\bleader|\bwinner", re.IGNORECASE
)


def check_sample_size(subject: Subject) -> Iterator[Diagnostic]:
    """The number of tasks has a reason, can reach its own floor, and carries what is said with it."""
    yield from _reason(subject)
    yield from _numbers(subject)
    yield from _budget(subject)
    tasks = task_count(subject, deciding_sets(subject))
    if tasks is None:
        return
    floor = subject.spec.sample_size.floor
    if floor is not None and floor.base > tasks:
        span = subject.at("sample_size", "floor")
        why = f"{tasks} tasks cannot give {floor.base} pairs that differ"
        yield fault("P361", f"a floor of {floor.base} is above the {tasks} tasks there are", span, detail=why)
    if tasks < FEWEST_FOR_SHARES:
        yield from _words(subject, tasks)


def task_count(subject: Subject, sets: Sequence[str]) -> int | None:
    """Give the number of tasks in some sets: as drawn, else as ``take`` says; None when only a pool can tell."""
    if subject.drawn is not None:
        return sum(len(subject.drawn.get(name, ())) for name in sets)
    takes = [subject.spec.tasks[name].draw for name in sets if name in subject.spec.tasks]
    if any(draw.take == "all" or draw.at_most for draw in takes):
        return None
    return sum(int(draw.take) for draw in takes)


def designs(subject: Subject, sets: Sequence[str]) -> dict[str, Design] | None:
    """Bound every endpoint by the number of its tasks; None when that number is not known yet."""
    spec = subject.spec
    tasks = task_count(subject, sets)
    if tasks is None:
        return None
    types = endpoint_types(spec, measure_types(spec))
    losing = any(rule.exclude is not None or rule.keep is not None for rule in spec.missing.rules)
    found: dict[str, Design] = {}
    for name, endpoint in subject.endpoints.items():
        treatment, control = _pair(endpoint)
        counted = tasks if not endpoint.where else _where_count(subject, sets, endpoint)
        base, _, level = name.partition(".")
        of = types[base]
        kind = of.measure if of.measure is not None else of.value
        found[name] = Design(
            endpoint=endpoint,
            tasks=tasks if counted is None else counted,
            shrinks=losing or counted is None or (endpoint.compare is not None and "/" in endpoint.compare.text),
            is_bool=of.is_bool,
            # Every fact of a trial is a count, an amount or a duration; only subtraction makes anything negative.
            nonnegative=of.is_bool or (isinstance(kind, NumberType) and not _subtracts(subject, endpoint)),
            seeds=spec.trials.seeds,
            treatment=treatment,
            control=control,
            pooled=bool(spec.across) and not level,
        )
    return _corrected(subject, found)


def _corrected(subject: Subject, found: Mapping[str, Design]) -> dict[str, Design]:
    """Raise the smallest p of a family's members by what the correction leaves them."""
    family = subject.spec.decision.family
    members = [name for name in family.members if name in found and found[name].endpoint.test] if family else []
    own = {name: smallest_p(test, found[name].tasks) for name in members if (test := found[name].endpoint.test)}
    if family is None or not own:
        return dict(found)
    floors = _in_sequence(own) if family.correction == "fixed-sequence" else _by_holm(own)
    return {name: replace(each, family=floors[name]) if name in floors else each for name, each in found.items()}


def _by_holm(own: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Of m members the smallest p is multiplied by m, and no other falls below it."""
    return dict.fromkeys(own, min(Fraction(1), len(own) * min(own.values())))


def _in_sequence(own: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """No member's p falls below that of one before it."""
    floors: dict[str, Fraction] = {}
    for name, floor in own.items():
        floors[name] = max(floor, *floors.values(), Fraction(0))
    return floors


def _pair(endpoint: Endpoint) -> tuple[str | None, str | None]:
    tree = endpoint.compare.tree if endpoint.compare is not None else None
    match tree:
        case Arithmetic(sign="-", left=Name(parts=(treatment,)), right=Name(parts=(control,))):
            return treatment, control
        case _:
            return None, None


def _subtracts(subject: Subject, endpoint: Endpoint) -> bool:
    """Tell whether a measure, or what a per-arm value is made of, subtracts anywhere."""
    texts = [subject.spec.measures[name].text for name in sorted(subject.spec.measures)]
    texts += [endpoint.per_arm.text] if endpoint.per_arm else []
    return any("-" in text for text in texts)


def _where_count(subject: Subject, sets: Sequence[str], endpoint: Endpoint) -> int | None:
    if subject.drawn is None:
        return None
    conditions = condition_texts(subject.spec, endpoint.where)
    return sum(
        not judge_conditions(conditions, subject.spec.tasks[name].source.kind, candidate_facts(candidate))
        for name in sets
        for candidate in subject.drawn.get(name, ())
    )


def _reason(subject: Subject) -> Iterator[Diagnostic]:
    size = subject.spec.sample_size
    if size.rationale == "power" and size.statement is None and size.floor is None and size.next is None:
        span = subject.at("sample_size", "rationale")
        why = "a power calculation has an effect, a spread and a result"
        yield fault("P360", "power is named, and nothing that was worked out", span, detail=why, hint="statement: …")


def _numbers(subject: Subject) -> Iterator[Diagnostic]:
    spec = subject.spec
    following = spec.sample_size.next
    if following is not None:
        for key in ("alpha", "power"):
            value: Decimal = getattr(following, key)
            if not 0 < value < 1:
                span = subject.at("sample_size", "next", key)
                yield fault("P363", f"{key} {value} does not lie between 0 and 1", span)
        if 0 < following.power <= following.alpha < 1:
            span = subject.at("sample_size", "next", "power")
            why = "a test that looks at nothing supports its claim as often as that"
            hint = "alpha: 0.05, power: 0.8"
            yield fault(
                "P363",
                f"a power of {following.power} is not above alpha {following.alpha}",
                span,
                detail=why,
                hint=hint,
            )
        if following.effect.base == 0:
            why = "no sample can show an effect of nothing"
            yield fault("P363", "an effect of nothing", subject.at("sample_size", "next", "effect"), detail=why)
        if following.endpoint in spec.endpoints:
            yield from _scale(subject, following)


def _scale(subject: Subject, following: NextRun) -> Iterator[Diagnostic]:
    """An effect is a share: of what the control costs where a comparison divides by it, else of all tasks.

    The formula divides the spread of the per-task differences by the effect, so both are of one scale.
    """
    spec, name = subject.spec, following.endpoint
    endpoint, types = spec.endpoints[name], endpoint_types(spec, measure_types(spec))[name]
    span = subject.at("sample_size", "next", "endpoint")
    hint = "next: {endpoint: …} names one with compare: A / B - 1, or the difference of a yes or no"
    if endpoint.compare is None:
        summary = f"`{name}` compares no arms, so it has no effect to size a run for"
        yield fault("P363", summary, span, hint=hint)
    elif types.is_bool:
        if following.effect.base > 1:
            summary = f"an effect of {float(following.effect.base) * 100:g} % of the tasks is more than all of them"
            yield fault("P363", summary, subject.at("sample_size", "next", "effect"))
    elif types.estimate is not None and not _divides(endpoint.compare.tree):
        summary = f"the effect is a share, and `{name}` is a difference in {describe(types.estimate)}"
        why = f"the formula sets the spread of `{endpoint.compare.text}` against it"
        yield fault("P363", summary, span, detail=why, hint=hint)


def _divides(tree: Node) -> bool:
    return any(isinstance(node, Arithmetic) and node.sign == "/" for node in walk(tree))


def _budget(subject: Subject) -> Iterator[Diagnostic]:
    """A budget that is surely too small is said before the run; where no cost limit is set, nothing is sure."""
    spec, tasks = subject.spec, task_count(subject, sorted(subject.spec.tasks))
    cost = spec.agent.limits.cost
    if spec.trials.budget is not None and cost is None:
        why = "an attempt that is running holds its limit back from the budget; without one nothing can be held back"
        hint = "agent: {limits: {cost: 2 USD}}"
        span = subject.key("trials", "budget")
        yield fault("P366", "a budget, and no cost limit", span, detail=why, hint=hint, severity="warning")
    if spec.trials.budget is None or cost is None or tasks is None:
        return
    trials = tasks * len(arm_ids(spec)) * spec.trials.seeds
    needed, total = trials * cost.base, spec.trials.budget.total.base
    if total < cost.base:
        summary = f"a budget of {total} USD does not pay one trial, which may cost {cost.base} USD"
        yield fault("P366", summary, subject.at("trials", "budget", "total"))
    elif needed > total:
        why = (
            f"{trials} trials of at most {cost.base} USD are {needed} USD; the guard stops before the budget is passed"
        )
        summary = f"the budget may not last: {total} USD of {needed} USD"
        yield fault("P366", summary, subject.at("trials", "budget", "total"), detail=why, severity="warning")


def _words(subject: Subject, tasks: int) -> Iterator[Diagnostic]:
    why = f"one of {tasks} tasks moves a share by {100 / max(tasks, 1):.0f} points"
    for path, text in (
        (("decision", "claim"), subject.spec.decision.claim),
        (("decision", "wording", "supported"), subject.spec.decision.wording.supported),
    ):
        if _RANKING.search(text):
            summary = f"a ranking or percentage is claimed over {tasks} tasks"
            hint = "say what was shown to exist, not how often or how much better"
            yield fault("P365", summary, subject.at(*path), detail=why, hint=hint, severity="warning")
