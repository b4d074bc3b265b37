"""How amounts spread and what all attempts used together, as lines for the calculator."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from analyzer.derivation import Derivation, number
from analyzer.document import Facts
from stats.summary import summary

MOST_TRIALS = 5_000
"""Beyond so many trials these lines are long, and cost more than all else here; the audit renders every number again."""

SPREAD = ("least", "lower_quartile", "median", "mean", "upper_quartile", "most")
USED = (
    "cost",
    "time",
    "turns",
    "repairs",
    "tool_calls",
    "tool_errors",
    "input_tokens",
    "cache_read",
    "cache_write",
    "output_tokens",
)
"""What a report adds up over attempts."""


def amounts(facts: Facts) -> Iterator[Derivation]:
    """Give how cost and time spread in each arm, and what all its attempts used together, as far as it is known."""
    if len(facts.settled) > MOST_TRIALS:
        return
    for arm in facts.document.plan.arms:
        for name in ("cost", "time"):
            found = [each.row.facts.get(name) for each in facts.trials[arm]]
            known = sorted(each for each in found if isinstance(each, Fraction))
            if known:
                spread = summary(known)
                shown = {key: float(getattr(spread, key)) for key in SPREAD}
                yield _summed(f"spread of {name} in {arm}", known, shown)
        for name in USED:
            used = [each.get(name) for each in facts.accounts.attempts[arm]]
            known = sorted(each for each in used if isinstance(each, Fraction))
            if known:
                total = float(facts.accounts.total(arm, name).known)
                yield _summed(f"{name} of all attempts of {arm}", known, {"total": total})


def _summed(name: str, known: Sequence[Fraction], gives: Mapping[str, float]) -> Derivation:
    return Derivation(of=name, procedure="summary", inputs={"x": [number(each) for each in known]}, gives=gives)
