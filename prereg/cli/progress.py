"""Bars for long work: on a terminal only, on stderr, and never beside ``--json``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from executor.harvest import Step
from executor.progress import Progress as RunProgress


@contextmanager
def progress_bar(name: str, *, as_json: bool) -> Iterator[Callable[[RunProgress], None]]:
    """Show how many trials of a run have their outcome; it tells nothing of how they came out."""
    with _bar(as_json=as_json) as bar:
        task = bar.add_task(name, total=None)

        def show(now: RunProgress) -> None:
            bar.update(task, completed=now.outcomes, total=now.planned)

        yield show


@contextmanager
def harvest_bar(*, as_json: bool) -> Iterator[Callable[[Step], None]]:
    """Show how many candidates of a set are settled."""
    with _bar(as_json=as_json) as bar:
        task = bar.add_task("harvest", total=None)

        def show(now: Step) -> None:
            bar.update(task, description=now.set, completed=now.done, total=now.total)

        yield show


@contextmanager
def counting_bar(name: str, *, as_json: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how much of a count is done."""
    with _bar(as_json=as_json) as bar:
        task = bar.add_task(name, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show


def _bar(*, as_json: bool) -> Progress:
    quiet = as_json or not sys.stderr.isatty()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), disable=quiet, transient=True)
