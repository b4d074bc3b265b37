"""``prereg providers``: the providers that can be named in a spec; ``prereg providers new`` begins another."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the installed providers: their kind, who brings them, and what to know of them."""
    if ctx.invoked_subcommand is None:
        found = api.providers()
        give({"providers": found}, lambda: views.plugins_text(found), as_json=as_json)


@command.command("new")
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@json_option
def new(name: str, folder: Path | None, as_json: bool) -> None:
    """Begin a provider NAME as a package of its own in FOLDER (prereg-NAME unless given): plugin, entry point, conformance tests."""
    into = folder or Path(f"prereg-{name}")
    files = api.new_provider(name, into)
    steps = f"next: python -m pip install -e '{into}[test]' && python -m pytest {into}"
    give(
        {"folder": str(into), "files": files},
        lambda: "\n".join([*(f"{into}/{each}" for each in files), steps]),
        as_json=as_json,
    )
