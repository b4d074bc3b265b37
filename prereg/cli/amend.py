"""``prereg amend``: register a changed spec after an earlier registration."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file


@click.command()
@spec_file
@click.option("--reason", required=True, help="Why the spec changes; it is printed in every report.")
@json_option
def command(spec: Path, reason: str, as_json: bool) -> None:
    """Register a changed spec as a child of the newest registration.

    Nothing is overwritten. What had been seen by now is read from the ledgers and recorded. Runs keep the registration
    they were made from; a run of the amended plan is a new run.
    """
    if not reason.strip():
        raise click.BadParameter("give a reason in words", param_hint="--reason")
    locked = api.amend(spec, reason.strip())
    give(views.locked_json(locked), lambda: views.locked_text(locked), as_json=as_json, talk=views.locked_talk(locked))
