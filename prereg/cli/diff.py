"""``prereg diff``: what differs between specs and registrations, field by field."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give

PATH = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("before", type=PATH, required=False, default=Path("spec.yaml"))
@click.argument("after", type=PATH, required=False)
@json_option
def command(before: Path, after: Path | None, as_json: bool) -> None:
    """Show field by field what differs between BEFORE and AFTER.

    Each is a registration folder, a spec file or an experiment folder. With one path, its spec is compared with the
    newest registration beside it (a registration folder: with the one before it); without a path spec.yaml here is.
    Order and formatting never count.
    """
    found = api.diff(before, after)
    give(views.diff_json(found), lambda: views.diff_text(found), as_json=as_json)
