"""What an estimate comes to in words, and, where it shows nothing, which remedy there is."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from analyzer.notes import ALIKE, CEILING, DISAGREE, FLOOR, TAIL
from analyzer.reading import tree, value
from analyzer.verdict import Shown
from analyzer.wording import CARRIES_PERCENT, amount
from compiler.plan import AnalysisPlan, EndpointPlan
from spec_lang.expr.ast import Comparison, reads
from stats.mcnemar import min_discordant

NO_EFFECT = "no detectable effect at this N"
TOO_FEW = "fewer than six tasks, so no difference is claimed"
ODD = "the interval excludes zero and the test does not reject, so no difference is claimed"
TAIL_ONLY = "tail effect only — typical task unchanged"

Kind = Literal["none", "lower", "higher", "tail", "null"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One estimate in words: its kind, the sentence, and the remedy of a null result (empty where none is one)."""

    kind: Kind
    says: str
    remedy: str = ""


def reading(
    plan: AnalysisPlan, endpoint: EndpointPlan, unit: str, values: Mapping[str, Shown], notes: tuple[str, ...]
) -> Reading:
    """Read the interval first: outside zero it is a difference, else nothing was shown, and the remedy says why.

    Without an interval the test is read, at 5 %; without either, nothing is said of a difference. Nor is it where a registered
    test does not reject, nor where an interval alone speaks of fewer than six tasks: none of those shares is even printed.
    """
    n = values.get("n")
    if values.get("estimate") is None or not n:
        return Reading(kind="none", says="nothing can be said: the estimate is unknown")
    side = _side(values)
    if side and any(note.startswith(DISAGREE) for note in notes):
        return Reading(kind="none", says=ODD, remedy=_scarce(endpoint, values))
    if side and isinstance(n, int) and n < CARRIES_PERCENT and values.get("p") is None:
        return Reading(kind="none", says=TOO_FEW, remedy="take more tasks")
    if side and any(note.startswith(TAIL) for note in notes):
        return Reading(kind="tail", says=TAIL_ONLY)
    if side:
        return Reading(kind="higher" if side > 0 else "lower", says="higher" if side > 0 else "lower")
    if side is None and values.get("p") is None:
        lost = " and ".join(f"its {word}" for key, word in (("lower", "interval"), ("p", "p")) if key in values)
        none = f"{lost} could not be worked out" if lost else "no interval and no test is registered"
        return Reading(kind="none", says=f"{none}, so no difference is claimed")
    return Reading(kind="null", says=NO_EFFECT, remedy=_remedy(plan, endpoint, unit, values, notes))


def margins(plan: AnalysisPlan, endpoint: EndpointPlan) -> tuple[tuple[str, tuple[Fraction, ...]], ...]:
    """Give the registered sizes of effect for an endpoint, in its unit, each with its sign, or with both.

    They are the bounds of the decision other than zero, and the effect that the sample size is worked out for, which lies on
    the side that the endpoint's test looks at.
    """
    found: list[tuple[str, tuple[Fraction, ...]]] = []
    for text in (*plan.decision.supported_when, *plan.decision.decidable_when):
        node = tree(text)
        if not isinstance(node, Comparison) or not {f"{endpoint.name}.lower", f"{endpoint.name}.upper"} & set(
            reads(node)
        ):
            continue
        bound = value(node.right if reads(node.left) else node.left, {})
        if isinstance(bound, Fraction) and bound:
            found.append(("the margin of the decision", (bound,)))
    sized = plan.sample_size.get("next")
    if isinstance(sized, Mapping) and sized.get("endpoint") == endpoint.name and sized.get("effect") is not None:
        effect = value(tree(str(sized["effect"])), {})  # with its unit: 15 %
        if isinstance(effect, Fraction):
            side = endpoint.test.options.get("alternative") if endpoint.test is not None else None
            both = (-abs(effect), abs(effect))
            sides = both[:1] if side == "less" else both[1:] if side == "greater" else both
            found.append(("the effect that the run was sized for", sides))
    return tuple(found)


def _remedy(
    plan: AnalysisPlan, endpoint: EndpointPlan, unit: str, values: Mapping[str, Shown], notes: tuple[str, ...]
) -> str:
    if CEILING in notes:
        return "too few informative pairs: every arm solved every task; take harder tasks, this is not equivalence"
    if FLOOR in notes:
        return "too few informative pairs: no arm solved any task; take easier tasks, or more capable agents"
    if any(note.endswith(ALIKE) for note in notes):
        return "too few informative pairs: the arms come out alike on every task; take tasks that tell agents apart"
    scarce = _scarce(endpoint, values)
    if scarce:
        return scarce
    lower, upper = values.get("lower"), values.get("upper")
    if isinstance(lower, int | float) and isinstance(upper, int | float):
        n = values.get("n")
        n = n if isinstance(n, int) else 0
        if n < CARRIES_PERCENT and unit in ("share", "pp"):
            return "uninformative: fewer than six tasks carry no interval; take more tasks"
        registered = margins(plan, endpoint)
        said = [f"{name} ({_sized(sizes, unit, n)})" for name, sizes in registered]
        for text, (_, sizes) in zip(said, registered, strict=True):
            if any(lower <= size <= upper for size in sizes):
                return f"uninformative: the interval still allows {text}; more tasks are needed"
        if said:
            return f"the interval excludes {said[0]}: an effect of that size is ruled out, more tasks are not needed"
    if lower is None:
        none = "its interval could not be worked out" if "lower" in values else "no interval is registered for it"
        return f"uninformative: {none}, so nothing says what is still possible"
    return "uninformative: no size of effect is registered for it, so the interval alone says what is still possible"


def _sized(sizes: tuple[Fraction, ...], unit: str, n: int) -> str:
    """Write a size of effect; with its sign where it lies on one side only."""
    return amount(float(sizes[-1]), unit, n=n, signed=len(sizes) == 1)


def _scarce(endpoint: EndpointPlan, values: Mapping[str, Shown]) -> str:
    """Say when no split of the pairs that differ could have reached 5 %."""
    differ = values.get("discordant")
    two_sided = endpoint.test is None or endpoint.test.options.get("alternative", "two-sided") == "two-sided"
    if isinstance(differ, int):
        mid_p = endpoint.test is not None and endpoint.test.kind == "mcnemar-midp"
        floor = min_discordant(Fraction(1, 20), two_sided=two_sided, mid_p=mid_p).min_discordant
        if differ < floor:
            return (
                f"too few informative pairs: the arms differ on {differ}, and no split of fewer than {floor} could reach 5 %; "
                "take tasks that tell agents apart"
            )
        return ""
    least = values.get("attainable_p")
    if isinstance(least, float) and least >= 0.05:
        return f"too few informative pairs: no data of this shape could give a p below {least:.3g}; take more tasks"
    return ""


def _side(values: Mapping[str, Shown]) -> int | None:
    lower, upper = values.get("lower"), values.get("upper")
    if isinstance(lower, int | float) and isinstance(upper, int | float):
        return 1 if lower > 0 else -1 if upper < 0 else 0
    p, estimate = values.get("p"), values.get("estimate")
    if isinstance(p, int | float) and isinstance(estimate, int | float):
        return 0 if p >= 0.05 or not estimate else 1 if estimate > 0 else -1
    return None
