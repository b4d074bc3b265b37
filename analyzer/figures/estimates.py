"""Every compared endpoint on a scale of its own: tasks as dots, the interval as a bar, the estimate as a diamond."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analyzer.figures.sheet import colour, drawn, thinned, thinning
from analyzer.page import Figure
from analyzer.verdict import Estimate, Shown
from analyzer.wording import CARRIES_PERCENT, amount, plural, tick

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_INCHES = 0.88
_STEP, _HIGH = 0.34, 1.7
"""How far apart the dots of a pile stand at most, and how high a pile is at most."""
_APART = 60
"""More dots than so many lie on each other wherever they stand on one line."""
_GOLDEN = 0.6180339887498949


def estimates(compared: Sequence[Estimate]) -> tuple[Figure, ...]:
    """Draw the endpoints that have numbers."""
    shown = [each for each in compared if _numbers(each)]
    if not shown:
        return ()
    return (
        drawn(
            "figure-endpoints",
            title="Each endpoint on its own scale: the diamond is the estimate, the bar its interval, a dot a task, the dashed line no "
            "difference" + thinning(*(len(_dots(each)) for each in shown)),
            says=" ".join(_says(each) for each in shown),
            height=_INCHES * len(shown) + 0.25,
            paint=lambda canvas: _paint(canvas, shown),
        ),
    )


def _says(each: Estimate) -> str:
    n = _n(each)
    ends = _ends(each)
    lower, upper = (amount(end, each.unit, n=n, signed=True) for end in ends)
    interval = f", interval {lower} to {upper}" if None not in ends else ", no interval"
    estimate = amount(each.values.get("estimate"), each.unit, n=n, signed=True)
    return f"{each.name}: estimate {estimate}{interval}, {plural(n, 'task')}."


def _paint(canvas: "Canvas", shown: Sequence[Estimate]) -> None:
    axes = canvas.subplots(len(shown), 1, squeeze=False, gridspec_kw={"hspace": 1.45})
    for axis, each in zip(axes[:, 0], shown, strict=True):
        _one(axis, each)


def _one(axis: "Axes", each: Estimate) -> None:
    n, dots = _n(each), thinned(_dots(each))
    found = _numbers(each)
    low, high = min([*found, 0.0]), max([*found, 0.0])
    room = (high - low) * 0.05 or 1.0
    axis.set_xlim(low - room, high + room)
    axis.set_ylim(-1, 1)
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    axis.axvline(0, color=colour("soft"), linewidth=1, linestyle=(0, (3, 3)))
    estimate, (lower, upper) = _float(each.values.get("estimate")), _ends(each)
    if lower is not None and upper is not None:
        axis.plot([lower, upper], [0, 0], color=colour("mark"), linewidth=9, alpha=0.3, solid_capstyle="butt")
    # Dots of one value stand in a pile, so that none hides another.
    piled: dict[float, int] = {}
    for dot in dots:
        piled[dot] = piled.get(dot, 0) + 1
    heights = [
        (dot, (place - (times - 1) / 2) * min(_STEP, _HIGH / max(times - 1, 1)))
        for dot, times in piled.items()
        for place in range(times)
    ]
    if len(piled) > _APART:  # a low-discrepancy sequence instead of chance, as the spreads are drawn
        heights = [(dot, ((step * _GOLDEN) % 1 - 0.5) * 1.5) for step, dot in enumerate(dots)]
    if heights:
        axis.scatter(
            [dot for dot, _ in heights],
            [height for _, height in heights],
            s=17,
            color=colour("soft"),
            alpha=0.55,
            linewidths=0,
        )
    if estimate is not None:
        axis.plot([estimate], [0], marker="D", markersize=7, color=colour("mark"), linestyle="")
    axis.set_title(each.name, fontweight="bold", pad=4)
    axis.set_title(each.role, loc="right", color=colour("soft"), pad=4)
    axis.xaxis.set_major_formatter(lambda number, _place: tick(number, each.unit, n=n, signed=True))


def _dots(each: Estimate) -> list[float]:
    """Where the arms say yes or no, a task's difference is -1, 0 or 1; their counts say more than dots."""
    if "counts" in each.values:
        return []
    return sorted(found for row in each.tasks.values() if (found := _float(row.get("difference"))) is not None)


def _numbers(each: Estimate) -> list[float]:
    ends = [_float(each.values.get("estimate")), *_ends(each)]
    return [*_dots(each), *(end for end in ends if end is not None)]


def _ends(each: Estimate) -> tuple[float | None, float | None]:
    """Give the ends of an interval; where few tasks carry no share, none is drawn, as none is written."""
    if _n(each) < CARRIES_PERCENT and each.unit in ("share", "pp"):
        return None, None
    return _float(each.values.get("lower")), _float(each.values.get("upper"))


def _float(found: Shown) -> float | None:
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _n(each: Estimate) -> int:
    n = each.values.get("n")
    return n if isinstance(n, int) else 0
