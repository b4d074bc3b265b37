"""Standard error and interval of a mean whose scores come in clusters."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from stats.number import Exact, Readable, StatError, double, finite, open_unit
from stats.student import student_quantile
from stats.total import total, total_of_ratios


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusteredMean:
    """Mean and standard errors, in the unit of the scores.

    ``se_cr1`` is the one to use: with G/(G-1), it is sd/sqrt(n) when every cluster has one score, and the standard error of
    task means when all tasks have equally many seeds. ``se_clt`` ignores clusters, ``se_cr0`` has no small-sample factor,
    ``se_miller_eq4`` is the form of Miller 2024 that mixes n-1 and n.
    """

    mean: float
    n: int
    n_clusters: int
    se_clt: float
    se_miller_eq4: float
    se_cr0: float
    se_cr1: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MeanInterval:
    """Mean with an interval, in the unit of the scores."""

    mean: float
    lo: float
    hi: float


def clustered_se(scores: Sequence[Exact], clusters: Sequence[Hashable]) -> ClusteredMean:
    """Cluster-robust standard errors of a mean (Liang & Zeger 1986; Miller 2024), ``clusters`` naming each score's cluster.

    Assumes independent clusters. Exactness: variances in fractions, the root in doubles.

    Raises:
        StatError: unequal lengths, no scores, or a single cluster (its spread is unknown).
    """
    values = finite(scores)
    n = len(values)
    if n != len(clusters):
        raise StatError(f"unequal lengths: {n} and {len(clusters)}")
    members: dict[Hashable, list[Fraction]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    groups = len(members)
    if groups < 2:
        raise StatError("one cluster: its spread is unknown")
    mean = total(values) / n
    sums = [(each[0] if len(each) == 1 else total(each), len(each)) for each in members.values()]
    # Of sums about the mean, multiplied out: exactly the same, and quick where denominators are alike.
    squares = _squares(values) - n * mean**2
    between = (
        _squares(each for each, _ in sums)
        - 2 * mean * total(each * size for each, size in sums)
        + mean**2 * sum(size**2 for _, size in sums)
    )
    clt, cr0 = squares / (n - 1) / n, between / n**2
    return ClusteredMean(
        mean=double(mean),
        n=n,
        n_clusters=groups,
        se_clt=sqrt(double(clt)),
        se_miller_eq4=sqrt(double(max(clt + (between - squares) / n**2, Fraction(0)))),
        se_cr0=sqrt(double(cr0)),
        se_cr1=sqrt(double(cr0 * groups / (groups - 1))),
    )


def _squares(values: Iterable[Fraction]) -> Fraction:
    return total_of_ratios((each.numerator**2, each.denominator**2) for each in values)


def clustered_interval(scores: Sequence[Exact], clusters: Sequence[Hashable], *, level: Readable) -> MeanInterval:
    """Mean ± t(G-1)·se_cr1. Assumes independent clusters whose sums are near normal; rough with few clusters.

    Raises:
        StatError: a level outside 0 … 1, or whatever ``clustered_se`` refuses.
    """
    share = (1 + open_unit(level, "level")) / 2
    spread = clustered_se(scores, clusters)
    reach = student_quantile(float(share), spread.n_clusters - 1) * spread.se_cr1
    return MeanInterval(mean=spread.mean, lo=spread.mean - reach, hi=spread.mean + reach)
