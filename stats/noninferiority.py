"""Not worse by more than a margin, and equivalent within one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from stats.normal import below
from stats.number import Exact, Readable, StatError, count, exact, finite, open_unit
from stats.proportions import PairedCounts, newcombe_lower, newcombe_upper, tango_z
from stats.signed_rank import SignedRank, Zeros, signed_rank

Better = Literal["higher", "lower"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LowerBound:
    """Difference of shares, its one-sided lower bound, and whether that lies above -margin."""

    diff: float
    lower: float
    noninferior: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreTest:
    """Score statistic and one-sided p against a loss of the margin."""

    z: float
    p: float
    noninferior: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ShiftTest:
    """Signed-rank test against a loss of the margin."""

    test: SignedRank
    noninferior: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Equivalence:
    """Two one-sided tests: ``p`` is the larger one."""

    p_lower: float
    p_upper: float
    p: float
    equivalent: bool


def count_margin(solved_treatment: int, solved_baseline: int, *, margin_tasks: int) -> bool:
    """Whether the treatment solves at least as many tasks as the baseline, minus the margin.

    A counting rule on the data at hand. It demonstrates no margin: with 20 pairs and equal counts a loss of 12 points is not
    excluded at one-sided 5%.

    Raises:
        StatError: not a count.
    """
    return count(solved_treatment, "solved_treatment") >= count(solved_baseline, "solved_baseline") - count(
        margin_tasks, "margin_tasks"
    )


def newcombe_noninferiority(counts: PairedCounts, *, margin: Readable, alpha: Readable) -> LowerBound:
    """Whether Newcombe's one-sided lower bound at 1 - alpha lies above -margin (a share). Independent pairs; doubles.

    Raises:
        StatError: a negative margin, or alpha outside 0 … 1/2.
    """
    bound = _margin(margin)
    lower = newcombe_lower(counts, alpha=alpha)
    return LowerBound(diff=float(counts.difference), lower=lower, noninferior=lower > -bound)


def tango_noninferiority(counts: PairedCounts, *, margin: Readable, alpha: Readable) -> ScoreTest:
    """Tango's score test of a loss of at least ``margin`` (Tango 1998): noninferior when p < alpha. Normal approximation.

    Raises:
        StatError: a margin outside 0 … 1, or alpha outside 0 … 1.
    """
    bound, limit = _margin(margin), open_unit(alpha, "alpha")
    if bound >= 1:
        raise StatError(f"margin must be below 1, not {margin}")
    z = tango_z(counts, -float(bound))
    p = below(-z)
    return ScoreTest(z=z, p=p, noninferior=p < limit)


def wilcoxon_noninferiority(
    differences: Sequence[Exact], *, margin: Readable, alpha: Readable, zeros: Zeros, better: Better = "higher"
) -> ShiftTest:
    """Exact signed-rank test that treatment - baseline is centred on a loss of ``margin``, in the unit of the differences.

    ``better`` says whether high values (solve rates) or low ones (costs) are good. Assumptions as in ``signed_rank``.

    Raises:
        StatError: a negative margin, alpha outside 0 … 1, or whatever ``signed_rank`` refuses.
    """
    bound, limit = _margin(margin), open_unit(alpha, "alpha")
    if better not in ("higher", "lower"):
        raise StatError(f"better must be higher or lower, not {better!r}")
    values = finite(differences)
    gains = [value + bound if better == "higher" else bound - value for value in values]
    test = signed_rank(gains, zeros=zeros, alternative="greater")
    return ShiftTest(test=test, noninferior=test.p < limit)


def wilcoxon_equivalence(
    differences: Sequence[Exact], *, margin: Readable, alpha: Readable, zeros: Zeros
) -> Equivalence:
    """Two one-sided signed-rank tests (Schuirmann 1987): equivalent when both reject a shift of ±margin at alpha.

    Raises:
        StatError: a margin of 0 or less, alpha outside 0 … 1, or whatever ``signed_rank`` refuses.
    """
    bound, limit = _margin(margin), open_unit(alpha, "alpha")
    if bound == 0:
        raise StatError("margin = 0: nothing is equivalent within nothing")
    values = finite(differences)
    lower = signed_rank([value + bound for value in values], zeros=zeros, alternative="greater").p
    upper = signed_rank([value - bound for value in values], zeros=zeros, alternative="less").p
    return Equivalence(p_lower=lower, p_upper=upper, p=max(lower, upper), equivalent=max(lower, upper) < limit)


def newcombe_equivalence(counts: PairedCounts, *, margin: Readable, alpha: Readable) -> bool:
    """Whether Newcombe's interval at 1 - 2·alpha lies inside ±margin: the two one-sided tests in interval form.

    Raises:
        StatError: a negative margin, or alpha outside 0 … 1/2.
    """
    bound = _margin(margin)
    return newcombe_lower(counts, alpha=alpha) > -bound and newcombe_upper(counts, alpha=alpha) < bound


def _margin(margin: Readable) -> Fraction:
    bound = exact(margin)
    if bound < 0:
        raise StatError(f"negative margin: {margin}")
    return bound
