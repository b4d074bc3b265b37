"""The simulated power curve: how often the rule supports its claim, by the share of the assumed difference that is real."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from analyzer.figures.sheet import colour, drawn
from analyzer.page import Figure
from analyzer.wording import SIMULATED
from compiler.operating import Scenario, Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def power(simulation: Simulation) -> tuple[Figure, ...]:
    """Draw the worlds that differ by degree as a curve, each other world as a diamond beside it, all with two standard errors."""
    played = [each for each in simulation.scenarios if each.supported.rate is not None]
    degrees = sorted((each for each in played if each.share is not None), key=_share)
    others = [each for each in played if each.share is None]
    if len(degrees) < 2:
        return ()
    told = "; ".join(f"{_percent(each)} of the difference: {_said(each)}" for each in degrees)
    beside = "; ".join(
        f"{each.name}, where the claim is {'true' if each.claim else 'false'}: {_said(each)}" for each in others
    )

    def paint(canvas: "Canvas") -> None:
        curve, beside_it = canvas.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [3, 1], "wspace": 0.06})
        _curve(curve, degrees)
        _worlds(beside_it, others)

    return (
        drawn(
            "figure-power",
            title="SIMULATED: how often the rule supports its claim, ± two standard errors; a diamond where the claim is false",
            says=f"{SIMULATED.partition(':')[0]}. Share of supported claims by the share of the assumed difference that is "
            f"real: {told}." + (f" Other worlds: {beside}." if beside else ""),
            height=3.0,
            paint=paint,
        ),
    )


def _curve(axis: "Axes", degrees: Sequence[Scenario]) -> None:
    shares = [float(_share(each)) for each in degrees]
    axis.plot(shares, [_rate(each) for each in degrees], color=colour("mark"), linewidth=1.6, zorder=2)
    for share, each in zip(shares, degrees, strict=True):
        _point(axis, share, each)
    axis.set_xticks(shares, [_percent(each) for each in degrees])
    axis.set_xlabel("share of the assumed difference that is real")
    axis.set_title("SIMULATED: claim supported", pad=6)
    axis.set_ylim(-0.04, 1.08)
    axis.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1], ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"])
    axis.grid(axis="y")


def _worlds(axis: "Axes", others: Sequence[Scenario]) -> None:
    for place, each in enumerate(others):
        _point(axis, place, each)
    names = [each.name.replace("_", "\n") for each in others]
    axis.set_xticks(range(len(others)), names)
    axis.set_xlim(-0.7, max(len(others), 1) - 0.3)
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    axis.set_title("other worlds", pad=6)
    axis.grid(axis="y")


def _point(axis: "Axes", place: float, each: Scenario) -> None:
    """Mark a world where the claim is true by a dot, one where it is false by a diamond; its rate stands above."""
    rate, error = _rate(each), _error(each)
    tone = colour("mark" if each.claim else "bad")
    axis.plot([place, place], [max(0, rate - 2 * error), min(1, rate + 2 * error)], color=tone, linewidth=1.4, zorder=3)
    axis.plot([place], [rate], marker="o" if each.claim else "D", markersize=6, color=tone, linestyle="none", zorder=4)
    axis.annotate(_said(each), (place, rate), (0, 9), textcoords="offset points", ha="center", color=colour("ink"))


def _share(each: Scenario) -> Decimal:
    assert each.share is not None  # a world that differs by degree
    return each.share


def _rate(each: Scenario) -> float:
    assert each.supported.rate is not None  # a world that was played
    return float(each.supported.rate)


def _error(each: Scenario) -> float:
    assert each.supported.error is not None
    return float(each.supported.error)


def _said(each: Scenario) -> str:
    return f"{each.supported.rate:.3f}"  # of the decimal: a double may round the other way


def _percent(each: Scenario) -> str:
    return f"{(_share(each) * 100).normalize():f} %"
