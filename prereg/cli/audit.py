"""``prereg audit``: derive everything again from the bytes."""

import re
from pathlib import Path

import click

from prereg import api, faults, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, run_folder

DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)


@click.command()
@run_folder
@click.option("--expect", metavar="sha256:…", help="The spec digest that the run must belong to.")
@click.option(
    "--published",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A claims file (JSON) or a page (between prereg:begin and prereg:end markers) to compare with the verdict.",
)
@click.option("--print-commands", is_flag=True, help="Print the stock commands that repeat the checks without prereg.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, run: Path, expect: str | None, published: Path | None, print_commands: bool, as_json: bool
) -> None:
    """Derive everything again from the bytes of a run and say what is not proven; nothing is written.

    Exit 0: all that can be checked holds. 4: something does not fit. 5: something is missing that a check needs.
    """
    if expect is not None and not DIGEST.fullmatch(expect):
        raise click.BadParameter("a digest is written sha256: and 64 hex digits", param_hint="--expect")
    if print_commands:
        commands = api.audit_commands(run)
        give({"commands": commands}, lambda: "\n".join(commands), as_json=as_json)
        return
    audited = api.audit(run, expect=expect, page=published)
    give(views.audit_json(audited), lambda: views.audit_text(audited), as_json=as_json)
    ctx.exit({"verified": faults.DONE, "refused": faults.REFUSED, "undecided": faults.UNDECIDED}[audited.status])
