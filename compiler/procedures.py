"""Names and versions of the procedures a plan pins, so that a tool that computes something else is noticed."""

from collections.abc import Mapping

from spec_lang.model import Choice, Spec

ALWAYS: Mapping[str, str] = {
    "canonical-form": "rfc8785/1",
    "expressions": "prereg-expressions/1",
    "selection": "all-conditions-hold/1",
}
"""What every plan relies on."""

TESTS: Mapping[str, str] = {
    "wilcoxon-signed-rank": "wilcoxon-signed-rank-exact/1",
    "sign-flip": "sign-flip-mean/1",
    "mcnemar-exact": "mcnemar-exact-binomial/1",
    "mcnemar-midp": "mcnemar-mid-p/1",
}

INTERVALS: Mapping[str, str] = {
    "newcombe-paired": "newcombe-paired-method-10/1",
    "tango-score": "tango-score/1",
    "wilson": "wilson-score/1",
    "bootstrap-percentile": "bootstrap-percentile/1",
    "bootstrap-bca": "bootstrap-bca/1",
    "hodges-lehmann": "hodges-lehmann-walsh/1",
    "clustered-t": "clustered-cr1-t/1",
}

STATISTICS: Mapping[str, str] = {"mean": "exact-mean/1", "median": "exact-median-midpoint/1"}

CHANCE: Mapping[str, str] = {
    "python-random-v1": "cpython-random-shuffle/1",
    "keyed-sha256-v1": "keyed-sha256-order/1",
    "interleave": "interleave-arms-in-task/1",
    "alternate": "alternate-arms/1",
}

CORRECTIONS: Mapping[str, str] = {
    "holm": "holm-step-down/2",
    "fixed-sequence": "fixed-sequence-running-maximum/1",
}
"""A member whose p is unknown counts as 1 (so since Holm's /2)."""


def procedures(spec: Spec) -> dict[str, str]:
    """List the procedures that a spec's plan relies on, as ``role:kind`` → ``name/version``, keys sorted.

    A kind that a plugin adds has no version of ours; it is pinned as ``kind/plugin``.
    """
    found = dict(ALWAYS)
    found |= {f"order:{spec.trials.order.kind}": _version(CHANCE, spec.trials.order)}
    for tasks in spec.tasks.values():
        if tasks.draw.shuffle is not None:
            found[f"shuffle:{tasks.draw.shuffle.kind}"] = _version(CHANCE, tasks.draw.shuffle)
    for endpoint in spec.endpoints.values():
        if endpoint.test is not None:
            found[f"test:{endpoint.test.kind}"] = _version(TESTS, endpoint.test)
        if endpoint.interval is not None:
            found[f"interval:{endpoint.interval.kind}"] = _version(INTERVALS, endpoint.interval)
        if endpoint.statistic is not None:
            found[f"statistic:{endpoint.statistic}"] = STATISTICS[endpoint.statistic]
        if endpoint.per_task is not None:
            found[f"per-task:{endpoint.per_task}"] = f"{endpoint.per_task}-of-seeds/1"
    if spec.decision.family is not None:
        found[f"correction:{spec.decision.family.correction}"] = CORRECTIONS[spec.decision.family.correction]
    return {key: found[key] for key in sorted(found)}


def _version(table: Mapping[str, str], choice: Choice) -> str:
    return table.get(choice.kind, f"{choice.kind}/plugin")
