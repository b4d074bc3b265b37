"""Rehearses a design: simulated ledgers through the real frame, missing-data rules, estimates and decision, in many worlds.

One experiment is a number: with the seed it names every trial that is drawn (``compiler.simulation``), so an experiment
comes out alike whatever ran before it and on whichever machine. All worlds share what is drawn and differ in profiles alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from analyzer.evidence import evidence
from analyzer.judge import Weighed, weigh
from analyzer.reckoned import Reckoned
from analyzer.simulated_ledger import Stage, ledger
from analyzer.verdict import Status
from compiler.plan import AnalysisPlan, TrialPlan, lowered
from compiler.simulation import Profile

_APART = 1 << 32
"""Experiments of one seed; the next seed's follow them."""

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


def play(ready: Stage, profiles: Mapping[str, Profile], *, seed: int, experiment: int) -> Played:
    """Play one experiment in the world of some profiles, through the same code that judges a run.

    Raises:
        IntegrityFault: The design asks for what this version does not have.
    """
    lines = ledger(ready, profiles, seed * _APART + experiment)
    known = evidence(ready.plan, lines, ready.trials, rules=ready.rules)
    weighed = weigh(ready.plan, known.everyone)
    spent = [(row.trial, cost) for row in known.frame.rows for cost in row.spent]
    known_usd = float(sum((cost for _, cost in spent if cost is not None), Fraction(0)))
    unknown = [trial for trial, cost in spent if cost is None]
    return Played(
        status=weighed.decided.status,
        holds=tuple(each.holds for each in (*weighed.decided.decidable, *weighed.decided.conditions)),
        measured=dict(_measured(weighed)),
        known_usd=known_usd,
        unknown=len(unknown),
        attempts=len(spent),
        most_usd=_most(ready.plan, known_usd, unknown),
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
