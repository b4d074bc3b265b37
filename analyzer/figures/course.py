"""Amounts over a run: how they spread in each arm, and whether they drifted in the order in which trials ended."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from analyzer.figures.sheet import MARKERS, arm_colour, colour, drawn, thinned, thinning
from analyzer.page import Figure, Table
from analyzer.quantiles import middle, quantile
from analyzer.wording import amount

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Amounts = Mapping[str, Sequence[float]]
"""Known amounts by arm."""

Course = Mapping[str, Sequence[tuple[int, float]]]
"""Known amounts by arm, each with its place in the order of the ledger."""

_GOLDEN = 0.6180339887498949
_WINDOW = 9


def spreads(shown: Sequence[tuple[str, str, Amounts]], table: Table) -> tuple[Figure, ...]:
    """Draw each measure (name, unit, amounts) as one dot a trial, with quartiles and median, an arm a row."""
    if not shown:
        return ()
    arms = max(len(amounts) for _, _, amounts in shown)
    says = " ".join(
        f"{name}, median: "
        + ", ".join(f"{arm} {amount(middle(sorted(each)), unit, n=9)}" for arm, each in amounts.items() if each)
        + "."
        for name, unit, amounts in shown
    )

    def paint(canvas: "Canvas") -> None:
        axes = canvas.subplots(len(shown), 1, squeeze=False, gridspec_kw={"hspace": 0.55})
        for axis, (name, unit, amounts) in zip(axes[:, 0], shown, strict=True):
            _spread(axis, name, unit, amounts)

    return (
        drawn(
            "figure-spread",
            title="Distributions: one dot a trial, the bar from quartile to quartile, the line at the median"
            + thinning(*(len(each) for _, _, amounts in shown for each in amounts.values())),
            says=says,
            height=len(shown) * (0.55 + 0.42 * arms),
            paint=paint,
            tables=(table,),
        ),
    )


def courses(shown: Sequence[tuple[str, str, Course]], drift: Sequence[str], table: Table) -> tuple[Figure, ...]:
    """Draw each measure over the order of the ledger, with the running median of each arm; ``drift`` says it of each in numbers."""
    if not shown:
        return ()
    arms = list(shown[0][2])

    def paint(canvas: "Canvas") -> None:
        axes = canvas.subplots(len(shown), 1, squeeze=False, sharex=True, gridspec_kw={"hspace": 0.3})
        for axis, (name, unit, course) in zip(axes[:, 0], shown, strict=True):
            _course(axis, name, unit, course)
        axes[0, 0].legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=len(arms), borderaxespad=0.2, handletextpad=0.3
        )
        axes[-1, 0].set_xlabel("trials in the order in which they ended")

    return (
        drawn(
            "figure-order",
            title="Order of the run, one dot a trial; the lines are running medians, and a slope would be drift"
            + thinning(*(len(each) for _, _, course in shown for each in course.values())),
            says=f"In the order in which trials ended, rank correlation with the place: {'; '.join(drift)}.",
            height=0.3 + 1.6 * len(shown),
            paint=paint,
            tables=(table,),
        ),
    )


def _spread(axis: "Axes", name: str, unit: str, amounts: Amounts) -> None:
    for place, each in enumerate(amounts.values()):
        row = len(amounts) - 1 - place
        if not each:
            continue
        ordered = sorted(each)
        quarter, half, three = quantile(ordered, 0.25), middle(ordered), quantile(ordered, 0.75)
        axis.plot(
            [quarter, three],
            [row, row],
            color=arm_colour(place),
            linewidth=13,
            alpha=0.22,
            solid_capstyle="butt",
            zorder=1,
        )
        # A low-discrepancy sequence instead of chance: dots stand apart, and the same way in every process.
        dots = thinned(ordered)
        heights = [row + ((step * _GOLDEN) % 1 - 0.5) * 0.55 for step in range(len(dots))]
        axis.scatter(
            dots,
            heights,
            s=14,
            marker=MARKERS[place % len(MARKERS)],
            color=arm_colour(place),
            alpha=0.7,
            linewidths=0,
            zorder=2,
        )
        axis.plot([half, half], [row - 0.38, row + 0.38], color=colour("ink"), linewidth=2, zorder=3)
    positive = [each for of_arm in amounts.values() for each in of_arm]
    if min(positive) > 0 and max(positive) / min(positive) > 20:
        axis.set_xscale("log")
        axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axis.set_yticks(range(len(amounts)), list(amounts)[::-1])
    axis.set_ylim(-0.6, len(amounts) - 0.4)
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    axis.grid(axis="x")
    axis.set_title(name, fontweight="bold", pad=4)
    axis.xaxis.set_major_formatter(lambda number, _place: amount(round(number, 9) + 0.0, unit, n=9))


def _course(axis: "Axes", name: str, unit: str, course: Course) -> None:
    for place, (arm, points) in enumerate(course.items()):
        if not points:
            continue
        found = [measured for _, measured in points]
        dots = thinned(points)
        axis.scatter(
            [at for at, _ in dots],
            [measured for _, measured in dots],
            s=16,
            marker=MARKERS[place % len(MARKERS)],
            color=arm_colour(place),
            alpha=0.75,
            linewidths=0,
            label=arm,
        )
        reach = _WINDOW // 2
        running = [
            (points[here][0], median(found[max(0, here - reach) : here + reach + 1]))
            for here in thinned(range(len(found)))
        ]
        axis.plot(
            [at for at, _ in running],
            [middle for _, middle in running],
            color=arm_colour(place),
            linewidth=1.6,
            alpha=0.9,
        )
    axis.set_ylabel(name)
    axis.set_ylim(bottom=0)
    axis.grid(axis="y")
    axis.yaxis.set_major_formatter(lambda number, _place: amount(round(number, 9) + 0.0, unit, n=9))
