"""Tasks one by one: both arms of each joined by a line, and every outcome in a matrix of tasks, arms and seeds."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from analyzer.figures.sheet import MARKERS, arm_colour, colour, drawn
from analyzer.missing import Settled
from analyzer.page import Figure, Table
from analyzer.wording import plural, tick

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MOST_TASKS = 60
"""So many tasks can be told apart in a figure."""

LOOKS: Mapping[str, tuple[str, str]] = {
    "pass": ("s", "good"),
    "partial": ("D", "open"),
    "fail": ("X", "bad"),
    "skipped": ("_", "soft"),
    "excluded": ("_", "soft"),
    "gap": ("o", "open"),
}
"""How an outcome looks: a shape and a colour."""

Row = tuple[str, Mapping[str, float]]
"""A task and the value of each arm."""


def dumbbells(
    name: str, unit: str, rows: Sequence[Row], arms: Sequence[str], places: Mapping[str, int], table: Table
) -> Figure:
    """Draw two arms of every task, largest difference on top."""
    first, second = arms
    ordered = sorted(rows, key=lambda row: (row[1][first] - row[1][second], row[0]))

    def paint(canvas: "Canvas") -> None:
        axis = canvas.subplots()
        for place, (_, values) in enumerate(ordered):
            axis.plot([values[first], values[second]], [place, place], color=colour("line"), linewidth=2.2, zorder=1)
        for arm in (second, first):
            axis.scatter(
                [values[arm] for _, values in ordered],
                range(len(ordered)),
                marker=MARKERS[places[arm] % len(MARKERS)],
                s=34,
                color=arm_colour(places[arm]),
                label=arm,
                zorder=2,
            )
        axis.set_yticks(range(len(ordered)), [_short(task) for task, _ in ordered])
        axis.set_ylim(-0.8, len(ordered) - 0.2)
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
        axis.xaxis.set_major_formatter(lambda number, _place: tick(number, unit, n=len(rows)))
        axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2, handletextpad=0.2)

    return drawn(
        f"figure-tasks-{name.replace('_', '-')}",
        title=f"{name}: both arms of every task",
        says=compared(name, rows, arms),
        height=0.55 + 0.24 * len(ordered),
        paint=paint,
        tables=(table,),
    )


def compared(name: str, rows: Sequence[Row], arms: Sequence[str]) -> str:
    """Count the tasks on which the first arm is lower, higher, the same."""
    first, second = arms
    lower = sum(row[1][first] < row[1][second] for row in rows)
    higher = sum(row[1][first] > row[1][second] for row in rows)
    return (
        f"{name} on {plural(len(rows), 'task')}: {first} is lower than {second} on {lower}, higher on {higher}, "
        f"the same on {len(rows) - lower - higher}."
    )


def matrix(settled: Sequence[Settled], arms: Sequence[str], seeds: int) -> tuple[Figure, ...]:
    """Draw one mark an outcome: tasks down, arms across, seeds side by side within an arm."""
    tasks = list(dict.fromkeys(each.row.trial.task for each in settled))
    if not tasks or len(tasks) > MOST_TASKS or len(arms) * seeds > MOST_TASKS:
        return ()
    down = {task: len(tasks) - 1 - place for place, task in enumerate(tasks)}
    across = {arm: place * (seeds + 1) for place, arm in enumerate(arms)}
    marks: dict[str, list[tuple[float, float]]] = {}
    for each in settled:
        trial = each.row.trial
        marks.setdefault(look(each), []).append((across[trial.arm] + trial.seed - 1, down[trial.task]))
    counts = ", ".join(f"{len(marks[name])} {name}" for name in LOOKS if name in marks)

    def paint(canvas: "Canvas") -> None:
        axis = canvas.subplots()
        for name, (shape, tone) in LOOKS.items():
            if name in marks:
                xs, ys = zip(*marks[name], strict=True)
                axis.scatter(xs, ys, marker=shape, s=44, color=colour(tone), label=name, linewidths=0.8)
        for arm, place in across.items():
            axis.text(place + (seeds - 1) / 2, len(tasks) - 0.35, arm, ha="center", va="bottom", fontweight="bold")
        axis.set_xticks(
            [place + seed for place in across.values() for seed in range(seeds)],
            [str(seed + 1) for _ in arms for seed in range(seeds)],
        )
        axis.set_xlabel("seed")
        axis.set_yticks(list(down.values()), [_short(task) for task in down])
        axis.set_ylim(-0.7, len(tasks) + 0.5)
        axis.set_xlim(-0.7, across[arms[-1]] + seeds - 0.3)
        axis.tick_params(length=0)
        axis.grid(axis="y")
        for side in ("left", "bottom"):
            axis.spines[side].set_visible(False)
        axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, handletextpad=0.3)

    return (
        drawn(
            "figure-matrix",
            title="Outcome of every trial",
            says=f"{plural(len(tasks), 'task')}, {len(arms)} arms, {plural(seeds, 'seed')}: {counts}. The table gives each.",
            height=0.9 + 0.24 * len(tasks),
            paint=paint,
        ),
    )


def look(each: Settled) -> str:
    """Say what became of a trial, in the word of a legend."""
    if each.fate in ("gap", "excluded"):
        return each.fate
    return each.row.outcome.verdict if each.row.outcome is not None else "gap"


def _short(task: str) -> str:
    return task if len(task) <= 26 else f"{task[:24]}…"
