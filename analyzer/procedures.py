"""The tests and intervals that a plan may name, each one call into ``stats``; an unknown name is refused, never guessed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import cast

from compiler.plan import Chosen, EndpointPlan
from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain
from stats.bootstrap import Method, Statistic, Ties, bootstrap
from stats.clustered import clustered_interval
from stats.hodges_lehmann import hodges_lehmann
from stats.law import Quantile
from stats.mcnemar import mcnemar
from stats.number import LEAST, Alternative, StatError, chance, exact
from stats.permutation import sign_flip
from stats.proportions import PairedCounts, newcombe_paired, tango_score_paired
from stats.signed_rank import Zeros, signed_rank
from stats.subset_sums import PRECISION

_ONE_TASK = "one task has no spread, so there is no interval"
_NO_SPREAD = "no task differs between the arms, so the data show no spread; this cannot decide"
_ALIKE = "every task shows exactly the same difference, so the data show no spread; this cannot decide"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairs:
    """What a procedure works on: one difference a task, sorted, so that no order of tasks can matter.

    ``solved`` is (by both, by the first arm only, by the second only, by neither) where both arms give yes or no. ``clusters``: the cluster
    of each difference, in their order, where the interval names a fact that clusters tasks.
    """

    differences: tuple[Fraction, ...]
    statistic: str
    solved: tuple[int, int, int, int] | None = None
    clusters: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """Values by name; a value that could not be computed is None and has a reason."""

    values: Mapping[str, Fraction | float | int | str | None]
    reasons: Mapping[str, str] = field(default_factory=dict)


Procedure = Callable[[Pairs, Mapping[str, Plain]], Result]


def test(pairs: Pairs, endpoint: EndpointPlan) -> Result:
    """Run the endpoint's test; without a pair there is no p. No test registered: no value.

    Raises:
        IntegrityFault: The plan names a test that this version does not have, or that does not fit the measure.
    """
    if endpoint.test is None:
        return Result(values={})
    if not pairs.differences:
        return Result(values={"p": None}, reasons={"p": "no task is left to compare"})
    return _chosen(TESTS, endpoint.test, pairs, f"endpoints.{endpoint.name}.test")


def interval(pairs: Pairs, endpoint: EndpointPlan) -> Result:
    """Give the endpoint's interval; none registered: no value.

    Raises:
        IntegrityFault: As for ``test``.
    """
    if endpoint.interval is None:
        return Result(values={})
    if not pairs.differences:
        return _no_interval("no task is left to compare")
    return _chosen(INTERVALS, endpoint.interval, pairs, f"endpoints.{endpoint.name}.interval")


def _wilcoxon(pairs: Pairs, options: Mapping[str, Plain]) -> Result:
    found = signed_rank(
        pairs.differences,
        zeros=cast("Zeros", options.get("zeros", "wilcox")),
        alternative=_alternative(options),
    )
    p = found.p or LEAST  # too small for a double, and not nothing
    values = {"p": p, "n_used": found.n_used, "n_zero": found.n_zero, "attainable_p": found.attainable_min}
    if found.method == "characteristic-function":
        return Result(values={**values, "p_method": f"{found.method}, relative error < {PRECISION:g}"})
    return Result(values=values)


def _sign_flip(pairs: Pairs, options: Mapping[str, Plain]) -> Result:
    resamples, seed = options["resamples"], options["seed"]
    assert isinstance(resamples, int)
    assert isinstance(seed, int)
    found = sign_flip(pairs.differences, alternative=_alternative(options), resamples=resamples, seed=seed)
    return Result(
        values={"p": found.p, "n_used": found.n_used, "n_zero": found.n_zero, "attainable_p": found.attainable_min}
    )


def _mcnemar(pairs: Pairs, options: Mapping[str, Plain], *, mid: bool) -> Result:
    _, first, second, _ = _table(pairs)
    found = mcnemar(first, second)
    name = ("mid_p_" if mid else "p_") + _alternative(options).replace("-", "_")
    used = first + second
    floor = Fraction(2 if _alternative(options) == "two-sided" else 1, 2 ** (used + (1 if mid else 0)))
    return Result(
        values={
            "p": cast("float", getattr(found, name)) or LEAST,
            "discordant": used,
            "attainable_p": chance(min(floor, Fraction(1))),
        }
    )


def _newcombe(pairs: Pairs, options: Mapping[str, Plain]) -> Result:
    found = newcombe_paired(PairedCounts(**_named(pairs)), level=_level(options))
    return _bounds(found.lo, found.hi, options)


def _tango(pairs: Pairs, options: Mapping[str, Plain]) -> Result:
    found = tango_score_paired(PairedCounts(**_named(pairs)), level=_level(options))
    return _bounds(found.lo, found.hi, options)


def _hodges_lehmann(pairs: Pairs, options: Mapping[str, Plain]) -> Result:
    found = hodges_lehmann(pairs.differences, level=_level(options))
    if not found.attainable:
        why = f"{len(pairs.differences)} tasks reach a level of {found.achieved_level:.4g} at most"
        return Result(
            values={"lower": None, "upper": None, "achieved_level": found.achieved_level},
            reasons={"lower": why, "upper": why},
        )
    if not any(pairs.differences):
        return _no_interval(_NO_SPREAD)
    return Result(values={**_bounds(found.lo, found.hi, options).values, "achieved_level": found.achieved_level})


def _clustered_t(pairs: Pairs, options: Mapping[str, Plain]) -> Result:
    """Student's interval of the mean over tasks, its error robust to clusters of them (CR1).

    Seeds are aggregated before, so without ``by`` every task is a cluster of one.
    """
    if len(pairs.differences) == 1:
        return _no_interval(_ONE_TASK)
    if (why := _flat(pairs)) is not None:
        return _no_interval(why)
    clusters = pairs.clusters or tuple(map(str, range(len(pairs.differences))))
    if len(set(clusters)) == 1:
        return _no_interval("all tasks are of one cluster, whose spread is unknown")
    found = clustered_interval(pairs.differences, clusters, level=_level(options))
    if found.lo == found.hi:
        return _no_interval(
            "the clusters do not differ from one another, so the data show no spread; this cannot decide"
        )
    return _bounds(found.lo, found.hi, options)


def _bootstrap(pairs: Pairs, options: Mapping[str, Plain], *, method: Method) -> Result:
    """Resample whole tasks. Tasks that are all alike resample to themselves, and that is not knowledge."""
    if len(pairs.differences) == 1:
        return _no_interval(_ONE_TASK)
    if (why := _flat(pairs)) is not None:
        return _no_interval(why)
    resamples, seed = options.get("resamples"), options.get("seed", 0)
    assert isinstance(resamples, int | None)
    assert isinstance(seed, int)
    found = bootstrap(
        pairs.differences,
        statistic=cast("Statistic", pairs.statistic),
        method=method,
        level=_level(options),
        resamples=resamples,
        seed=seed,
        ties=cast("Ties", options.get("ties", "mid")),
        quantile_rule=cast("Quantile", str(options.get("quantile", "inverted-cdf")).replace("-", "_")),
    )
    if found.lo is None or found.hi is None:
        return _no_interval(found.reason or "the interval is not defined for these values")
    return _bounds(found.lo, found.hi, options)


def _flat(pairs: Pairs) -> str | None:
    """Say why differences that are all alike give no interval that rests on their spread: two of them would do for any claim."""
    if pairs.differences[0] != pairs.differences[-1]:  # they ascend
        return None
    return _ALIKE if any(pairs.differences) else _NO_SPREAD


def _named(pairs: Pairs) -> dict[str, int]:
    both, first, second, neither = _table(pairs)
    return {"n11": both, "n10": first, "n01": second, "n00": neither}


def _table(pairs: Pairs) -> tuple[int, int, int, int]:
    if pairs.solved is None:
        raise StatError("it needs a yes or no of each arm on each task")
    return pairs.solved


def _alternative(options: Mapping[str, Plain]) -> Alternative:
    return cast("Alternative", options.get("alternative", "two-sided"))


def _level(options: Mapping[str, Plain]) -> Fraction:
    return exact(options.get("level", "0.95"))


def _bounds(lower: Fraction | float, upper: Fraction | float, options: Mapping[str, Plain]) -> Result:
    return Result(values={"lower": lower, "upper": upper, "level": _level(options)})


def _no_interval(why: str) -> Result:
    return Result(values={"lower": None, "upper": None}, reasons={"lower": why, "upper": why})


def _chosen(table: Mapping[str, Procedure], choice: Chosen, pairs: Pairs, where: str) -> Result:
    procedure = table.get(choice.kind)
    why = f"this version has {', '.join(table)}"
    if procedure is not None:
        try:
            return procedure(pairs, choice.options)
        except StatError as problem:
            why = str(problem)
    raise refuse(choice, where, why)


def refuse(choice: Chosen, where: str, why: str) -> IntegrityFault:
    """Say that a plan asks for a procedure that cannot be run."""
    return IntegrityFault(
        Fault(
            code="plan",
            what=f"the plan asks for {choice.kind!r}, which cannot be computed here: {why}",
            expected="a procedure that the compiler had checked",
            got=choice.kind,
            where=f"plan.json: {where}",
            hint="the plan was altered, or another version compiled it",
        )
    )


TESTS: Mapping[str, Procedure] = MappingProxyType(
    {
        "wilcoxon-signed-rank": _wilcoxon,
        "sign-flip": _sign_flip,
        "mcnemar-exact": partial(_mcnemar, mid=False),
        "mcnemar-midp": partial(_mcnemar, mid=True),
    }
)

INTERVALS: Mapping[str, Procedure] = MappingProxyType(
    {
        "newcombe-paired": _newcombe,
        "tango-score": _tango,
        "hodges-lehmann": _hodges_lehmann,
        "clustered-t": _clustered_t,
        "bootstrap-percentile": partial(_bootstrap, method="percentile"),
        "bootstrap-bca": partial(_bootstrap, method="bca"),
    }
)
