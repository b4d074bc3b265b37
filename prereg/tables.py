"""Tables for a terminal, for a pipe, and for eyes that want no colour."""

import io
import os
import shutil
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 120
COLOURS = {
    "passed": "green",
    "ok": "green",
    "refused": "red",
    "missing": "red",
    "undecided": "yellow",
    "warning": "yellow",
}


def coloured(status: str) -> Text:
    """Give a status in its colour, where it has one."""
    return Text(status, style=COLOURS.get(status, ""))


def draw(table: Table) -> str:
    """Draw a table as wide as the terminal, or 120 columns elsewhere; colour on a terminal only, never with NO_COLOR."""
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else WIDTH
    plain = not terminal or bool(os.environ.get("NO_COLOR"))
    for column in table.columns:  # a digest that is cut off is none
        column.overflow = "fold"
    out = io.StringIO()
    Console(file=out, force_terminal=not plain, no_color=plain, width=width, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
