"""``prereg simulate``: the operating characteristics of the decision rule, before any money is spent."""

from pathlib import Path

import click

from prereg import api, simulation_views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file
from prereg.cli.progress import counting_bar
from spec_lang.diagnostics import render


@click.command()
@spec_file
@click.option(
    "--experiments", type=click.IntRange(1, 1_000_000), default=2000, show_default=True, help="In each world."
)
@click.option("--seed", type=click.IntRange(0, 2**20), default=1, show_default=True, help="Names all that is drawn.")
@click.option(
    "--assumptions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What is assumed of the trials; assumptions.yaml beside the spec, or else the simulated agent's profiles.",
)
@click.option(
    "--resamples",
    type=click.IntRange(100, 1_000_000),
    default=2000,
    show_default=True,
    help="The most that a bootstrap resamples.",
)
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; one a processor. They change no byte.")
@click.option(
    "--tasks", type=click.IntRange(1, 10_000), help="Another number of tasks than the spec's, to see what it does."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="simulation.json beside the spec; simulation-N.json with --tasks N.",
)
@json_option
def command(
    spec: Path,
    experiments: int,
    seed: int,
    assumptions: Path | None,
    resamples: int,
    workers: int | None,
    tasks: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Play the registered decision rule in simulated worlds, and write how often it is right and wrong.

    Every experiment goes through the code that judges a run. The worlds: what the author assumes, no difference, cheaper
    but solving fewer, fewer failures only, the author's own, and a grid of effects, a point of which has a quarter of the
    experiments. The same seed gives the same bytes on every machine. simulation.json and simulation.svg are written; a spec
    names the former: sample_size: {simulation: simulation.json}.
    """
    if out is not None and out.suffix != ".json":
        raise click.BadParameter(
            "a file whose name ends in .json; the curve goes beside it as .svg", param_hint="--out"
        )
    with counting_bar("experiments", as_json=as_json) as show:
        found = api.simulate(
            spec,
            experiments=experiments,
            seed=seed,
            assumptions=assumptions,
            resamples=resamples,
            workers=workers,
            tasks=tasks,
            out=out,
            report=show,
        )
    give(
        simulation_views.simulated_json(found),
        lambda: simulation_views.simulated_text(found),
        as_json=as_json,
        talk=map(render, found.warnings),
    )
