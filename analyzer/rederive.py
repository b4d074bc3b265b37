"""The commands that give a report's numbers again: one line for the calculator a procedure, with its inputs written out."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from analyzer.pairing import Pairing, pairs_of
from analyzer.procedures import Pairs
from compiler.plan import Chosen, EndpointPlan

MOST_TASKS = 60
"""So many differences fit on a line that someone may read; beyond, an audit alone gives the numbers again."""

_TABLES = {"newcombe-paired": "newcombe_paired", "tango-score": "tango_score_paired"}


def commands(endpoint: EndpointPlan, pairing: Pairing) -> Iterator[str]:
    """Give a line for the test and one for the interval of an endpoint whose tasks are all known."""
    pairs = pairs_of(pairing, endpoint.statistic or "mean", endpoint.interval)
    if pairing.unknown or not pairs.differences or len(pairs.differences) > MOST_TASKS:
        return
    for chosen in (endpoint.test, endpoint.interval):
        asked = None if chosen is None else _asked(chosen, pairs)
        if asked is not None:
            procedure, inputs = asked
            line = json.dumps({"procedure": procedure, "inputs": inputs}, separators=(",", ":"))
            yield f"echo '{line}' | prereg stat  # {endpoint.name}"


def _asked(chosen: Chosen, pairs: Pairs) -> tuple[str, Mapping[str, Any]] | None:
    options = chosen.options
    level = float(str(options.get("level", "0.95")))
    differences: Any = [_written(each) for each in pairs.differences]
    match chosen.kind:
        case "wilcoxon-signed-rank":
            zeros, side = options.get("zeros", "wilcox"), options.get("alternative", "two-sided")
            return "wilcoxon_signed_rank", {"d": differences, "zero_method": zeros, "alternative": side}
        case "sign-flip":
            side, seed = options["alternative"], options["seed"]
            return "sign_flip", {
                "d": differences,
                "alternative": side,
                "n_resamples": options["resamples"],
                "seed": seed,
            }
        case "clustered-t":
            clusters: Any = list(pairs.clusters or map(str, range(len(differences))))
            return "clustered_interval", {"scores": differences, "clusters": clusters, "conf_level": level}
        case "mcnemar-exact" | "mcnemar-midp" if pairs.solved is not None:
            return "mcnemar", {"b": pairs.solved[1], "c": pairs.solved[2]}
        case "newcombe-paired" | "tango-score" if pairs.solved is not None:
            both, first, second, neither = pairs.solved
            table = {"n11": both, "n10": first, "n01": second, "n00": neither, "conf_level": level}
            return _TABLES[chosen.kind], table
        case "hodges-lehmann":
            return "hodges_lehmann", {"d": differences, "conf_level": level}
        case "bootstrap-percentile" | "bootstrap-bca":
            asked: dict[str, Any] = {
                "d": differences,
                "statistic": pairs.statistic,
                "method": chosen.kind.removeprefix("bootstrap-"),
                "conf_level": level,
                "ties": options.get("ties", "mid"),
                "quantile": str(options.get("quantile", "inverted-cdf")).replace("-", "_"),
            }
            if options.get("resamples") is not None:
                asked |= {"n_resamples": options["resamples"], "seed": options.get("seed", 0)}
            return "bootstrap", asked
        case _:
            return None


def _written(number: Fraction) -> "int | float":
    """Write a number so that JSON reads it back as it is, where it has a short decimal; else as its nearest double."""
    return int(number) if number.denominator == 1 else float(number)
