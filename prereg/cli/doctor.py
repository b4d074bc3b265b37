"""``prereg doctor``: what this machine can and cannot do."""

import click

from prereg import api, faults, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give


@click.command()
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Say what this machine can and cannot do, which prereg this is, and how to switch on shell completion."""
    found = api.doctor()
    give(views.doctor_json(found), lambda: views.doctor_text(found), as_json=as_json)
    ctx.exit(faults.WORLD if any(each.status == "missing" for each in found) else faults.DONE)
