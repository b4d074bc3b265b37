"""``prereg execute``: carry out a registration's plan."""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from prereg import api, faults, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, say
from prereg.cli.progress import progress_bar

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


@click.command()
@click.argument("registration", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--run", "name", help="The run's name: its folder is runs/NAME.")
@click.option("--dry-run", "dry", is_flag=True, help="Print every trial with its command line, and run nothing.")
@json_option
def command(registration: Path, name: str | None, dry: bool, as_json: bool) -> None:
    """Carry out the plan of a REGISTRATION folder, or the newest one of an experiment folder.

    The same command resumes an interrupted run. Ctrl-C lets what runs come to its end; a second one leaves at once.
    """
    if dry:
        planned = api.dry_run(registration)
        give(planned.document, lambda: planned.text, as_json=as_json)
        return
    if name is None:
        raise click.MissingParameter(param_hint="--run", param_type="option")
    if not NAME.fullmatch(name):
        raise click.BadParameter("letters, digits, dot, underscore and hyphen, not first a dot", param_hint="--run")
    with stop_on_signals(as_json=as_json) as stop, progress_bar(name, as_json=as_json) as show:
        executed = api.execute(registration, name, stop=stop, report=show, say=say)
    give(views.executed_json(executed), lambda: views.executed_text(executed), as_json=as_json)


@contextmanager
def stop_on_signals(*, as_json: bool) -> Iterator[threading.Event]:
    """Turn the first Ctrl-C (or a TERM) into a request to stop; a second one leaves at once."""
    stop = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            say("left at once: the attempts that ran are recorded as lost when the run is resumed")
            if as_json:
                give(faults.document(faults.reasons(KeyboardInterrupt()), refused=False), str, as_json=True)
                sys.stdout.flush()
            os._exit(faults.WORLD)  # waiting workers would hold up any kinder end; the ledger survives even kill -9
        stop.set()
        say("stopping: nothing new is started, what runs is seen to its end; press Ctrl-C again to leave at once")

    before = {each: signal.signal(each, ask) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
