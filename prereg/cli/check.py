"""``prereg check``: read a spec and say everything that is wrong with it."""

from pathlib import Path

import click

from prereg import api
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file
from prereg.faults import diagnostic_json
from spec_lang.diagnostics import render


@click.command()
@spec_file
@json_option
def command(spec: Path, as_json: bool) -> None:
    """Read a spec and say everything that is wrong with it.

    With a pool beside it, everything that compile refuses is found; without one, what needs the tasks is left out.
    """
    checked = api.check(spec)

    def show() -> str:
        scope = "spec and pool" if checked.with_pool else "spec only: there is no pool yet (prereg harvest)"
        return f"{spec}: no errors ({scope})"

    document = {
        "status": "ok",
        "spec_digest": checked.spec_digest,
        "with_pool": checked.with_pool,
        "warnings": [diagnostic_json(each) for each in checked.warnings],
    }
    give(document, show, as_json=as_json, talk=map(render, checked.warnings))
