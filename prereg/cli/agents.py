"""``prereg agents``: the agents that can be named in a spec; ``prereg agents record`` writes down what they did, to be played again."""

from pathlib import Path

import click

from prereg import api, recording, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the installed agents: their kind, whether their program is on PATH, and what they report of a trial."""
    if ctx.invoked_subcommand is None:
        found = api.agents()
        give({"agents": found}, lambda: views.agents_text(found), as_json=as_json)


@command.command("record")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=Path("recordings"),
    show_default=True,
    help="Folder of recordings.",
)
@click.option("--trial", metavar="TASK/ARM/SEED", help="One trial alone.")
@json_option
def record(run: Path, into: Path, trial: str | None, as_json: bool) -> None:
    """Write what the agents of a closed RUN did as recordings that `kind: replay` plays.

    A call that no recording can hold (a search, a sub-agent, an edit that its stream does not tell) is named, and a message stands in
    its place.
    """
    written = api.record_run(run, into, trial=trial)
    give(recording.told(written, into), lambda: "\n".join(recording.lines(written)), as_json=as_json)
