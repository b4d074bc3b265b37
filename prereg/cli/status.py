"""``prereg status``: count a run's attempts and outcomes, blind to their results."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder


@click.command()
@run_folder
@json_option
def command(run: Path, as_json: bool) -> None:
    """Count a run's attempts and outcomes. It says nothing of how they came out: no verdict, no cost, no arm by arm."""
    found = api.status(run)
    give(views.status_json(found), lambda: views.status_text(found), as_json=as_json)
