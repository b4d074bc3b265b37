"""Rehearses a design: simulated ledgers through the real frame, missing-data rules, estimates and decision, in many worlds.

One experiment is a number: with the seed it names every trial that is drawn (``compiler.simulation``), so an experiment
comes out alike whatever ran before it and on whichever machine. All worlds share what is drawn and differ in profiles alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from analyzer.frame import Fact, frame
from analyzer.judge import Weighed, weigh
from analyzer.missing import Rules, settle
from analyzer.reading import tree
from analyzer.reckoned import Reckoned
from analyzer.verdict import Status
from compiler.plan import AnalysisPlan, TrialPlan, lowered
from compiler.simulation import Profile, SimulatedTrial, sample
from ledger.codec import decimal_text
from ledger.plain import Plain
from ledger.records import KINDS, Claimed, Closed, Infrastructure, Line, Opened, Outcome, Record
from spec_lang.expr.ast import reads

_KIND = {noun: kind for kind, noun in KINDS.items()}
_APART = 1 << 32
"""Experiments of one seed; the next seed's follow them."""

_NEVER = 1 << 20
_KEPT = 1 << 12
"""Trials that are remembered between worlds."""

Ends = tuple[float, float] | None
"""An interval, or None where the data gave none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What one experiment gave for one interval: its ends, and the values that the truth is pooled from (weights with them)."""

    ends: Ends
    values: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """What one experiment in one world came to.

    ``holds`` is of each condition, decidable ones first. ``measured`` is by (endpoint, arm or ""). ``known_usd`` is what
    all attempts cost whose cost is known, ``unknown`` the number of the others, ``most_usd`` with them at their limit.
    """

    status: Status
    holds: tuple[bool | None, ...]
    measured: Mapping[tuple[str, str], Measured]
    known_usd: float
    unknown: int
    attempts: int
    most_usd: float | None
    blank: frozenset[str] = field(default_factory=frozenset)
    """Endpoints that were unknown on every task: nothing that was assumed says what they measure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """A design, ready to be played: its trials and its rules, read once.

    ``read`` are the facts that anything reads, ``judged`` those that decide whether an attempt is repeated (None: none is).
    """

    plan: AnalysisPlan
    trials: tuple[TrialPlan, ...]
    rules: Rules
    read: frozenset[str]
    judged: frozenset[str] | None
    limits: Mapping[str, Mapping[str, Fact]]
    drawn: dict[tuple[TrialPlan, Profile, int], tuple[tuple[Record, ...], str | None]] = field(default_factory=dict)
    """What was drawn last: worlds in which an arm looks the same share its trials. It changes nothing but time."""


def stage(plan: AnalysisPlan) -> Stage:
    """Prepare a design."""
    trials = tuple(
        TrialPlan(task=task.id, arm=arm, seed=seed)
        for task in plan.tasks
        for arm in plan.arms
        for seed in range(1, plan.seeds + 1)
    )
    limits: dict[str, Mapping[str, Fact]] = {}
    for arm, each in plan.limits.items():
        limits[arm] = {
            "limits.time": Fraction(each.time_s),
            "limits.cost": None if each.cost_usd is None else Fraction(each.cost_usd),
            "limits.turns": None if each.turns is None else Fraction(each.turns),
        }
    return Stage(
        plan=plan,
        trials=trials,
        rules=Rules.of(plan),
        read=frozenset(_read(plan)),
        judged=_judged(plan),
        limits=limits,
    )


def _judged(plan: AnalysisPlan) -> frozenset[str] | None:
    if not any(rule.retry is not None for rule in plan.missing):
        return None
    names = {name for rule in plan.missing for name in reads(tree(rule.when))}
    if names & set(plan.measures):
        names |= {name for text in plan.measures.values() for name in reads(tree(text))}
    return frozenset(names)


def _read(plan: AnalysisPlan) -> Iterator[str]:
    yield "cost"  # what it would all cost is told of every design
    texts = [*plan.measures.values(), *(rule.when for rule in plan.missing)]
    texts += [text for rule in plan.missing for text in (rule.value or {}).values()]
    texts += [each.per_arm for each in plan.endpoints if each.per_arm is not None]
    for text in texts:
        yield from reads(tree(text))
    yield from (each.measure for each in plan.endpoints if each.measure is not None)


def _needed(ready: Stage, profile: Profile) -> Profile:
    """Leave out of a profile what nothing reads; whatever else is drawn stays as it is, since every draw has its own name."""
    calls = ready.read & {"tool_calls", "calls_before_first_edit"}
    return replace(
        profile,
        turns=profile.turns if "turns" in ready.read else None,
        tool_calls=profile.tool_calls if calls else None,
    )


def play(ready: Stage, profiles: Mapping[str, Profile], *, seed: int, experiment: int) -> Played:
    """Play one experiment in the world of some profiles, through the same code that judges a run.

    Raises:
        IntegrityFault: The design asks for what this version does not have.
    """
    lines = ledger(ready, profiles, seed * _APART + experiment)
    framed = frame(ready.plan, lines, ready.trials)
    settled = settle(ready.plan, framed, rules=ready.rules)
    weighed = weigh(ready.plan, settled)
    spent = [(row.trial, cost) for row in framed.rows for cost in row.spent]
    known = float(sum((cost for _, cost in spent if cost is not None), Fraction(0)))
    unknown = [trial for trial, cost in spent if cost is None]
    return Played(
        status=weighed.decided.status,
        holds=tuple(each.holds for each in (*weighed.decided.decidable, *weighed.decided.conditions)),
        measured=dict(_measured(weighed)),
        known_usd=known,
        unknown=len(unknown),
        attempts=len(spent),
        most_usd=_most(ready.plan, known, unknown),
        blank=frozenset(name for name, each in weighed.endpoints.items() if _blank(each)),
    )


def _most(plan: AnalysisPlan, known: float, unknown: Sequence[TrialPlan]) -> float | None:
    """Count an attempt whose cost is unknown at its limit; None where there is none."""
    tasks = {task.id: task.limits for task in plan.tasks}
    limits = [lowered(plan.limits[trial.arm], tasks[trial.task]).cost_usd for trial in unknown]
    costs = [each for each in limits if each is not None]
    return None if len(costs) < len(limits) else known + float(sum(costs))


def _blank(each: Reckoned) -> bool:
    unknown, n = each.values.get("unknown"), each.values.get("n")
    return isinstance(unknown, int) and unknown > 0 and n == 0


def _measured(weighed: Weighed) -> Iterator[tuple[tuple[str, str], Measured]]:
    """Give every interval of an experiment; of an arm, ``values`` is its value with its weight."""
    for name, each in weighed.endpoints.items():
        if each.endpoint.interval is None:
            continue
        arms = each.values.get("intervals")
        if isinstance(arms, Mapping):
            values = each.values["arms"]
            assert isinstance(values, Mapping)
            for arm, ends in arms.items():
                value = values.get(arm)
                found = () if value is None else (float(value),)  # type: ignore[arg-type]  # an arm's value is a number
                yield (name, arm), Measured(ends=_ends(ends) if isinstance(ends, Mapping) else None, values=found)
        else:
            differences = tuple(float(value) for value in each.differences or ())
            yield (name, ""), Measured(ends=_ends(each.values), values=differences)


def _ends(values: Mapping[str, object]) -> Ends:
    lower, upper = values.get("lower"), values.get("upper")
    if lower is None or upper is None:
        return None
    assert isinstance(lower, int | float | Fraction)
    assert isinstance(upper, int | float | Fraction)
    return float(lower), float(upper)


def ledger(ready: Stage, profiles: Mapping[str, Profile], seed: int) -> tuple[Line, ...]:
    """Write the ledger of one simulated run as an executor would: every attempt claimed, lost ones kept."""
    used = {arm: _needed(ready, profile) for arm, profile in profiles.items()}
    return tuple(
        Line(seq=number, prev="", kind=_KIND[type(record)], at="", record=record)
        for number, record in enumerate(_records(ready, used, seed), start=1)
    )


def _records(ready: Stage, profiles: Mapping[str, Profile], seed: int) -> Iterator[Record]:
    yield _OPENED
    outcomes = attempts = 0
    gaps: dict[str, str] = {}
    for trial in ready.trials:
        drawn, gap = _attempts(ready, trial, profiles[trial.arm], seed)
        yield from drawn
        attempts += len(drawn) // 2
        if gap is None:
            outcomes += 1
        else:
            gaps[trial.id] = gap
    yield Closed(outcomes=outcomes, attempts=attempts, gaps=gaps)


def _attempts(ready: Stage, trial: TrialPlan, profile: Profile, seed: int) -> tuple[tuple[Record, ...], str | None]:
    """Give the records of a trial, a claim and an end for every attempt, and the rule that gave it up, or None."""
    place = (trial, profile, seed)
    known = ready.drawn.get(place)
    if known is not None:
        return known
    name, records, gap = trial.id, list[Record](), None
    for attempt in range(1, _NEVER):
        records.append(
            Claimed(trial=name, attempt=attempt, task=trial.task, arm=trial.arm, seed=trial.seed, machine="")
        )
        outcome = _outcome(ready, trial, attempt, sample(profile, seed=seed, trial_id=name, attempt=attempt))
        rule = _retry(ready, outcome)
        if rule is None:
            records.append(outcome)
            break
        lost = {"step": "agent", "detail": "simulated", "ended": outcome.ended, "measures": outcome.measures}
        records.append(Infrastructure(trial=name, attempt=attempt, rule=rule[0], **lost))  # type: ignore[arg-type]
        if attempt > rule[1]:
            gap = rule[0]
            break
    if len(ready.drawn) >= _KEPT:
        ready.drawn.clear()
    ready.drawn[place] = tuple(records), gap
    return ready.drawn[place]


_OPENED = Opened(
    run="simulated",
    registration="",
    registration_id="",
    plan_digest="",
    spec_digest="",
    tool={},
    host={},
    simulated=True,
)


def _retry(ready: Stage, outcome: Outcome) -> tuple[str, int] | None:
    """Give (rule, retries) where the first registered rule that matches an attempt asks for a retry, as a run does."""
    if ready.judged is None:
        return None
    values = _facts(ready, outcome)
    if not ready.judged.isdisjoint(ready.plan.measures):
        values = ready.rules.measured(values)
    for rule, when, _ in ready.rules.rules:
        if when.value(values) is True:
            return None if rule.retry is None else (rule.rule, rule.retry)
    return None


def _facts(ready: Stage, outcome: Outcome) -> dict[str, Fact]:
    assert ready.judged is not None
    facts: dict[str, Fact] = {name: _fact(value) for name, value in outcome.measures.items() if name in ready.judged}
    facts |= {"arm": outcome.arm, "task": outcome.task, "judgment": "unjudged", "verdict": outcome.verdict}
    facts["stop"] = outcome.ended
    if "seed" in ready.judged:
        facts["seed"] = Fraction(outcome.seed)
    return {**facts, **ready.limits.get(outcome.arm, {})}


def _fact(value: Plain) -> Fact:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return Fraction(value)
    assert isinstance(value, str)
    return Fraction(value) if value[:1].isdigit() else value


def _outcome(ready: Stage, trial: TrialPlan, attempt: int, drawn: SimulatedTrial) -> Outcome:
    """Write down what was drawn, as the simulated agent does; facts that are collected say whether the treatment ran."""
    limit = ready.plan.limits.get(trial.arm)
    seconds = drawn.time_s if limit is None else min(drawn.time_s, limit.time_s)
    measures: dict[str, Plain] = {
        "terminal_reason": drawn.terminal_reason,
        "result_event": drawn.result_event,
        "environment_ok": True,
        "cost": None if drawn.cost_usd is None else decimal_text(drawn.cost_usd),
        "time": decimal_text(seconds),
        "turns": drawn.turns,
        "tool_calls": drawn.tool_calls,
        "tool_errors": 0 if drawn.result_event else None,
        "calls_before_first_edit": drawn.calls_before_first_edit,
        "left_running": 0,
        "files_changed": 1 if drawn.result_event else 0,
        "touched_gold": drawn.touched_gold,
    }
    for name, collected in ready.plan.collect.items():
        ran: Mapping[str, Plain] = {"count": int(drawn.hooks_ran), "bool": drawn.hooks_ran, "text": None}
        measures[name] = ran[collected.type]
    measures = {name: value for name, value in measures.items() if name in ready.read}
    return Outcome(
        trial=trial.id,
        attempt=attempt,
        task=trial.task,
        arm=trial.arm,
        seed=trial.seed,
        verdict="pass" if drawn.solved else "fail",
        ended=drawn.ended,
        measures=measures,
        simulated=True,
    )


def resized(plan: AnalysisPlan, resamples: int) -> AnalysisPlan:
    """Give a design whose bootstrap intervals resample less often than registered; a rehearsal that does so says it."""
    return replace(
        plan,
        endpoints=tuple(
            each
            if each.interval is None or "resamples" not in each.interval.options
            else replace(
                each,
                interval=replace(
                    each.interval,
                    options={
                        **each.interval.options,
                        "resamples": min(resamples, int(str(each.interval.options["resamples"]))),
                    },
                ),
            )
            for each in plan.endpoints
        ),
    )
