"""What one ledger says of one plan, worked out once and handed on: to the judgment, to the report, to comparisons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from analyzer.frame import Frame, frame
from analyzer.missing import Rules, Settled, settle
from analyzer.pairing import Pairing, pair
from analyzer.population import Population, population, tabulate, under
from compiler.plan import AnalysisPlan, EndpointPlan, TrialPlan
from ledger.records import Line


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The frame, its trials after the missing-data rules, and those of them that the decision is about."""

    endpoints: tuple[EndpointPlan, ...]
    frame: Frame
    settled: tuple[Settled, ...]
    everyone: Population

    @cached_property
    def pairings(self) -> Mapping[str, Pairing]:
        """The tasks of every endpoint that compares arms, by its name."""
        return {
            each.name: pair(tabulate(under(self.everyone, each.where), each), each.compare)
            for each in self.endpoints
            if each.compare is not None
        }


def evidence(
    plan: AnalysisPlan, lines: Sequence[Line], trials: Sequence[TrialPlan], *, rules: Rules | None = None
) -> Evidence:
    """Read the verified lines of one ledger. An analysis line changes nothing: before it and after it, all is the same.

    ``rules`` are those of the plan where they were parsed before, for many ledgers of one plan.

    Raises:
        IntegrityFault: As ``analyzer.frame.frame``.
        UndecidedFault: As ``analyzer.missing.settle``.
    """
    framed = frame(plan, lines, trials)
    settled = settle(plan, framed, rules=rules)
    return Evidence(endpoints=tuple(plan.endpoints), frame=framed, settled=settled, everyone=population(plan, settled))
