"""``prereg compare``: the noise floor, from two runs of one arm or the halves of one run."""

from pathlib import Path

import click

from prereg import api, compared
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder


@click.command()
@run_folder
@click.argument(
    "other", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="[OTHER]", required=False
)
@click.option("--halves", is_flag=True, help="Compare the odd seeds of RUN with its even ones.")
@click.option("--arm", help="Compare this arm alone; without it, every arm that both have.")
@json_option
def command(run: Path, other: Path | None, halves: bool, arm: str | None, as_json: bool) -> None:
    """Compare two runs of the same arms over the same tasks: what flipped though nothing had changed.

    Exit 5 when they cannot be compared: a run is open, an arm or a task is not the same in both (it says what differs),
    or a run has one seed and no halves. A difference between arms means something only above this noise.
    """
    if halves == (other is not None):
        raise click.UsageError("give OTHER, a second run, or --halves, not both")
    found = api.compare(run, other, arm=arm)
    give(compared.document(found), lambda: compared.text(found), as_json=as_json)
