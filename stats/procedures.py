"""The procedures of the calculator: each reads plain inputs and gives plain results."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from types import MappingProxyType
from typing import Any, get_args

from stats.agreement import agreement, self_disagreement
from stats.bootstrap import Method, Statistic, Ties, bootstrap
from stats.clustered import clustered_interval, clustered_se
from stats.drift import drift
from stats.fisher import fisher_exact
from stats.fixed_sequence import fixed_sequence
from stats.hodges_lehmann import hodges_lehmann
from stats.holm import holm
from stats.inputs import Inputs
from stats.law import Quantile
from stats.mcnemar import max_minor, mcnemar, min_discordant
from stats.noninferiority import (
    Better,
    count_margin,
    newcombe_equivalence,
    newcombe_noninferiority,
    tango_noninferiority,
    wilcoxon_equivalence,
    wilcoxon_noninferiority,
)
from stats.number import ALTERNATIVES, StatError, chance, count, double, exact_double, paired
from stats.pass_k import pass_at_k, pass_hat_k
from stats.permutation import sign_flip
from stats.proportions import PairedCounts, newcombe_paired, tango_score_paired, wilson
from stats.published_bootstrap import (
    bootstrap_from_replicates,
    bootstrap_seeded_numpy,
    ideal_median,
    ideal_paired_proportion,
)
from stats.relative_change import median, relative_changes
from stats.sample_size import sample_size_wilcoxon
from stats.signed_rank import signed_rank
from stats.summary import pass_k_of_tasks, runs_apart, summary

Result = dict[str, Any]

ZEROS = ("wilcox", "pratt")


def _differences(given: Inputs) -> list[Fraction]:
    """``d``, or ``x`` - ``y``; with ``arithmetic: float64`` subtracted and rounded as a program with doubles would."""
    decimals = count(given.raw("round_decimals"), "round_decimals", most=400) if given.has("round_decimals") else None
    if given.word("arithmetic", ("decimal", "float64"), "decimal") == "decimal":
        exact = given.numbers("d") if given.has("d") else list(paired(given.numbers("x"), given.numbers("y")))
        return exact if decimals is None else [round(value, decimals) for value in exact]
    if given.has("d"):
        doubles = given.doubles("d")
    else:
        x, y = given.doubles("x"), given.doubles("y")
        if len(x) != len(y):
            raise StatError(f"unequal lengths: {len(x)} and {len(y)}")
        doubles = [one - other for one, other in zip(x, y, strict=True)]
    return [exact_double(value if decimals is None else round(value, decimals)) for value in doubles]


def _wilcoxon_signed_rank(given: Inputs) -> Result:
    zeros, alternative = given.word("zero_method", ZEROS), given.word("alternative", ALTERNATIVES)
    result = asdict(signed_rank(_differences(given), zeros=zeros, alternative=alternative))
    del result["attainable_min"]
    if result["method"] != "characteristic-function":
        del result["method"]  # counted, in integers or in doubles
    return result


def _hodges_lehmann(given: Inputs) -> Result:
    return asdict(hodges_lehmann(_differences(given), level=given.number("conf_level")))


def _mcnemar(given: Inputs) -> Result:
    result = asdict(mcnemar(given.raw("b"), given.raw("c")))
    if not result["n_discordant"]:
        del result["p_two_sided_exact"]  # nothing was counted
    return result


def _two_sided(given: Inputs) -> bool:
    sides = given.count("sides")
    if sides not in (1, 2):
        raise StatError(f"sides must be 1 or 2, not {sides}")
    return sides == 2


def _min_discordant(given: Inputs) -> Result:
    return asdict(min_discordant(given.number("alpha"), two_sided=_two_sided(given), mid_p=given.flag("mid_p")))


def _mcnemar_critical_split(given: Inputs) -> Result:
    alpha, mid_p = given.number("alpha"), given.flag("mid_p")
    return {"max_minor": max_minor(given.count("discordant"), alpha, two_sided=_two_sided(given), mid_p=mid_p)}


def _wilson(given: Inputs) -> Result:
    return asdict(wilson(given.count("x"), given.count("n"), level=given.number("conf_level")))


def _pairs(given: Inputs) -> PairedCounts:
    return PairedCounts(n11=given.count("n11"), n10=given.count("n10"), n01=given.count("n01"), n00=given.count("n00"))


def _newcombe_paired(given: Inputs) -> Result:
    return asdict(newcombe_paired(_pairs(given), level=given.number("conf_level")))


def _tango_score_paired(given: Inputs) -> Result:
    interval = tango_score_paired(_pairs(given), level=given.number("conf_level"))
    return {"diff": interval.diff, "lo": interval.lo, "hi": interval.hi}


def _noninferiority(given: Inputs) -> Result:
    method = given.word("method", ("count_margin", "newcombe_lower", "tango_score", "wilcoxon_shift"))
    if method == "count_margin":
        return {"noninferior": _keeps_count(given)}
    margin, alpha = given.number("margin"), given.number("alpha")
    if method == "newcombe_lower":
        return asdict(newcombe_noninferiority(_pairs(given), margin=margin, alpha=alpha))
    if method == "tango_score":
        return asdict(tango_noninferiority(_pairs(given), margin=margin, alpha=alpha))
    zeros, better = given.word("zero_method", ZEROS), given.word("better", get_args(Better), "higher")
    shift = wilcoxon_noninferiority(_differences(given), margin=margin, alpha=alpha, zeros=zeros, better=better)
    return {"p": shift.test.p, "p_exact": shift.test.p_exact, "noninferior": shift.noninferior}


def _keeps_count(given: Inputs) -> bool:
    treatment, baseline = given.count("solved_treatment"), given.count("solved_baseline")
    return count_margin(treatment, baseline, margin_tasks=given.count("margin_tasks"))


def _equivalence(given: Inputs) -> Result:
    margin, alpha = given.number("margin"), given.number("alpha")
    if given.word("method", ("newcombe", "wilcoxon_shift")) == "newcombe":
        return {"equivalent": newcombe_equivalence(_pairs(given), margin=margin, alpha=alpha)}
    zeros = given.word("zero_method", ZEROS)
    return asdict(wilcoxon_equivalence(_differences(given), margin=margin, alpha=alpha, zeros=zeros))


def _decision_rule(given: Inputs) -> Result:
    """A p below alpha, an upper end below zero, and no fewer solved than the margin allows: all three."""
    significant = given.number("wilcoxon_p") < given.number("alpha")
    below_zero = given.number("ci_hi") < 0
    return {"supported": _keeps_count(given) and significant and below_zero}


def _bootstrap(given: Inputs) -> Result:
    interval = bootstrap(
        _differences(given),
        statistic=given.word("statistic", get_args(Statistic)),
        method=given.word("method", get_args(Method)),
        level=given.number("conf_level"),
        resamples=given.count("n_resamples") if given.has("n_resamples") else None,
        seed=given.count("seed", 0),
        ties=given.word("ties", get_args(Ties), "mid"),
        quantile_rule=given.word("quantile", get_args(Quantile), "inverted_cdf"),
    )
    return asdict(interval)


def _bootstrap_median(given: Inputs) -> Result:
    return ideal_median(_differences(given), level=given.number("conf_level"))


def _bootstrap_paired_proportion(given: Inputs) -> Result:
    b, c, n = given.count("b"), given.count("c"), given.count("n")
    return ideal_paired_proportion(b, c, n, level=given.number("conf_level"))


def _bootstrap_from_replicates(given: Inputs) -> Result:
    return bootstrap_from_replicates(
        given.number("theta_hat"),
        given.numbers("theta_star"),
        given.numbers("jackknife"),
        level=given.number("conf_level"),
    )


def _bootstrap_seeded_numpy(given: Inputs) -> Result:
    if given.has("rng"):
        given.word("rng", ("numpy.random.Generator(PCG64(seed)).integers(0, n, size=(n_resamples, n))",))
    return bootstrap_seeded_numpy(
        _differences(given),
        statistic=given.word("statistic", get_args(Statistic)),
        level=given.number("conf_level"),
        resamples=given.count("n_resamples"),
        seed=given.count("seed"),
        ties=given.word("ties", get_args(Ties)),
        quantile_rule=given.word("quantile", get_args(Quantile)),
    )


def _agreement(given: Inputs) -> Result:
    result = asdict(agreement(given.labels("run1"), given.labels("run2")))
    return {**result, "flip_wilson95": list(result["flip_wilson95"])}


def _tasks(given: Inputs, name: str = "tasks") -> list[tuple[Any, Any]]:
    tasks = [tuple(task) if isinstance(task, list | tuple) else () for task in given.items(name)]
    if any(len(task) != 2 for task in tasks):
        raise StatError("a task is [successes, seeds]")
    return [(task[0], task[1]) for task in tasks]


def _self_disagreement(given: Inputs) -> Result:
    result = self_disagreement(_tasks(given))
    return {"per_task": list(result.per_task), "mean": result.mean}


def _chance(share: Fraction) -> Result:
    return {"value": float(share), "exact": f"{share.numerator}/{share.denominator}"}


def _pass_at_k(given: Inputs) -> Result:
    return _chance(pass_at_k(given.count("n"), given.count("c"), given.count("k")))


def _pass_hat_k(given: Inputs) -> Result:
    return _chance(pass_hat_k(given.count("n"), given.count("c"), given.count("k")))


def _pass_k_of_tasks(given: Inputs) -> Result:
    at, hat = pass_k_of_tasks(_tasks(given), given.count("k"))
    return {"pass_at_k": double(at), "pass_hat_k": double(hat)}


def _summary(given: Inputs) -> Result:
    found = asdict(summary(given.numbers("x")))
    return {name: double(each) if isinstance(each, Fraction) else each for name, each in found.items()}


def _drift(given: Inputs) -> Result:
    return {"rho": drift(given.doubles("x"))}


def _runs_apart(given: Inputs) -> Result:
    return _chance(runs_apart(_tasks(given, "one"), _tasks(given, "other")))


def _fisher_exact(given: Inputs) -> Result:
    one, other = given.items("one"), given.items("other")
    if len(one) != 2 or len(other) != 2:
        raise StatError("each side is [hits, misses]")
    return {"p": fisher_exact(*one, *other)}


def _holm(given: Inputs) -> Result:
    return {"adjusted": [chance(p) for p in holm(given.numbers("p"))]}


def _fixed_sequence(given: Inputs) -> Result:
    return {"adjusted": [chance(p) for p in fixed_sequence(given.numbers("p"))]}


def _clustered_se(given: Inputs) -> Result:
    return asdict(clustered_se(given.numbers("scores"), given.labels("clusters")))


def _clustered_interval(given: Inputs) -> Result:
    level = given.number("conf_level")
    return asdict(clustered_interval(given.numbers("scores"), given.labels("clusters"), level=level))


def _sample_size_wilcoxon(given: Inputs) -> Result:
    size = sample_size_wilcoxon(
        sigma=given.number("sigma"),
        delta=given.number("delta"),
        alpha_one_sided=given.number("alpha_one_sided"),
        power=given.number("power"),
        constants=given.word("constants", ("rounded", "exact")),
    )
    return asdict(size)


def _median_relative_change(given: Inputs) -> Result:
    changes = relative_changes(given.numbers("baseline"), given.numbers("treatment"))
    return {"per_task": [double(change) for change in changes], "median": double(median(changes))}


def _sign_flip(given: Inputs) -> Result:
    alternative = given.word("alternative", ALTERNATIVES)
    return asdict(
        sign_flip(
            _differences(given),
            alternative=alternative,
            resamples=given.count("n_resamples", 100_000),
            seed=given.count("seed", 0),
        )
    )


PROCEDURES: Mapping[str, Callable[[Inputs], Result]] = MappingProxyType(
    {
        "wilcoxon_signed_rank": _wilcoxon_signed_rank,
        "hodges_lehmann": _hodges_lehmann,
        "sign_flip": _sign_flip,
        "mcnemar": _mcnemar,
        "min_discordant": _min_discordant,
        "mcnemar_critical_split": _mcnemar_critical_split,
        "wilson": _wilson,
        "newcombe_paired": _newcombe_paired,
        "tango_score_paired": _tango_score_paired,
        "noninferiority": _noninferiority,
        "equivalence": _equivalence,
        "decision_rule": _decision_rule,
        "bootstrap": _bootstrap,
        "bootstrap_median": _bootstrap_median,
        "bootstrap_paired_proportion": _bootstrap_paired_proportion,
        "bootstrap_from_replicates": _bootstrap_from_replicates,
        "bootstrap_seeded_numpy": _bootstrap_seeded_numpy,
        "agreement": _agreement,
        "self_disagreement_pairwise": _self_disagreement,
        "pass_at_k": _pass_at_k,
        "pass_hat_k": _pass_hat_k,
        "pass_k_of_tasks": _pass_k_of_tasks,
        "summary": _summary,
        "drift": _drift,
        "runs_apart": _runs_apart,
        "fisher_exact": _fisher_exact,
        "holm": _holm,
        "fixed_sequence": _fixed_sequence,
        "clustered_se": _clustered_se,
        "clustered_interval": _clustered_interval,
        "sample_size_wilcoxon": _sample_size_wilcoxon,
        "median_relative_change": _median_relative_change,
    }
)
