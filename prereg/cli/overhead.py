"""``prereg overhead``: measure what an arm costs before it does anything."""

from pathlib import Path

import click

from prereg import api, overhead
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, say, spec_file


@click.command()
@spec_file
@click.option(
    "--replicates", type=click.IntRange(1, overhead.MOST), default=3, show_default=True, help="How often in each arm."
)
@json_option
def command(spec: Path, replicates: int, as_json: bool) -> None:
    """Run every arm of a SPEC on one prompt that asks for nothing, and write overhead.json beside it.

    What an arm spends here it spends in every trial merely for holding its treatment. Real agents cost real money here.
    """

    def show(done: int, whole: int) -> None:
        if not as_json:
            say(f"{done + 1} of {whole}")

    measured = api.measure_overhead(spec, replicates=replicates, report=show)
    give(measured.document, lambda: overhead.table(measured), as_json=as_json)
