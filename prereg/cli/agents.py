"""``prereg agents``: the agents that can be named in a spec."""

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give


@click.command()
@json_option
def command(as_json: bool) -> None:
    """List the installed agents: their kind, whether their program is on PATH, and what they report of a trial."""
    found = api.agents()
    give({"agents": found}, lambda: views.agents_text(found), as_json=as_json)
