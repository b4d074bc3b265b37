"""Simulated ledgers: what an executor would have written, had every attempt come out as the sampler draws it.

One seed names every trial that is drawn (``compiler.simulation``), so a ledger comes out alike whatever was drawn before it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from analyzer.frame import overhead_facts, said_arms
from analyzer.measures import Fact
from analyzer.missing import Rules
from analyzer.reading import tree
from compiler.plan import AnalysisPlan, TrialPlan
from compiler.simulation import Profile, SimulatedTrial, sample
from ledger.codec import decimal_text
from ledger.plain import Plain
from ledger.records import KINDS, Claimed, Closed, Infrastructure, Judgment, Line, Opened, Outcome, Record
from spec_lang.expr.ast import reads

_KIND = {noun: kind for kind, noun in KINDS.items()}
_NEVER = 1 << 20
_KEPT = 1 << 12
"""Trials that are remembered between worlds."""


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
    said: Mapping[str, str]
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
    overhead = overhead_facts(plan)
    for arm, each in plan.limits.items():
        limits[arm] = {
            **overhead.get(arm, {}),
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
        said=said_arms(plan),
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
        attempts += len(drawn) // 2  # a claim and an end each; where a judgment follows, the number is odd
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
            if "judgment" in ready.read:
                records.append(_judged_as_checked(outcome))
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


def _judged_as_checked(outcome: Outcome) -> Judgment:
    """Give the judgment of a person who finds what the checks find; simulated worlds know no other judge."""
    return Judgment(
        trial=outcome.trial, judgment="success" if outcome.verdict == "pass" else "failure", who="simulated"
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
    facts |= {
        "arm": ready.said.get(outcome.arm, outcome.arm),
        "task": outcome.task,
        "judgment": "unjudged",
        "verdict": outcome.verdict,
    }
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
