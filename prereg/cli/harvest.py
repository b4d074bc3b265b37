"""``prereg harvest``: find the tasks, prove their oracles, freeze them in a pool."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file
from prereg.cli.progress import harvest_bar


@click.command()
@spec_file
@json_option
def command(spec: Path, as_json: bool) -> None:
    """Find the tasks that the spec asks for, prove their oracles, and freeze them in pool/.

    Every candidate is kept or dropped by name. An oracle must fail on the starting tree and pass with the reference, as
    often as the spec says. The pool belongs to this harvest: a spec that asks for another one refuses it.
    """
    with harvest_bar(as_json=as_json) as show:
        found = api.harvest(spec, report=show)
    give(views.harvest_json(found), lambda: views.harvest_text(found), as_json=as_json)
