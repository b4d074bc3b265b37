"""``prereg report``: render the report again from the stored verdict."""

from pathlib import Path

import click

from prereg import api, verdict_views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder


@click.command()
@run_folder
@click.option(
    "--inject",
    "--into",
    "into",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A page that gets the summary of report.md, down to what it does not show, between its <!-- prereg:begin … --> "
    "and <!-- prereg:end --> markers, each on a line of its own. Blocks that name another run are left alone.",
)
@json_option
def command(run: Path, into: Path | None, as_json: bool) -> None:
    """Render report.md and report.html again from the stored verdict, after the checks that analyze makes."""
    found = api.report(run, into=into)
    give(
        lambda: verdict_views.report_json(found),
        lambda: verdict_views.report_text(found),
        as_json=as_json,
        talk=verdict_views.judged_talk(found),
    )
