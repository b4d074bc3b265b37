"""``prereg compile``: lock spec, pool and inputs into a registration."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file


@click.command()
@spec_file
@json_option
def command(spec: Path, as_json: bool) -> None:
    """Lock spec, pool and inputs into a registration.

    An unchanged spec gives the registration it has. A changed one is refused: register the change with prereg amend.
    """
    locked = api.compile_(spec)
    give(views.locked_json(locked), lambda: views.locked_text(locked), as_json=as_json, talk=views.locked_talk(locked))
