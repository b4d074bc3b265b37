"""``prereg analyze``: apply the registered decision rule to a closed run."""

from pathlib import Path

import click

from prereg import judging, verdict_views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder
from prereg.experiment import run_at
from prereg.judging import Judged


@click.command()
@run_folder
@json_option
def command(run: Path, as_json: bool) -> Judged:
    """Apply the registered decision rule to a closed run; write verdict.json, report.md and report.html.

    There is nothing to choose. A run that is still open is not looked at (exit 5); a spec, plan, ledger or blob that was
    changed since is refused (exit 4). The same analysis again changes nothing.
    """
    found = judging.analyze(run_at(run))
    give(
        lambda: verdict_views.analyze_json(found),
        lambda: verdict_views.analyze_text(found),
        as_json=as_json,
        talk=verdict_views.judged_talk(found),
    )
    return found
