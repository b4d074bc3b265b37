"""The decision rule as a picture: each condition's value, its threshold, and the region where it holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING, Any

from analyzer.figures.sheet import colour, drawn
from analyzer.page import Figure
from analyzer.reading import tree, value
from analyzer.verdict import Condition, Estimate, Verdict, read_of
from analyzer.wording import amount, decidable, figure, probability
from spec_lang.expr.ast import Comparison, Node, reads
from stats.number import exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_WORDS = {True: ("holds", "good"), False: ("does not hold", "bad"), None: ("cannot be decided", "open")}
_INCHES = 0.92
_SHADE = 0.9


@dataclass(frozen=True, kw_only=True, slots=True)
class Gauge:
    """One comparison: what is read, the bound it is held against, and the interval it is an end of, all in one unit."""

    text: str
    holds: bool | None
    reads: str
    found: float
    sign: str
    bound: float
    unit: str
    n: int
    estimate: float | None = None
    lower: float | None = None
    upper: float | None = None

    @property
    def logarithmic(self) -> bool:
        """A p-value is read on a logarithmic scale."""
        return self.reads.endswith(".p")

    def shown(self, number: float) -> str:
        """Write a number as the tables do."""
        return probability(number) if self.logarithmic else amount(number, self.unit, n=self.n)


def decision(verdict: Verdict) -> tuple[Figure, ...]:
    """Draw every condition that compares numbers; one that does not, or that reads an unknown, stands in the table only."""
    conditions = (*decidable(verdict), *verdict.conditions)
    found = tuple(_gauges(conditions, verdict.endpoints))
    if not found:
        return ()
    rest = "" if len(found) == len(conditions) else "; the other conditions stand in the table"
    says = "; ".join(
        f"{each.text}: {each.shown(each.found)} against {each.shown(each.bound)}, {_WORDS[each.holds][0]}"
        for each in found
    )
    return (
        drawn(
            "figure-decision",
            title="A condition holds where it is shaded: the thick mark is what it reads, the bar an interval, the diamond an estimate"
            + rest,
            says=f"{says}.",
            height=_INCHES * len(found) + 0.25,
            paint=lambda canvas: _paint(canvas, found),
        ),
    )


def _gauges(conditions: Sequence[Condition], endpoints: Mapping[str, Estimate]) -> Iterator[Gauge]:
    for each in conditions:
        node = tree(each.text)
        if not isinstance(node, Comparison) or node.sign not in _MIRRORED:
            continue
        left, sign, right = (
            (node.left, node.sign, node.right) if reads(node.left) else (node.right, _MIRRORED[node.sign], node.left)
        )
        found, bound = _number(left, each.values), _number(right, each.values)
        if found is None or bound is None or not reads(left):
            continue
        name = reads(left)[0]
        yield _gauge(each, name, found, sign, bound, read_of(name, endpoints), alone=len(reads(left)) == 1)


def _gauge(
    each: Condition, name: str, found: float, sign: str, bound: float, endpoint: Estimate | None, *, alone: bool
) -> Gauge:
    field = name.rpartition(".")[2]
    whole = endpoint is not None and name == f"{endpoint.name}.{field}"
    of_interval = alone and whole and field in ("lower", "upper", "estimate")
    values = endpoint.values if endpoint is not None else {}
    n = values.get("n")
    in_unit = endpoint is not None and (of_interval or field.startswith("arm("))

    def part(key: str) -> float | None:
        number = values.get(key) if of_interval else None
        return float(number) if isinstance(number, int | float) else None

    return Gauge(
        text=each.text,
        holds=each.holds,
        reads=name if alone else "",
        found=found,
        sign=sign,
        bound=bound,
        unit=endpoint.unit if endpoint is not None and in_unit else "",
        n=n if isinstance(n, int) else 0,
        estimate=part("estimate"),
        lower=part("lower"),
        upper=part("upper"),
    )


def _number(node: Node, known: Mapping[str, Any]) -> float | None:
    found = value(node, {name: None if each is None else exact(each) for name, each in known.items()})
    return float(found) if isinstance(found, Fraction) else None


def _paint(canvas: "Canvas", gauges: Sequence[Gauge]) -> None:
    axes = canvas.subplots(len(gauges), 1, squeeze=False, gridspec_kw={"hspace": 1.55})
    for axis, gauge in zip(axes[:, 0], gauges, strict=True):
        _one(axis, gauge)


def _one(axis: "Axes", gauge: Gauge) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    low, high = _reach(gauge)
    word, tone = _WORDS[gauge.holds]
    axis.set_xlim(low, high)
    axis.set_ylim(-1, 1)
    if gauge.logarithmic:
        axis.set_xscale("log")
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    allowed = (low, gauge.bound) if gauge.sign in ("<", "<=") else (gauge.bound, high)
    axis.axvspan(*allowed, color=colour("allow"), linewidth=0, alpha=_SHADE)
    axis.axvline(gauge.bound, color=colour("good"), linewidth=1.4)
    if low < 0 < high and gauge.bound != 0 and gauge.unit:
        axis.axvline(0, color=colour("soft"), linewidth=1, linestyle=(0, (3, 3)))
    if gauge.lower is not None and gauge.upper is not None:
        axis.plot(
            [gauge.lower, gauge.upper], [0, 0], color=colour("mark"), linewidth=5, alpha=0.45, solid_capstyle="butt"
        )
    if gauge.estimate is not None:
        axis.plot([gauge.estimate], [0], marker="D", markersize=6, color=colour("mark"), linestyle="")
    axis.plot(
        [max(gauge.found, low)], [0], marker="|", markersize=17, markeredgewidth=2.6, color=colour(tone), linestyle=""
    )
    axis.set_title(gauge.text, fontweight="bold", pad=5)
    axis.set_title(f"{gauge.shown(gauge.found)}: {word}", loc="right", color=colour(tone), fontweight="bold", pad=5)
    if not gauge.unit and not gauge.logarithmic:
        axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))  # counts of tasks
    axis.xaxis.set_major_formatter(lambda number, _place: _tick(gauge, number))
    axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)


def _reach(gauge: Gauge) -> tuple[float, float]:
    if gauge.logarithmic:
        least = min(gauge.found, gauge.bound, 0.1)
        return 10.0 ** floor(log10(max(least, 1e-12)) - 0.3), 1.0
    all_of = [each for each in (gauge.found, gauge.bound, gauge.estimate, gauge.lower, gauge.upper) if each is not None]
    if gauge.unit:
        all_of.append(0.0)
    low, high = min(all_of), max(all_of)
    room = (high - low) * 0.14 or abs(high) * 0.5 or 1.0
    return low - room, high + room


def _tick(gauge: Gauge, number: float) -> str:
    return (
        f"{number:g}"
        if gauge.logarithmic
        else amount(_near(number), gauge.unit, n=gauge.n)
        if gauge.unit
        else figure(_near(number))
    )


def _near(number: float) -> float:
    """Take the noise of a scale's arithmetic off, so that a tick at zero reads 0."""
    return round(number, 9) + 0.0
