"""More tasks than can be told apart: the difference between two arms on each of them, from the lowest to the highest."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from analyzer.figures.sheet import arm_colour, colour, drawn, thinned
from analyzer.figures.tasks import Row, compared
from analyzer.page import Figure, Table
from analyzer.quantiles import quantile
from analyzer.wording import amount, plural, tick

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


def ordered(
    name: str, unit: str, rows: Sequence[Row], arms: Sequence[str], places: Mapping[str, int], table: Table
) -> Figure:
    """Draw what is above and what is below zero, and how far; no task has a name here."""
    first, second = arms
    found = sorted(values[first] - values[second] for _, values in rows)
    at = thinned(range(len(found)))
    through = f", drawn through one task in {at[1]}" if at[1] > 1 else ""
    low, high = (amount(quantile(found, share), unit, n=len(found), signed=True) for share in (0.25, 0.75))

    def paint(canvas: "Canvas") -> None:
        axis = canvas.subplots()
        drawn_at = [found[place] for place in at]
        for sign, word, arm in ((-1, "lower", first), (1, "higher", second)):
            axis.fill_between(
                at,
                0,
                [each if each * sign > 0 else 0.0 for each in drawn_at],
                step="mid",
                color=arm_colour(places[arm]),
                alpha=0.55,
                linewidth=0,
                label=f"{first} {word} on {plural(sum(each * sign > 0 for each in found), 'task')}",
            )
        axis.axhline(0, color=colour("soft"), linewidth=1)
        axis.set_xlim(-1, len(found))
        axis.set_xticks([])
        axis.set_xlabel(f"{len(found)} tasks, from the lowest difference to the highest")
        axis.grid(axis="y")
        axis.yaxis.set_major_formatter(lambda number, _place: tick(number, unit, n=len(found), signed=True))
        axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2, handletextpad=0.4)

    return drawn(
        f"figure-tasks-{name.replace('_', '-')}",
        title=f"{name}: {first} less {second} on every task, in the order of the differences{through}",
        says=f"{compared(name, rows, arms)} The middle half of the differences lies from {low} to {high}.",
        height=3.0,
        paint=paint,
        tables=(table,),
    )
