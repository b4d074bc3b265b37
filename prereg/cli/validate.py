"""``prereg validate``: prove the pool's oracles afresh."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file
from prereg.cli.progress import harvest_bar


@click.command()
@spec_file
@click.option(
    "--tasks", "only", metavar="ID", multiple=True, help="Prove this task alone; repeat it for more. Needs no pool."
)
@json_option
def command(spec: Path, only: tuple[str, ...], as_json: bool) -> None:
    """Prove the oracles of the pool's tasks afresh: they fail on the starting tree and pass with the reference.

    Nothing is written. Exit 1 when a task no longer passes its gate, or another one does.
    """
    with harvest_bar(as_json=as_json) as show:
        found = api.validate(spec, only=only, report=show)
    give(views.validate_json(found), lambda: views.validate_text(found), as_json=as_json)
