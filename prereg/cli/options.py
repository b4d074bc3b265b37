"""What several verbs share: ``--json``, the kinds of path they take, and how a result leaves the program."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")

spec_file = click.argument(
    "spec", type=click.Path(exists=True, path_type=Path), metavar="[SPEC]", required=False, default=Path("spec.yaml")
)
"""A spec file, or an experiment folder that holds ``spec.yaml``; without one, ``spec.yaml`` here."""


def _run(_ctx: click.Context, _option: click.Parameter, path: Path) -> Path:
    # A folder with a ledger and no run.json was tampered with, which is not for usage to say.
    if not any((path / name).exists() for name in ("run.json", "ledger.jsonl")):
        raise click.BadParameter(f"{path} holds no run.json; give the folder of a run, runs/NAME")
    return path


run_folder = click.argument(
    "run", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="RUN", callback=_run
)
"""A run folder, ``runs/NAME``."""


def give(
    document: Mapping[str, Any] | Callable[[], Mapping[str, Any]],
    show: Callable[[], str],
    *,
    as_json: bool,
    talk: Iterable[str] = (),
) -> None:
    """Put a result on stdout: the JSON document, which may be made when it is asked for, or the text that ``show`` makes of it.

    ``talk`` is said on stderr beside the text; a JSON document holds it already.
    """
    for each in () if as_json else talk:
        say(each)
    if not as_json:
        click.echo(show())
        return
    click.echo(json.dumps(document() if callable(document) else document, ensure_ascii=False, allow_nan=False))


def say(text: str) -> None:
    """Talk to a person, on stderr."""
    click.echo(text, err=True)
