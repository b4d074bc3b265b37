"""The calculator against 182 reference values from R, scipy, brute force and 50-digit arithmetic; and what it refuses."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.calculator import calculate
from stats.procedures import PROCEDURES

GOLD = json.loads((Path(__file__).parent.parent / "gold" / "stats.json").read_text(encoding="utf-8"))


def differences(got, expected, tolerance, where=""):
    """Where a result departs from the reference: keys must be the same, numbers within the tolerance, all else equal."""
    if isinstance(expected, dict):
        if not isinstance(got, dict) or set(got) != set(expected):
            return [f"{where}: keys {got} for {expected}"]
        return [line for key in expected for line in differences(got[key], expected[key], tolerance, f"{where}/{key}")]
    if isinstance(expected, list):
        if len(got) != len(expected):
            return [f"{where}: {len(got)} items for {len(expected)}"]
        pairs = enumerate(zip(got, expected, strict=True))
        return [
            line for place, (one, other) in pairs for line in differences(one, other, tolerance, f"{where}/{place}")
        ]
    if isinstance(expected, float) and isinstance(got, int | float) and not isinstance(got, bool):
        within = abs(got - expected) <= tolerance.get("abs", 1e-12) + tolerance.get("rel", 1e-9) * abs(expected)
        return [] if within else [f"{where}: {got!r} for {expected!r}"]
    return [] if got == expected and type(got) is type(expected) else [f"{where}: {got!r} for {expected!r}"]


def test_every_gold_case_is_here():
    assert len(GOLD["cases"]) == GOLD["n_cases"] == 182
    assert {case["procedure"] for case in GOLD["cases"]} <= set(PROCEDURES)


@pytest.mark.parametrize("case", GOLD["cases"], ids=lambda case: case["id"])
def test_gold(case):
    got = calculate(case["procedure"], case["inputs"])
    if case["expected"].get("refuse"):
        assert got["refuse"] is True
        assert case["expected"]["reason"] in got["reason"]
    else:
        assert differences(got, case["expected"], case["tolerance"]) == []


@pytest.mark.parametrize("case", GOLD["cases"], ids=lambda case: case["id"])
def test_gold_with_numbers_parsed_as_decimals(case):
    inputs = json.loads(json.dumps(case["inputs"]), parse_float=Decimal)
    assert calculate(case["procedure"], inputs) == calculate(case["procedure"], case["inputs"])


@pytest.mark.parametrize(
    "case",
    [case for case in GOLD["cases"] if case["procedure"].startswith(("bootstrap_med", "bootstrap_pair"))],
    ids=lambda c: c["id"],
)
def test_our_own_seeded_intervals_end_inside_the_bands(case):
    inputs, expected = case["inputs"], case["expected"]
    if "d" in inputs:
        data, statistic = inputs["d"], "median"
    else:
        b, c, n = inputs["b"], inputs["c"], inputs["n"]
        data, statistic = [1] * b + [-1] * c + [0] * (n - b - c), "mean"
    for name, method, ties in (
        ("percentile", "percentile", "mid"),
        ("bca_mid", "bca", "mid"),
        ("bca_strict", "bca", "strict"),
    ):
        if "lo_band" not in expected.get(name, {}):
            continue
        got = calculate(
            "bootstrap",
            {
                "d": data,
                "statistic": statistic,
                "method": method,
                "ties": ties,
                "conf_level": inputs["conf_level"],
                "n_resamples": 10000,
                "seed": 20261014,
            },
        )
        for end in ("lo", "hi"):
            low, high = expected[name][f"{end}_band"]
            assert low - 1e-12 <= got[end] <= high + 1e-12


REFUSED = [
    ("wilcoxon", {}, "did you mean 'wilcoxon_signed_rank'"),
    ("wilsn", {}, "did you mean 'wilson'"),
    ("no such thing", {}, "unknown procedure"),
    (None, {}, "a procedure's name"),
    ("wilson", [], "a procedure's name"),
    ("wilson", {"x": 1, "conf_level": 0.95}, "missing input: n"),
    ("wilson", {"x": 1, "n": 2, "conf_levl": 0.95}, "missing input: conf_level"),
    ("wilson", {"x": 1, "n": 2, "conf_level": 0.95, "continuty": True}, "unknown input: continuty"),
    ("wilson", {"x": -1, "n": 2, "conf_level": 0.95}, "negative count"),
    ("wilson", {"x": True, "n": 2, "conf_level": 0.95}, "not a number"),
    ("wilson", {"x": 1, "n": 2, "conf_level": 95}, "between 0 and 1"),
    ("wilson", {"x": 1, "n": 2, "conf_level": float("nan")}, "non-finite"),
    ("hodges_lehmann", {"d": [], "conf_level": 0.95}, "no tasks"),
    ("hodges_lehmann", {"d": 3, "conf_level": 0.95}, "must be a list"),
    ("hodges_lehmann", {"d": [None], "conf_level": 0.95}, "not a number"),
    ("hodges_lehmann", {"d": ["1e999999"], "conf_level": 0.95}, "out of range"),
    ("wilcoxon_signed_rank", {"d": [1], "zero_method": "zsplit", "alternative": "less"}, "zero_method must be one of"),
    ("wilcoxon_signed_rank", {"d": [1], "zero_method": "wilcox", "alternative": "fewer"}, "alternative must be one of"),
    (
        "wilcoxon_signed_rank",
        {"x": [1], "y": [1, 2], "zero_method": "wilcox", "alternative": "less"},
        "unequal lengths",
    ),
    (
        "wilcoxon_signed_rank",
        {"x": [1e308], "y": [-1e308], "arithmetic": "float64", "zero_method": "wilcox", "alternative": "less"},
        "non-finite",
    ),
    ("mcnemar", {"b": -1, "c": 3}, "negative count"),
    ("mcnemar", {"b": 10**9, "c": 3}, "too large"),
    ("mcnemar", {"b": "Infinity", "c": 3}, "non-finite"),
    ("mcnemar_critical_split", {"discordant": 10**9, "alpha": 0.05, "sides": 2}, "too large"),
    ("pass_at_k", {"n": 10**9, "c": 5, "k": 10**8}, "too large"),
    ("wilson", {"x": 10**400, "n": 10**401, "conf_level": 0.95}, "out of range of the doubles"),
    ("wilson", {"x": 1, "n": 2, "conf_level": "0." + "9" * 350}, "too near to 0 or 1"),
    ("bootstrap_paired_proportion", {"b": 1, "c": 1, "n": 10**9, "conf_level": 0.95}, "too large"),
    (
        "wilcoxon_signed_rank",
        {"d": [1], "zero_method": "wilcox", "alternative": "less", "round_decimals": 10**9},
        "too large",
    ),
    (
        "bootstrap",
        {"d": [1, 2], "statistic": "mean", "method": "bca", "conf_level": 0.95, "quantile": "linear"},
        "interpolate",
    ),
    (
        "bootstrap",
        {"d": [1, 2], "statistic": "mean", "method": "bca", "conf_level": 0.95, "n_resamples": 10**9},
        "resamples must be",
    ),
    (
        "sample_size_wilcoxon",
        {"sigma": "1e200", "delta": 1, "alpha_one_sided": 0.05, "power": 0.8, "constants": "exact"},
        "out of range",
    ),
    ("min_discordant", {"alpha": 0.05, "sides": 3}, "sides"),
    ("min_discordant", {"alpha": 0, "sides": 1}, "between 0 and 1"),
    ("bootstrap_paired_proportion", {"b": 3, "c": 3, "n": 5, "conf_level": 0.95}, "b + c > n"),
    ("bootstrap_paired_proportion", {"b": 0, "c": 0, "n": 0, "conf_level": 0.95}, "n = 0"),
    ("bootstrap_median", {"d": [1, "NaN"], "conf_level": 0.95}, "non-finite"),
    (
        "bootstrap_from_replicates",
        {"theta_hat": 1, "theta_star": [], "jackknife": [1], "conf_level": 0.95},
        "no replicates",
    ),
    ("bootstrap", {"d": [1, 2], "statistic": "mode", "method": "bca", "conf_level": 0.95}, "statistic must be"),
    (
        "bootstrap",
        {"d": [1, 2], "statistic": "mean", "method": "bca", "conf_level": 0.95, "n_resamples": 0},
        "must be 1 to",
    ),
    ("bootstrap", {"d": [1, "1e-300"], "statistic": "mean", "method": "bca", "conf_level": 0.95}, "no ideal law"),
    ("agreement", {"run1": [1, 0], "run2": [1]}, "unequal lengths"),
    ("agreement", {"run1": [], "run2": []}, "no tasks"),
    ("agreement", {"run1": [None], "run2": [1]}, "not a label"),
    ("agreement", {"run1": [[1]], "run2": [1]}, "not a label"),
    ("self_disagreement_pairwise", {"tasks": [[3, 2]]}, "c > k"),
    ("self_disagreement_pairwise", {"tasks": [[1, 1]]}, "no task has two seeds"),
    ("self_disagreement_pairwise", {"tasks": [1]}, "a task is"),
    ("pass_at_k", {"n": 3, "c": 1, "k": 0}, "k = 0"),
    ("holm", {"p": [0.01, "NaN"]}, "non-finite"),
    ("holm", {"p": []}, "no p-values"),
    ("clustered_se", {"scores": [1, 0], "clusters": ["a", "a"]}, "one cluster"),
    ("clustered_se", {"scores": [1, 0], "clusters": ["a"]}, "unequal lengths"),
    (
        "sample_size_wilcoxon",
        {"sigma": 0, "delta": 1, "alpha_one_sided": 0.05, "power": 0.8, "constants": "exact"},
        "sigma",
    ),
    (
        "sample_size_wilcoxon",
        {"sigma": 1, "delta": 1, "alpha_one_sided": 0.07, "power": 0.8, "constants": "rounded"},
        "no rounded constant",
    ),
    ("median_relative_change", {"baseline": ["-1"], "treatment": ["1"]}, "negative baseline"),
    (
        "noninferiority",
        {"method": "tango_score", "n11": 1, "n10": 1, "n01": 1, "n00": 1, "margin": 1, "alpha": 0.05},
        "margin",
    ),
    (
        "noninferiority",
        {"method": "newcombe_lower", "n11": 1, "n10": 1, "n01": 1, "n00": 1, "margin": -0.1, "alpha": 0.05},
        "negative margin",
    ),
    (
        "noninferiority",
        {"method": "newcombe_lower", "n11": 1, "n10": 1, "n01": 1, "n00": 1, "margin": 0.1, "alpha": 0.6},
        "below 1/2",
    ),
]


@pytest.mark.parametrize(("procedure", "inputs", "reason"), REFUSED)
def test_refusals_say_why(procedure, inputs, reason):
    got = calculate(procedure, inputs)
    assert got["refuse"] is True
    assert reason in got["reason"]


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 40)
    | st.floats()
    | st.sampled_from(["", "NaN", "1e400", "0.5", "less", "wilcox", "mean"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@given(st.data())
def test_no_input_raises_and_every_result_is_finite_json(data):
    """Break one input of a gold case in any way: the answer is a result or a refusal, never an exception, NaN or infinity."""
    case = data.draw(st.sampled_from([case for case in GOLD["cases"] if len(json.dumps(case["inputs"])) < 2000]))
    inputs = dict(case["inputs"])
    inputs[data.draw(st.sampled_from(sorted(inputs)))] = data.draw(anything)
    json.dumps(calculate(case["procedure"], inputs), allow_nan=False)
