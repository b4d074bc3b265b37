"""The power curve as a small SVG: how often the claim is supported by the share of the assumed difference that is real."""

from collections.abc import Iterator
from decimal import Decimal
from xml.sax.saxutils import escape

from compiler.operating import Scenario, Simulation

_WIDTH, _HEIGHT = 640, 360
_LOOK = 'role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="13" fill="currentColor"'
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 50, 60
_INNER = 35
"""Room between the frame and the first and last point, for their labels."""


def power_curve(simulation: Simulation) -> str:
    """Draw the worlds that differ by degree, each with two standard errors; a table of the same numbers is in its description."""
    points = sorted((each for each in simulation.scenarios if each.share is not None), key=lambda each: each.share or 0)
    most = max([each.share or Decimal(0) for each in points], default=Decimal(1)) or Decimal(1)
    title = f"Power of {simulation.experiment}, {simulation.tasks} tasks"
    told = "; ".join(f"{_percent(each.share)} of the difference: {_rate(each):.3f}" for each in points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_LOOK}>',
        f'<title id="title">{escape(title)}</title><desc id="desc">SIMULATED. Share of supported claims. {escape(told)}</desc>',
        f'<text x="{_LEFT}" y="24" font-size="15">{escape(title)} (SIMULATED)</text>',
        *_axes(most),
        *_curve(points, most),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axes(most: Decimal) -> Iterator[str]:
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}" stroke="currentColor" stroke-opacity="0.15"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{tenth * 10} %</text>'
    for share in sorted({Decimal(0), Decimal("0.5"), Decimal(1), most}):
        x = _x(share, most)
        yield f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{_percent(share)}</text>'
    yield f'<text x="{_WIDTH / 2:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">share of the assumed difference that is real</text>'


def _curve(points: list[Scenario], most: Decimal) -> Iterator[str]:
    places = [(_x(each.share or Decimal(0), most), _y(_rate(each))) for each in points]
    path = " ".join(f"{x},{y}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="#2563eb" stroke-width="2"/>'
    for each, (x, y) in zip(points, places, strict=True):
        error = float(each.supported.error or 0)
        low, high = _y(max(0.0, _rate(each) - 2 * error)), _y(min(1.0, _rate(each) + 2 * error))
        yield f'<line x1="{x}" x2="{x}" y1="{low}" y2="{high}" stroke="#2563eb"/><circle cx="{x}" cy="{y}" r="4" fill="#2563eb"/>'
        yield f'<text x="{x - 5}" y="{y - 9}" text-anchor="end">{_rate(each):.2f}</text>'


def _x(share: Decimal, most: Decimal) -> int:
    return round(_LEFT + _INNER + (_WIDTH - _LEFT - _RIGHT - 2 * _INNER) * float(share / most))


def _y(rate: float) -> int:
    return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - rate))


def _rate(each: Scenario) -> float:
    return float(each.supported.rate or 0)


def _percent(share: Decimal | None) -> str:
    return f"{((share or Decimal(0)) * 100).normalize():f} %"
