"""``prereg power``: how many tasks the next run needs."""

from pathlib import Path

import click

from prereg import api, simulation_views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give
from prereg.cli.progress import counting_bar


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path), metavar="RUN", required=False)
@click.option(
    "--assumptions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Size from what is assumed instead of from a pilot.",
)
@click.option(
    "--spec",
    type=click.Path(exists=True, path_type=Path),
    help="The spec that the assumptions are for; spec.yaml here.",
)
@click.option("--experiments", type=click.IntRange(50, 100_000), default=400, show_default=True, help="At each size.")
@click.option("--seed", type=click.IntRange(0, 2**20), default=1, show_default=True, help="Names all that is drawn.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; one a processor. They change no byte.")
@json_option
def command(
    run: Path | None,
    assumptions: Path | None,
    spec: Path | None,
    experiments: int,
    seed: int,
    workers: int | None,
    as_json: bool,
) -> None:
    """Say how many tasks the next run needs, from an analyzed pilot RUN, or from --assumptions.

    The registered formula and the simulated registered rule stand side by side, each for the spread and for the ends of its
    interval: the number is as uncertain as the spread. The smallest effect that this many tasks can show is told too.
    """
    if (run is None) == (assumptions is None and spec is None):
        raise click.UsageError("give the folder of a pilot run, or --assumptions FILE (with --spec), not both")
    with counting_bar("experiments", as_json=as_json) as show:
        found = api.power(
            run, spec=spec, assumptions=assumptions, experiments=experiments, seed=seed, workers=workers, report=show
        )
    give(simulation_views.power_json(found), lambda: simulation_views.power_text(found), as_json=as_json)
