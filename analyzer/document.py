"""What a report is worked out from: the stored verdict, the plan, the ledger and its registrations. No clock, no machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from analyzer.accounting import Accounts, columns
from analyzer.evidence import Evidence
from analyzer.fragility import Fragility, fragility
from analyzer.frame import Frame, Row
from analyzer.imbalance import Imbalance, imbalances
from analyzer.missing import Settled
from analyzer.pairing import Pairing, pair
from analyzer.population import Population, tabulate, under, within
from analyzer.quantiles import Spread, spread
from analyzer.rates import Rate, Tries, by_category, disagreement, over_k, rate, tries
from analyzer.verdict import Verdict
from analyzer.wording import CARRIES_PERCENT
from compiler.operating import Simulation
from compiler.plan import AnalysisPlan, ArmPlan
from compiler.registration import Registration

IN_ORDER = (("cost", "USD"), ("time", "s"))
"""What is shown in the order of the run, and its unit."""
MEASURED = ("cost", "time", "turns", "tool_calls")
"""The amounts of which a report shows a middle or a spread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Registered:
    """One registration of the experiment: its folder name, its digest, and what it says."""

    name: str
    digest: str
    registration: Registration


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportInput:
    """All that a report says comes from here; ``evidence`` is what the ledger says of the plan.

    ``verdict`` is read from its file, whose digest is ``verdict_digest``: one just reached has its maps in another order, and
    a report must not show which it was.

    ``experiment`` and ``run`` are names; ``arms`` those of the run plan, for pinned versions; ``registrations`` all of the
    experiment, oldest first, and ``registration`` the name of the one that was carried out. ``command`` re-derives the
    report; it names paths as the reader of the bundle sees them. ``tool`` names the build that renders it. ``simulation`` is
    what the run's registration carries, None where it names none.
    """

    experiment: str
    run: str
    verdict: Verdict
    verdict_digest: str
    plan: AnalysisPlan
    arms: Sequence[ArmPlan]
    evidence: Evidence
    registration: str
    registrations: Sequence[Registered] = ()
    command: str = ""
    tool: str = "prereg"
    simulation: Simulation | None = None


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A report's input with what its sections share; what is asked for by arm is worked out when it is first asked for.

    ``everyone`` are the tasks that the decision is about, with their trials; ``pairings`` those of every endpoint that
    compares arms, by its name.
    """

    document: ReportInput
    pairings: Mapping[str, Pairing]
    weighed: tuple[Fragility, ...]
    """Every interval that rests on a seed, beside its exact law."""

    @property
    def few(self) -> bool:
        """Whether there are too few tasks for a rate: then what exists is shown, and no percentage."""
        return len(self.document.plan.tasks) < CARRIES_PERCENT

    @property
    def frame(self) -> Frame:
        """All planned trials."""
        return self.document.evidence.frame

    @property
    def settled(self) -> Sequence[Settled]:
        """All planned trials after the missing-data rules."""
        return self.document.evidence.settled

    @property
    def everyone(self) -> Population:
        """The tasks that the decision is about, with their trials."""
        return self.document.evidence.everyone

    @cached_property
    def accounts(self) -> Accounts:
        """What every attempt of each arm used."""
        return Accounts(self.frame, self.document.plan.arms)

    @cached_property
    def trials(self) -> Mapping[str, Sequence[Settled]]:
        """Each arm's trials after the missing-data rules."""
        found: dict[str, list[Settled]] = {arm: [] for arm in self.document.plan.arms}
        for each in self.settled:
            found[each.row.trial.arm].append(each)
        return found

    @cached_property
    def measured(self) -> Mapping[tuple[str, str], Sequence[tuple[int | None, float]]]:
        """By arm and one of ``MEASURED``: the amounts that are known as measured, each as its nearest double.

        With each comes the trial's place among all that ended, in whose order they stand; None where it has no outcome.
        """
        placed = [*enumerate(self.ended, start=1), *((None, row) for row in self.frame.rows if row.outcome is None)]
        found: dict[tuple[str, str], list[tuple[int | None, float]]] = {}
        for arm in self.document.plan.arms:
            mine = [(place, row.measures) for place, row in placed if row.trial.arm == arm]
            for name, column in columns([measures for _, measures in mine], MEASURED).items():
                # The frame has read them as exact numbers already; what is drawn is read from the very same digits.
                known = zip(mine, column, strict=True)
                found[arm, name] = [(place, float(each)) for (place, _), each in known if isinstance(each, int | str)]
        return found

    def spread(self, arm: str, name: str) -> Spread | None:
        """How one of ``MEASURED`` spreads over the trials of an arm that know it; None where none does."""
        place = (arm, name)
        if place not in self._spreads:
            known = [found for _, found in self.measured[place]]
            self._spreads[place] = spread(known) if known else None
        return self._spreads[place]

    @cached_property
    def _spreads(self) -> dict[tuple[str, str], Spread | None]:
        return {}

    @cached_property
    def ended(self) -> Sequence[Row]:
        """The trials that have an outcome, in the order in which the ledger tells them."""
        return sorted((row for row in self.frame.rows if row.seq is not None), key=attrgetter("seq"))

    @cached_property
    def imbalances(self) -> Sequence[Imbalance]:
        """How unequally arms failed for reasons other than the task."""
        return tuple(imbalances(self.document.plan, self.trials))

    @cached_property
    def tries(self) -> Mapping[str, Mapping[str, Tries]]:
        """How often each arm solved each task, of how many scored trials."""
        return {arm: tries(mine, arm) for arm, mine in self.trials.items()}

    @cached_property
    def rates(self) -> Mapping[str, Rate]:
        """Each arm's pass@1 over all its trials."""
        return {arm: rate(mine) for arm, mine in self.tries.items()}

    @cached_property
    def by_category(self) -> Mapping[str, Mapping[str | None, Mapping[str, Tries]]]:
        """Each arm's tries by the category of the task."""
        return {arm: by_category(mine, self.document.plan) for arm, mine in self.tries.items()}

    @cached_property
    def over_k(self) -> Mapping[str, Sequence[tuple[float, float] | None]]:
        """Each arm's pass@k and pass^k, for k from 1 to as many seeds as there are."""
        ks = range(1, self.document.plan.seeds + 1)
        return {arm: tuple(over_k(mine, k) for k in ks) for arm, mine in self.tries.items()}

    @cached_property
    def disagreement(self) -> Mapping[str, float | None]:
        """How likely two seeds of one task disagree in each arm."""
        return {arm: disagreement(mine) for arm, mine in self.tries.items()}


def facts(document: ReportInput) -> Facts:
    """Work out what the sections share. Raises IntegrityFault as ``analyzer.estimate.estimate``."""
    plan, verdict = document.plan, document.verdict
    pairings = document.evidence.pairings
    conditions = (*verdict.decidable, *verdict.conditions)
    weighed: list[Fragility | None] = []
    for each in plan.endpoints:
        if each.name not in pairings or each.compare is None:
            continue
        found = verdict.endpoints[each.name]
        weighed.append(fragility(each, pairings[each.name], found, conditions))
        for level, part in within(under(document.evidence.everyone, each.where), each.by).items():
            paired = pair(tabulate(part, each), each.compare)
            weighed.append(fragility(each, paired, found, conditions, level=level))
    return Facts(document=document, pairings=pairings, weighed=tuple(each for each in weighed if each is not None))
