"""``prereg init``: start an experiment folder."""

from pathlib import Path

import click

from prereg import api
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path(), metavar="[DIR]")
@click.option("--from", "starter", default="task-outcome", show_default=True, help="Which starter to copy.")
@click.option("--list", "listed", is_flag=True, help="List the starters.")
@json_option
def command(folder: Path, starter: str, listed: bool, as_json: bool) -> None:
    """Start an experiment in a new or empty folder: a spec that works, to be changed into yours."""
    if listed:
        names = list(api.starter_names())
        widest = max(map(len, names))
        give(
            {"starters": names},
            lambda: "\n".join(f"{each:{widest}}  {api.starter_about(each)}" for each in names),
            as_json=as_json,
        )
        return
    made = api.init(folder, starter)
    steps = f"next: prereg check {folder}/spec.yaml, then harvest, compile, execute, analyze, audit"
    give({"folder": str(folder), "files": made}, lambda: "\n".join([*made, steps]), as_json=as_json)
