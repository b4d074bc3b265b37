"""Every number of the endpoints as a line for the calculator: estimates, tests, intervals, levels, families, single arms."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from analyzer.attempts import counted
from analyzer.derivation import Derivation, number, written
from analyzer.document import Facts
from analyzer.pairing import Pairing, pair, pairs_of
from analyzer.per_arm import rows_of
from analyzer.population import Population, tabulate, under, within
from analyzer.procedures import Pairs
from analyzer.reading import tree
from analyzer.verdict import Estimate, Shown
from analyzer.wording import CARRIES_PERCENT
from compiler.plan import Chosen, EndpointPlan
from spec_lang.expr.ast import reads

Values = Mapping[str, Shown]

_TABLES = {"newcombe-paired": "newcombe_paired", "tango-score": "tango_score_paired"}
_FAMILIES = {"holm": "holm", "fixed-sequence": "fixed_sequence"}


def endpoints(facts: Facts) -> Iterator[Derivation]:
    """Give a line for every number of every endpoint, whole and within each level; an unknown number has none."""
    for endpoint in facts.document.plan.endpoints:
        chosen = under(facts.everyone, endpoint.where)
        found = facts.document.verdict.endpoints[endpoint.name]
        paired = facts.pairings.get(endpoint.name)
        yield from _one(endpoint, chosen, found.values, endpoint.name, paired)
        for level, part in within(chosen, endpoint.by).items() if endpoint.by else ():
            yield from _one(endpoint, part, found.by[level], f"{endpoint.name} ({level})")
    yield from _family(facts.document.plan.decision.family, facts)


def _one(
    endpoint: EndpointPlan, chosen: Population, values: Values, name: str, paired: Pairing | None = None
) -> Iterator[Derivation]:
    if endpoint.per_arm is not None:
        yield from _of_arms(endpoint, chosen, values, name)
    elif endpoint.compare is not None:
        paired = paired or pair(tabulate(chosen, endpoint), endpoint.compare)
        yield from _compared(endpoint, paired, values, name)
    else:
        yield from _side_by_side(endpoint, chosen, values, name)


def _compared(endpoint: EndpointPlan, pairing: Pairing, values: Values, name: str) -> Iterator[Derivation]:
    pairs = pairs_of(pairing, endpoint.statistic or "mean", endpoint.interval)
    if pairing.unknown or not pairs.differences:
        return
    differences = [number(each) for each in pairs.differences]
    signs = values["signs"]
    assert isinstance(signs, Mapping)
    yield Derivation(
        of=f"{name}: differences",
        procedure="summary",
        inputs={"x": differences},
        gives={"n": values["n"], "mean": values["mean"], "median": values["median"], **signs},
    )
    for kind, chosen, keys in (
        ("test", endpoint.test, {"p": values.get("p")}),
        ("interval", endpoint.interval, {"lo": values.get("lower"), "hi": values.get("upper")}),
    ):
        asked = None if chosen is None or None in keys.values() else _asked(chosen, pairs, differences)
        if asked is not None:
            procedure, inputs, key = asked
            gives = {key: keys["p"]} if kind == "test" else keys
            yield Derivation(of=f"{name}: {kind}", procedure=procedure, inputs=inputs, gives=gives)


def _asked(chosen: Chosen, pairs: Pairs, differences: list[Any]) -> tuple[str, Mapping[str, Any], str] | None:
    """Give the procedure, its inputs, and under which key its p comes out."""
    options = chosen.options
    level = float(str(options.get("level", "0.95")))
    side = str(options.get("alternative", "two-sided"))
    match chosen.kind:
        case "wilcoxon-signed-rank":
            asked = {"d": differences, "zero_method": options.get("zeros", "wilcox"), "alternative": side}
            return "wilcoxon_signed_rank", asked, "p"
        case "sign-flip":
            draws = {"n_resamples": options["resamples"], "seed": options["seed"]}
            return "sign_flip", {"d": differences, "alternative": side, **draws}, "p"
        case "mcnemar-exact" | "mcnemar-midp" if pairs.solved is not None:
            first, second = pairs.solved[1], pairs.solved[2]
            key = ("mid_p_" if chosen.kind.endswith("midp") else "p_") + side.replace("-", "_")
            return "mcnemar", {"b": first, "c": second}, key
        case "newcombe-paired" | "tango-score" if pairs.solved is not None:
            both, first, second, neither = pairs.solved
            table = {"n11": both, "n10": first, "n01": second, "n00": neither, "conf_level": level}
            return _TABLES[chosen.kind], table, ""
        case "hodges-lehmann":
            return "hodges_lehmann", {"d": differences, "conf_level": level}, ""
        case "clustered-t":
            clusters = list(pairs.clusters or map(str, range(len(differences))))
            return "clustered_interval", {"scores": differences, "clusters": clusters, "conf_level": level}, ""
        case "bootstrap-percentile" | "bootstrap-bca":
            return "bootstrap", bootstrap_inputs(options, pairs.statistic, chosen.kind, differences), ""
        case _:
            return None


def bootstrap_inputs(
    options: Mapping[str, Any], statistic: str, kind: str, differences: list[Any], *, ideal: bool = False
) -> dict[str, Any]:
    """Give what the calculator needs to resample as registered, or (``ideal``) to list the exact law."""
    asked: dict[str, Any] = {
        "d": differences,
        "statistic": statistic,
        "method": kind.removeprefix("bootstrap-"),
        "conf_level": float(str(options.get("level", "0.95"))),
        "ties": options.get("ties", "mid"),
        "quantile": str(options.get("quantile", "inverted-cdf")).replace("-", "_"),
    }
    if options.get("resamples") is not None and not ideal:
        asked |= {"n_resamples": options["resamples"], "seed": options.get("seed", 0)}
    return asked


def _side_by_side(endpoint: EndpointPlan, chosen: Population, values: Values, name: str) -> Iterator[Derivation]:
    arms, intervals, counts = values.get("arms"), values.get("intervals"), values.get("counts")
    assert isinstance(arms, Mapping)
    statistic = endpoint.statistic or "mean"
    table = tabulate(chosen, endpoint)
    for arm in chosen.arms:
        cells = [each.cells[arm] for each in table if not each.cells[arm].left_out]
        counted_only = len(table) < CARRIES_PERCENT and all(isinstance(each.value, bool) for each in cells)
        if arms.get(arm) is not None and not counted_only:  # so few yes or no are shown as a count, and no share
            amounts = [
                written(Fraction(int(each.value)) if isinstance(each.value, bool) else each.value) for each in cells
            ]
            yield Derivation(
                of=f"{name}: {arm}", procedure="summary", inputs={"x": amounts}, gives={statistic: arms[arm]}
            )
        count = counts.get(arm) if isinstance(counts, Mapping) else None
        yield from _wilson(endpoint, intervals, arm, count, len(cells), name)


def _of_arms(endpoint: EndpointPlan, chosen: Population, values: Values, name: str) -> Iterator[Derivation]:
    arms, intervals = values.get("arms"), values.get("intervals")
    assert isinstance(arms, Mapping)
    assert endpoint.per_arm is not None
    for arm in chosen.arms:
        columns = _columns(endpoint, chosen, arm)
        if arms.get(arm) is None:
            continue
        asked = {"expression": endpoint.per_arm, "columns": columns}
        yield Derivation(of=f"{name}: {arm}", procedure="per_arm", inputs=asked, gives={"value": arms[arm]})
        share, n = arms[arm], len(rows_of(chosen, arm))
        count = round(share * n) if isinstance(share, int | float) else None
        yield from _wilson(endpoint, intervals, arm, count, n, name)


def _columns(endpoint: EndpointPlan, chosen: Population, arm: str) -> dict[str, list[Any]]:
    """Give what an expression over one arm reads, one value a trial; over attempts, one an attempt where it is none of the result."""
    names = reads(tree(endpoint.per_arm or ""))
    if endpoint.over == "attempts":
        all_ = counted(chosen, arm)
        return {
            name: [
                written(None if row is None else row.get(name))
                for row in (all_.trials if name in chosen.of_trials else all_.attempts)
            ]
            for name in names
        }
    rows = rows_of(chosen, arm)
    return {name: [written(row.values.get(name)) for row in rows] for name in names}


def _wilson(
    endpoint: EndpointPlan, intervals: Shown, arm: str, count: Shown, n: int, name: str
) -> Iterator[Derivation]:
    ends = intervals.get(arm) if isinstance(intervals, Mapping) else None
    if not isinstance(ends, Mapping) or not isinstance(count, int) or endpoint.interval is None:
        return
    level = float(str(endpoint.interval.options.get("level", "0.95")))
    yield Derivation(
        of=f"{name}: interval of {arm}",
        procedure="wilson",
        inputs={"x": count, "n": n, "conf_level": level},
        gives={"lo": ends["lower"], "hi": ends["upper"]},
    )


def _family(members: Sequence[str], facts: Facts) -> Iterator[Derivation]:
    """Adjust the family's p-values; an unknown one counts as 1, and its own adjusted p is not shown."""
    estimated: Mapping[str, Estimate] = facts.document.verdict.endpoints
    correction = facts.document.plan.decision.correction
    if not members or correction is None:
        return
    raw = [estimated[name].values.get("p") for name in members]
    adjusted = [estimated[name].values.get("p_adjusted") for name in members]
    yield Derivation(
        of=f"p adjusted: {', '.join(members)}",
        procedure=_FAMILIES[correction],
        inputs={"p": [1 if each is None else each for each in raw]},
        gives={"adjusted": adjusted},
    )
