"""Failures for reasons other than the task, arm against baseline: a warning light where they fall unequally."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.missing import Settled
from analyzer.rates import side_by_side
from compiler.plan import AnalysisPlan
from stats.fisher import fisher_exact


@dataclass(frozen=True, kw_only=True, slots=True)
class Imbalance:
    """How many trials of the baseline and of an arm something befell, and how many it did not."""

    label: str
    baseline: str
    arm: str
    one: tuple[int, int]
    other: tuple[int, int]

    @property
    def p(self) -> float:
        """Fisher's two-sided p."""
        return fisher_exact(*self.one, *self.other)


def imbalances(plan: AnalysisPlan, trials: Mapping[str, Sequence[Settled]]) -> Iterator[Imbalance]:
    """Count, for each way in which a trial may fail for reasons other than its task, each arm against its baseline.

    ``trials`` are those of each arm.
    """
    for label, hit in (
        ("lost an attempt (infrastructure, environment, retry)", lambda each: bool(each.row.lost)),
        ("decided by a missing-data rule", lambda each: each.rule is not None),
        ("excluded", lambda each: each.fate == "excluded"),
        ("stopped at a limit or by an error", _stopped),
    ):
        hits = {arm: sum(map(hit, mine)) for arm, mine in trials.items()}
        for baseline, *others in side_by_side(plan):
            for arm in others:
                one, other = ((hits[each], len(trials[each]) - hits[each]) for each in (baseline, arm))
                yield Imbalance(label=label, baseline=baseline, arm=arm, one=one, other=other)


def _stopped(each: Settled) -> bool:
    return each.row.outcome is not None and each.row.outcome.ended not in ("finished", "skipped")
