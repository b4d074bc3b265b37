"""A sheet to draw on: matplotlib's SVG, made self-contained, light and dark, and the same in every process."""

import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from analyzer.page import Figure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLOURS: Mapping[str, tuple[str, str]] = {
    "paper": ("#fdfdfb", "#16191c"),
    "ink": ("#1d2125", "#e6e8e6"),
    "soft": ("#56606a", "#a9b1b8"),
    "line": ("#d3d7d0", "#3b4147"),
    "band": ("#f2f3ee", "#1e2226"),
    "good": ("#17613a", "#7fd3a2"),
    "bad": ("#9c2f1f", "#f2988a"),
    "open": ("#7a5600", "#e8c261"),
    "mark": ("#2b5fa8", "#8fb8f0"),
    "allow": ("#d5ead9", "#1f3d2c"),
    "arm-0": ("#2b5fa8", "#8fb8f0"),
    "arm-1": ("#b4560a", "#f5ab6b"),
    "arm-2": ("#0b7a6b", "#6fd3c0"),
    "arm-3": ("#7b3f9c", "#d3a6ec"),
    "arm-4": ("#8a6d00", "#e3c75a"),
    "arm-5": ("#a03562", "#f29bbf"),
}
"""What a colour is for, and what it is on light and on dark paper. Every colour of text stands at 4.5 to 1 or better."""

MARKERS = "osD^vP"
"""One shape an arm, so that no figure rests on colour alone."""

ARMS = len(MARKERS)

_TOKENS = {name: f"#0b0c{place:02x}" for place, name in enumerate(COLOURS, start=16)}
"""matplotlib draws in these; each is replaced by the variable that a style sheet sets for light or dark."""

MOST_DOTS = 400
"""So many dots of one kind can be told apart; the statistics drawn beside them are those of all."""

T = TypeVar("T")

WIDTH = 10.0
"""Inches; a figure's text keeps its size whatever its height."""

SCALE = 1.4
"""Pixels a point: text of a figure is as large as that of a table."""

_RC: dict[Any, Any] = {  # matplotlib types its keys by a list of literals that grows
    "svg.fonttype": "none",
    "svg.hashsalt": "prereg",
    "svg.id": None,
    "text.parse_math": False,
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": _TOKENS["line"],
    "axes.labelcolor": _TOKENS["soft"],
    "axes.titlecolor": _TOKENS["ink"],
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": _TOKENS["line"],
    "xtick.labelcolor": _TOKENS["soft"],
    "ytick.color": _TOKENS["line"],
    "ytick.labelcolor": _TOKENS["ink"],
    "text.color": _TOKENS["ink"],
    "legend.frameon": False,
    "legend.labelcolor": _TOKENS["ink"],
    "grid.color": _TOKENS["line"],
    "grid.linewidth": 0.6,
    "path.simplify": False,
}


def colour(name: str) -> str:
    """Give the stand-in that is drawn with, for what a colour is for."""
    return _TOKENS[name]


def arm_colour(place: int) -> str:
    """Give the colour of the arm at a place of the plan."""
    return _TOKENS[f"arm-{place % ARMS}"]


def style(which: int) -> str:
    """Give the variables of light (0) or dark (1) paper, as a style sheet sets them."""
    return " ".join(f"--{name}: {pair[which]};" for name, pair in COLOURS.items())


