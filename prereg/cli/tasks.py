"""``prereg tasks``: an experiment's candidate tasks, what is known of one, and burning what leaked."""

from pathlib import Path

import click

from prereg import api, views
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give, spec_file


class Listing(click.Group):
    """A group that lists tasks when no other word follows it: ``prereg tasks [SPEC]``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``list`` in front of arguments that name no command of the group."""
        asked = args[0] if args else ""
        if asked not in self.commands and asked not in ("-h", "--help"):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=Listing)
def command() -> None:
    """List the candidate tasks of a pool (``list``, the default), show one, or burn one that leaked."""


@command.command("list")
@spec_file
@click.option("--all", "every", is_flag=True, help="Show the dropped ones too, with their reasons.")
@json_option
def listing(spec: Path, every: bool, as_json: bool) -> None:
    """List the candidate tasks of the pool: kept or dropped and why, and which the newest registration drew."""
    found = [each for each in api.tasks(spec) if every or each["status"] == "kept"]
    give({"tasks": found}, lambda: views.tasks_text(found), as_json=as_json)


@command.command("resolve")
@click.argument("task", metavar="ID")
@spec_file
@json_option
def resolve(task: str, spec: Path, as_json: bool) -> None:
    """Print what is known of a task: of a private one, everything that its store keeps.

    This is the one command that prints what a private set hides. It needs the store.
    """
    found = api.resolve_task(spec, task)
    give(found, lambda: views.resolved_text(found), as_json=as_json)


@command.command("burn")
@click.argument("task", metavar="ID")
@spec_file
@click.option(
    "--reason", required=True, help="How it leaked. It stands in burned.yaml, and in reports: keep names out of it."
)
@json_option
def burn(task: str, spec: Path, reason: str, as_json: bool) -> None:
    """Mark a task as leaked, for good: compile walks past it and takes the next, execute refuses a plan that holds it."""
    found = api.burn_task(spec, task, reason)
    give(found, lambda: views.burned_text(found), as_json=as_json)
