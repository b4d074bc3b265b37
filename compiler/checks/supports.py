"""Which values an endpoint can take with a given number of tasks, before anything is run."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from compiler.checks.intervals import ANY, Bounds, point
from spec_lang.expr.ast import Arithmetic, Name, Number
from spec_lang.model import Choice, Endpoint
from stats.mcnemar import mcnemar
from stats.proportions import PairedCounts, newcombe_paired

ENUMERATED = 24
"""Up to so many tasks every possible table of a paired yes/no endpoint is tried; beyond, ranges alone decide."""

_MCNEMAR = frozenset({"mcnemar-exact", "mcnemar-midp"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What the decision reads of one endpoint, by canonical text.

    ``fields``: ``cost.p`` → ``p``. ``counts`` and ``arms``: ``solved.count(guide)`` → ``guide``.
    """

    fields: dict[str, str]
    counts: dict[str, str]
    arms: dict[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """What bounds an endpoint: tasks it is computed over, whether missing data can take tasks away, its arms and kind.

    ``treatment`` and ``control`` are the arms of ``treatment - control``; None for other comparisons. ``family`` is the
    smallest adjusted p that the endpoint's family leaves it (0 without a family).
    """

    endpoint: Endpoint
    tasks: int
    shrinks: bool
    is_bool: bool
    nonnegative: bool
    seeds: int
    treatment: str | None = None
    control: str | None = None
    family: Fraction = Fraction(0)
    pooled: bool = False
    """Whether it is over several levels together, so that no table of yes and no is behind it."""


def smallest_p(test: Choice, tasks: int) -> Fraction:
    """Give the smallest p that a paired exact test can reach with so many tasks, all pointing the hoped way without ties.

    Signed rank, sign flip and McNemar alike: one of 2^n sign patterns (Wilcoxon 1945; McNemar 1947), twice that two-sided; the mid-p
    counts half of it. Unknown tests reach 0.
    """
    sides = 2 if test.options.get("alternative", "two-sided") == "two-sided" else 1
    pattern = Fraction(1, 2**tasks)
    if test.kind not in {"wilcoxon-signed-rank", "sign-flip", *_MCNEMAR}:
        return Fraction(0)
    return min(Fraction(1), sides * (pattern / 2 if _is_mid(test) else pattern))


def _is_mid(test: Choice) -> bool:
    return test.kind == "mcnemar-midp"


def worlds(design: Design, reading: Reading) -> tuple[dict[str, Bounds], ...]:
    """Give the possible worlds of one endpoint: exact ones where a small table can be enumerated, else one of ranges."""
    small = design.tasks <= ENUMERATED and not design.shrinks and not design.pooled
    if design.is_bool and design.treatment is not None and design.endpoint.per_task in {"majority", "only"} and small:
        return tuple(_tables(design, reading))
    return (_ranges(design, reading),)


def _ranges(design: Design, reading: Reading) -> dict[str, Bounds]:
    n = design.tasks
    test = design.endpoint.test
    p_floor = max(smallest_p(test, n), design.family) if test is not None else Fraction(0)
    estimate = _estimate(design)
    fewest = 0 if design.shrinks else n
    fields = {
        "p": Bounds(low=p_floor, high=Fraction(1)),
        "n": Bounds(low=Fraction(fewest), high=Fraction(n)),
        "discordant": Bounds(low=Fraction(0), high=Fraction(n)),
        "estimate": estimate,
        "lower": estimate,
        "upper": estimate,
    }
    world = {text: fields.get(name, ANY) for text, name in reading.fields.items()}
    world |= {text: Bounds(low=Fraction(0), high=Fraction(n)) for text in reading.counts}
    world |= {text: _per_arm(design) for text in reading.arms}
    return world


def _estimate(design: Design) -> Bounds:
    """Bound an estimate: a difference of shares by -1 and 1; ``a / b - 1`` of what cannot be negative by -1 from below."""
    if design.is_bool and design.treatment is not None and design.endpoint.per_task != "sum":
        return Bounds(low=Fraction(-1), high=Fraction(1))
    tree = design.endpoint.compare.tree if design.endpoint.compare is not None else None
    match tree:
        case Arithmetic(sign="-", left=Arithmetic(sign="/", left=Name(), right=Name()), right=Number(value=1)):
            return Bounds(low=Fraction(-1)) if design.nonnegative else ANY
        case _:
            return ANY


def _per_arm(design: Design) -> Bounds:
    expression = design.endpoint.per_arm
    if expression is None:
        return ANY
    text = expression.text
    if text.startswith("share(") and text.count("(") == 1:
        return Bounds(low=Fraction(0), high=Fraction(1))
    if text.startswith("count(") and text.count("(") == 1:
        return Bounds(low=Fraction(0), high=Fraction(design.tasks * design.seeds))
    return Bounds(low=Fraction(0)) if design.nonnegative and " - " not in text and not text.startswith("-") else ANY


def _tables(design: Design, reading: Reading) -> Iterator[dict[str, Bounds]]:
    """Walk every 2x2 table of n pairs: both, treatment only, control only, neither."""
    n = design.tasks
    for only_treatment in range(n + 1):
        for only_control in range(n + 1 - only_treatment):
            for both in range(n + 1 - only_treatment - only_control):
                yield _table(
                    design, reading, (both, only_treatment, only_control, n - both - only_treatment - only_control)
                )


def _table(design: Design, reading: Reading, cells: tuple[int, int, int, int]) -> dict[str, Bounds]:
    both, only_treatment, only_control, _ = cells
    n = sum(cells)
    world: dict[str, Bounds] = {}
    for text, field in reading.fields.items():
        match field:
            case "p":
                world[text] = _p(design, only_treatment, only_control)
            case "n":
                world[text] = point(n)
            case "discordant":
                world[text] = point(only_treatment + only_control)
            case "estimate" if design.endpoint.statistic != "median":
                world[text] = point(Fraction(only_treatment - only_control, n)) if n else ANY
            case "lower" | "upper":
                world[text] = _interval_end(design, cells, field)
            case _:
                world[text] = Bounds(low=Fraction(-1), high=Fraction(1))
    solved = {design.treatment: both + only_treatment, design.control: both + only_control}
    for text, arm in reading.counts.items():
        world[text] = point(solved[arm]) if arm in solved else Bounds(low=Fraction(0), high=Fraction(n))
    return world


def _p(design: Design, b: int, c: int) -> Bounds:
    test = design.endpoint.test
    if test is None or test.kind not in _MCNEMAR:
        return Bounds(low=Fraction(0), high=Fraction(1))
    value = _mcnemar_p(b, c, _is_mid(test), str(test.options.get("alternative", "two-sided")))
    # Holm's adjustment only raises a p.
    return Bounds(low=max(value, design.family), high=Fraction(1)) if design.family else point(value)


@lru_cache(maxsize=4096)
def _mcnemar_p(b: int, c: int, mid: bool, alternative: str) -> Fraction:
    result = mcnemar(b, c)
    name = f"{'mid_' if mid else ''}p_{alternative.replace('-', '_')}"
    return Fraction(getattr(result, name))


def _interval_end(design: Design, cells: tuple[int, int, int, int], field: str) -> Bounds:
    interval = design.endpoint.interval
    if interval is None or interval.kind != "newcombe-paired" or not sum(cells):
        return Bounds(low=Fraction(-1), high=Fraction(1))
    result = _newcombe(cells, str(interval.options.get("level", "0.95")))
    return point(Fraction(result[0] if field == "lower" else result[1]))


@lru_cache(maxsize=1 << 15)
def _newcombe(cells: tuple[int, int, int, int], level: str) -> tuple[float, float]:
    n11, n10, n01, n00 = cells
    counts = PairedCounts(n11=n11, n10=n10, n01=n01, n00=n00)
    found = newcombe_paired(counts, level=level)
    return found.lo, found.hi