def thinned(found: Sequence[T]) -> Sequence[T]:
    """Give at most ``MOST_DOTS`` of these, evenly taken in their order: more dots are a blot, and many megabytes."""
    step = -(-len(found) // MOST_DOTS) or 1
    return found[::step]


def thinning(*sizes: int) -> str:
    """Say behind a figure's title what ``thinned`` leaves out of the longest of some lists; nothing where it leaves nothing out."""
    step = -(-max(sizes, default=0) // MOST_DOTS)
    return f" (where dots are many, one in {step} is drawn; bars and lines are those of all)" if step > 1 else ""


def library() -> str:
    """Name what draws, with its version: other versions draw other strokes."""
    return f"matplotlib {version('matplotlib')}"


def drawn(
    name: str,
    *,
    title: str,
    says: str,
    height: float,
    paint: Callable[["Canvas"], None],
    tables: tuple[Table, ...] = (),
) -> Figure:
    """Make a figure; ``paint`` puts it on an empty canvas that is ``height`` inches high, when it is drawn.

    ``says`` is what a reader hears who cannot see it; ``tables`` hold its numbers where no table of the section does.
    """

    def draw() -> str:
        return _clean(_drawn(height, paint), name, title, says)

    return Figure(id=name, title=title, says=says, draw=draw, tables=tables)


def _drawn(height: float, paint: Callable[["Canvas"], None]) -> str:
    import matplotlib as mpl  # noqa: PLC0415  # half a second, and no verb but analyze, report and audit needs it
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure as Canvas  # noqa: PLC0415

    # Nothing of a user's own matplotlibrc may reach a report.
    defaults: dict[Any, Any] = {
        key: value for key, value in mpl.rcParamsDefault.items() if not key.startswith("backend")
    }
    out = io.StringIO()
    with mpl.rc_context({**defaults, **_RC}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a task's name in a script that the measuring font lacks is no fault
        canvas = Canvas(figsize=(WIDTH, height), dpi=72)
        FigureCanvasSVG(canvas)
        paint(canvas)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        canvas.savefig(out, format="svg", metadata=nothing, bbox_inches="tight", pad_inches=0.04)
    return out.getvalue()


def alone(svg: str) -> str:
    """Give a drawn figure as a file of its own, which brings its colours along."""
    sheet = (
        f"<style>svg {{ {style(0)} background: var(--paper); }} "
        f"@media (prefers-color-scheme: dark) {{ svg {{ {style(1)} }} }}</style>"
    )
    head, rest = svg.split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif">{sheet}{rest}\n'


def _clean(svg: str, name: str, title: str, says: str) -> str:
    """Take what would leak into the page or vary: names of files, global styles, fonts, ids, long fractions."""
    body = svg[svg.index("<svg") :]
    box = re.search(r'viewBox="([^"]*)"', body)
    assert box is not None
    body = body[body.index(">") + 1 : body.rindex("</svg>")]
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r' clip-path="[^"]*"|<clipPath.*?</clipPath>', "", body, flags=re.DOTALL)  # nothing is drawn outside
    body = body.replace("xlink:href", "href")
    body = re.sub(r"font: (\w+ )?([0-9.]+px) [^;\"]*", r"font: \1\2 var(--face, sans-serif)", body)
    body = re.sub(r"font-family: [^;\"]*;? ?", "", body)
    body = re.sub(r' transform="rotate\(-?0 [^"]*"', "", body)
    body = re.sub(r"<[^>]*>", lambda tag: re.sub(r"-?\d+\.\d{3,}", _short, tag.group()), body)
    for role, token in _TOKENS.items():
        body = body.replace(token, f"var(--{role})")
    body = _own_ids(" ".join(body.split()).replace("> <", "><"), name)
    _, _, width, high = (float(each) for each in box.group(1).split())
    return (
        f'<svg viewBox="{_short(box.group(1))}" width="{width * SCALE:.0f}" height="{high * SCALE:.0f}" role="img" '
        f'aria-labelledby="{name}-title {name}-says"><title id="{name}-title">{_text(title)}</title>'
        f'<desc id="{name}-says">{_text(says)}</desc>{body}</svg>'
    )


def _short(found: "re.Match[str] | str") -> str:
    """Round to hundredths of a point: nobody sees more, and processors differ further down."""
    if isinstance(found, str):
        return " ".join(f"{float(each):.2f}".rstrip("0").rstrip(".") for each in found.split())
    return _short(found.group())


def _own_ids(body: str, name: str) -> str:
    """Keep the ids that something points to, under names that no other figure of a page has."""
    wanted = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    names = {old: f"{name}-{place}" for place, old in enumerate(wanted, start=1)}
    body = re.sub(
        r' id="([^"]*)"', lambda found: f' id="{names[found.group(1)]}"' if found.group(1) in names else "", body
    )
    return re.sub(r'(href="#|url\(#)([^")]+)', lambda found: found.group(1) + names[found.group(2)], body)


def _text(said: str) -> str:
    return said.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
