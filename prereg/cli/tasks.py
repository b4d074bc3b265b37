"""``prereg tasks``: an experiment's candidate tasks."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file


@click.command()
@spec_file
@click.option("--all", "every", is_flag=True, help="Show the dropped ones too, with their reasons.")
@json_option
def command(spec: Path, every: bool, as_json: bool) -> None:
    """List the candidate tasks of the pool: kept or dropped and why, and which the newest registration drew."""
    found = [each for each in api.tasks(spec) if every or each["status"] == "kept"]
    give({"tasks": found}, lambda: views.tasks_text(found), as_json=as_json)
