"""``prereg analyze``: apply the registered decision rule to a closed run."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder


@click.command()
@run_folder
@json_option
def command(run: Path, as_json: bool) -> None:
    """Apply the registered decision rule to a closed run; write verdict.json, report.md and report.html.

    There is nothing to choose. A run that is still open is not looked at (exit 5); a spec, plan, ledger or blob that was
    changed since is refused (exit 4). The same analysis again changes nothing.
    """
    found = api.analyze(run)
    give(views.analyze_json(found), lambda: views.analyze_text(found), as_json=as_json, talk=views.judged_talk(found))
