"""Sizes the next run from this run's spread, by the registered formula; unknown where the spread is unknown."""

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt

from analyzer.reading import tree, value
from analyzer.reckoned import Reckoned
from analyzer.verdict import Shown
from compiler.plan import AnalysisPlan
from ledger.plain import Plain
from stats.number import StatError
from stats.sample_size import sample_size_wilcoxon


def next_run(plan: AnalysisPlan, endpoints: Mapping[str, Reckoned]) -> dict[str, Shown]:
    """Give the number of tasks for the next run, or None with the reason; nothing when none is registered.

    ``sigma`` is the sample standard deviation (n - 1) of the endpoint's per-task differences. The formula is that of
    ``stats.sample_size`` with exact constants; a pilot's spread is itself an estimate, so the number is a guide.
    ``floor`` is the least number of tasks with which the exact one-sided test can reach p < alpha at all.
    """
    asked = plan.sample_size.get("next")
    if not isinstance(asked, Mapping):
        return {}
    name = str(asked.get("endpoint"))
    effect, alpha, power = (_number(asked.get(key)) for key in ("effect", "alpha", "power"))
    sized: dict[str, Shown] = {
        "formula": str(asked.get("formula")),
        "endpoint": name,
        "effect": _double(effect),
        "alpha": _double(alpha),
        "power": _double(power),
        "sigma": None,
        "n_raw": None,
        "n": None,
    }
    found = endpoints.get(name)
    if found is None or effect is None or alpha is None or power is None:
        return {**sized, "reason": "the plan does not say of what"}
    if found.differences is None:
        return {**sized, "reason": f"{name} is unknown on some tasks, so its spread is unknown"}
    if len(found.differences) < 2:
        return {**sized, "reason": f"{len(found.differences)} task has no spread"}
    sigma = _deviation(found.differences)
    sized["sigma"] = sigma
    if sigma == 0:
        return {**sized, "reason": "every task shows the same difference; a spread of nothing sizes nothing"}
    try:
        size = sample_size_wilcoxon(sigma=sigma, delta=effect, alpha_one_sided=alpha, power=power, constants="exact")
    except StatError as problem:
        return {**sized, "reason": str(problem)}
    return {**sized, "n_raw": size.n_raw, "n": size.n, "floor": _floor(alpha)}


def _floor(alpha: Fraction) -> int:
    tasks = 1
    while Fraction(1, 2**tasks) >= alpha:
        tasks += 1
    return tasks


def _deviation(values: tuple[Fraction, ...]) -> float:
    mean = sum(values, Fraction(0)) / len(values)
    return sqrt(sum(((each - mean) ** 2 for each in values), Fraction(0)) / (len(values) - 1))


def _number(written: Plain) -> Fraction | None:
    """Read a registered amount: a decimal string, or a number with its unit such as ``15 %``."""
    if isinstance(written, bool) or not isinstance(written, int | str):
        return None
    found = value(tree(str(written)), {})
    return found if isinstance(found, Fraction) else None


def _double(number: Fraction | None) -> float | None:
    return None if number is None else float(number)
