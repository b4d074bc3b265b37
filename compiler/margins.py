"""The margin that a rule registers for a share of solved tasks, and the world that lies exactly on it.

A claim "without solving more than 30 pp fewer" is false from 30 pp on. How often a rule lets it pass is asked where it is
just false: there a false positive is likeliest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from functools import lru_cache
from math import comb, fsum, sqrt
from statistics import NormalDist

from compiler.simulation import Profile
from spec_lang.expr.ast import Amount, Arithmetic, Comparison, Name, Negation, Node, walk
from spec_lang.model import Spec

_NORMAL = NormalDist()
_DIFFICULTIES = tuple(_NORMAL.inv_cdf((place + 0.5) / 400) for place in range(400))
"""The difficulties of 400 tasks, evenly spread over their law; their mean is within 0.0005 of the integral."""

_PLACES = Decimal("0.0001")
_HALVINGS = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Margin:
    """By how much an arm may fall behind in a share of solved tasks, and how ``seeds`` trials make one task's value."""

    endpoint: str
    share: Decimal
    per_task: str = "only"
    seeds: int = 1
    k: int | None = None


def margin_of(spec: Spec, control: str, treatment: str) -> Margin | None:
    """Find the margin that the rule registers: ``E.lower > -30 pp`` of ``treatment - control``, the narrowest of several.

    A bound of zero or above asks for a gain, which is no margin; a margin counted in tasks is none either: no interval
    stands behind it.
    """
    found: list[Margin] = []
    for name in sorted(spec.endpoints):
        endpoint = spec.endpoints[name]
        match endpoint.compare.tree if endpoint.compare is not None else None:
            case Arithmetic(sign="-", left=Name(parts=(one,)), right=Name(parts=(other,))) if (one, other) == (
                treatment,
                control,
            ):
                bounds = [each for text in spec.decision.supported_when for each in _bounds(text.tree, name)]
            case _:
                continue
        for share in bounds:
            per_task = endpoint.per_task or "only"
            found.append(Margin(endpoint=name, share=share, per_task=per_task, seeds=spec.trials.seeds, k=endpoint.k))
    return min(found, key=lambda each: (each.share, each.endpoint), default=None)


def _bounds(tree: Node, endpoint: str) -> Iterator[Decimal]:
    for node in walk(tree):
        match node:
            case (
                Comparison(sign=">" | ">=", left=Name(parts=(name, "lower")), right=Negation(operand=Amount() as bound))
                | Comparison(
                    sign="<" | "<=", left=Negation(operand=Amount() as bound), right=Name(parts=(name, "lower"))
                )
            ) if name == endpoint and bound.quantity.unit.dimension == "points" and bound.quantity.base > 0:
                yield bound.quantity.base


def solve_at(margin: Margin, control: Profile) -> Decimal:
    """Give the chance to solve at which an arm, else like the control, falls behind by exactly the margin (or a hair more).

    0 where the control solves too little for that. Rounded to four places, so that it is the same on every machine.
    """
    wanted = _share(margin, control, float(control.solve)) - float(margin.share)
    low, high = 0.0, float(control.solve)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _share(margin, control, middle) <= wanted else (low, middle)
    return Decimal(low + 1e-9).quantize(_PLACES, ROUND_FLOOR).normalize() + 0


def falls_short(margin: Margin, control: Profile) -> bool:
    """Whether the control solves so little that not even an arm that solves nothing falls behind by the margin."""
    return _share(margin, control, float(control.solve)) < float(margin.share) - 1e-9


@lru_cache(maxsize=4096)
def _share(margin: Margin, profile: Profile, solve: float) -> float:
    """Give the expected value of a task: under the sampler's model, over all difficulties (see ``compiler.simulation``)."""
    within, in_time = float(profile.within_task), 1 - float(profile.timeout)
    own = sqrt(1 - within)

    def chance(difficulty: float) -> float:
        if not 0 < solve < 1:
            return solve * in_time
        rest = _NORMAL.inv_cdf(solve) - sqrt(within) * difficulty
        return in_time * (_NORMAL.cdf(rest / own) if own else float(rest > 0))

    return sum(_value(margin, chance(each)) for each in _DIFFICULTIES) / len(_DIFFICULTIES)


def _value(margin: Margin, chance: float) -> float:
    """Give the expected value of one task whose trials each solve it with this chance."""
    n = margin.seeds
    match margin.per_task:
        case "majority":
            wins = range(n // 2 + 1, n + 1)
            return fsum(comb(n, each) * pow(chance, each) * pow(1 - chance, n - each) for each in wins)
        case "pass-at-k":
            return 1 - pow(1 - chance, margin.k or n)
        case "pass-hat-k":
            return pow(chance, margin.k or n)
        case _:
            return chance
