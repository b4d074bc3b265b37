"""How amounts spread and what all attempts used together, as lines for the calculator, or as commands that read the ledger."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction

from analyzer.accounting import AMOUNTS
from analyzer.derivation import Derivation, commented, number
from analyzer.document import IN_ORDER, MEASURED, Facts
from stats.drift import drift
from stats.number import StatError

MOST_TRIALS = 5_000
"""Beyond so many trials these lines are long, and cost more than all else here: their commands read the ledger instead."""

SPREAD = ("least", "lower_quartile", "median", "mean", "upper_quartile", "most")


def amounts(facts: Facts) -> Iterator[Derivation]:
    """Give how amounts spread in each arm, and what all its attempts used together, as far as it is known."""
    if len(facts.settled) > MOST_TRIALS:
        return
    for arm, name, attempts, gives in _told(facts):
        used = facts.accounts.attempts[arm] if attempts else [each.row.facts for each in facts.trials[arm]]
        known = sorted(value for each in used if isinstance(value := each.get(name), Fraction))
        yield Derivation(
            of=_of(arm, name, attempts=attempts),
            procedure="summary",
            inputs={"x": [number(each) for each in known]},
            gives=gives,
        )
        if not attempts and name in dict(IN_ORDER):
            yield from _drift(facts, arm, name)


def _drift(facts: Facts, arm: str, name: str) -> Iterator[Derivation]:
    """Give how far an amount drifted over the run; nothing where it does not vary."""
    found = [each for place, each in facts.measured[arm, name] if place is not None]
    with suppress(StatError):
        yield Derivation(
            of=f"drift of {name} in {arm}",
            procedure="drift",
            inputs={"x": found},
            gives={"rho": drift(found)},
        )


def from_ledger(facts: Facts, ledger: str) -> Iterator[str]:
    """Give the same numbers of a run too large for lines: a command each, which reads the ledger."""
    if len(facts.settled) <= MOST_TRIALS:
        return
    for arm, name, attempts, gives in _told(facts):
        asked = f"prereg stat --ledger {shlex.quote(ledger)} --arm {shlex.quote(arm)} --measure {name}"
        yield commented(_of(arm, name, attempts=attempts), gives, asked + (" --attempts" if attempts else ""))


def _told(facts: Facts) -> Iterator[tuple[str, str, bool, Mapping[str, float]]]:
    """Walk over what the page tells of arms: arm, amount, whether over all attempts, and what comes out."""
    for arm in facts.document.plan.arms:
        for name in MEASURED:
            spread = facts.spread(arm, name)
            if spread is not None:
                yield arm, name, False, {key: getattr(spread, key) for key in SPREAD}
        for name in AMOUNTS:
            total = facts.accounts.total(arm, name)
            if total.unknown < total.of:
                yield arm, name, True, {"total": float(total.known)}


def _of(arm: str, name: str, *, attempts: bool) -> str:
    return f"{name} of all attempts of {arm}" if attempts else f"spread of {name} in {arm}"
