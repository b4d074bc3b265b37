"""``prereg demo``: a whole simulated experiment, from a git history to an audited verdict."""

from dataclasses import asdict
from pathlib import Path
from time import perf_counter

import click

from prereg.cli.options import as_json as json_option
from prereg.cli.options import give
from prereg.demo import Told, demo


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("prereg-demo"), metavar="[DIR]")
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Show the whole road on a small git history, and leave the finished experiment in DIR (new or empty).

    Takes 15 to 30 seconds and needs no key, no network and no container. The agent is SIMULATED.
    """
    started, steps = perf_counter(), []
    for number, told in enumerate(demo(folder), 1):
        steps.append(asdict(told))
        if not as_json:
            click.echo(_shown(number, told, perf_counter() - started))
    if as_json:
        give({"folder": str(folder), "run": str(folder / "runs" / "demo"), "steps": steps}, str, as_json=True)


def _shown(number: int, told: Told, seconds: float) -> str:
    lines = [click.style(f"{number}. {told.title}", bold=True) + click.style(f"  [{seconds:.1f} s]", dim=True)]
    if told.command:
        lines.append(click.style(f"   $ {told.command}", fg="cyan"))
    lines += [f"   {each}" for each in told.lines]
    lines += [f"   open {each}" for each in told.open]
    return "\n".join(lines)
