"""``prereg status``: count a run's attempts and outcomes, blind to their results, unless a look is asked for and recorded."""

from pathlib import Path

import click

from prereg import api, status_views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder


@click.command()
@run_folder
@click.option(
    "--outcomes",
    is_flag=True,
    help="Look at the outcomes of an open run. The ledger remembers it first; needs --reason.",
)
@click.option("--reason", help="Why you look; it is printed in every report of this run.")
@json_option
def command(run: Path, outcomes: bool, reason: str | None, as_json: bool) -> None:
    """Count a run's attempts and outcomes. It says nothing of how they came out: no verdict, no cost, no arm by arm.

    With --outcomes it does, for a run that is open and that no executor is at work on: each look is a line of the ledger
    before anything is shown, and stands beside the verdict for good.
    """
    if not outcomes:
        if reason is not None:
            raise click.UsageError("--reason is why you look at outcomes; it goes with --outcomes")
        found = api.status(run)
        give(status_views.status_json(found), lambda: status_views.status_text(found), as_json=as_json)
        return
    if reason is None or not reason.strip():
        raise click.UsageError("a look at outcomes before the close is recorded with its reason: --reason TEXT")
    seen = api.look(run, reason.strip())
    talk = status_views.looked_talk(seen)
    give(status_views.looked_json(seen), lambda: status_views.looked_text(seen), as_json=as_json, talk=talk)
