"""The command line, one file a verb; verbs are imported only when they are asked for."""

import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

VERBS: dict[str, str] = {
    "demo": "show the whole road on a small history, tampering included",
    "init": "start an experiment folder from a template",
    "check": "read a spec and say everything that is wrong with it",
    "schema": "print the JSON Schema of a spec, for editors",
    "harvest": "find the tasks, prove their oracles, freeze them in a pool",
    "validate": "prove the pool's oracles afresh: no-op fails, reference passes",
    "simulate": "try the decision rule in simulated worlds before any money is spent",
    "compile": "lock spec, pool and inputs into a registration",
    "amend": "register a changed spec after an earlier one, with a reason",
    "diff": "show field by field what differs between specs and registrations",
    "execute": "carry out a registration's plan; run again to resume",
    "status": "count a run's attempts and outcomes, blind to their results",
    "judge": "record what people say of trials: success, partial, failure",
    "analyze": "apply the registered decision rule to a closed run",
    "report": "render the report again from the stored verdict",
    "compare": "say how far two runs of one arm disagree: the noise floor",
    "power": "say how many tasks the next run needs, from a pilot or from assumptions",
    "audit": "re-derive everything from the bytes and say what is not proven",
    "stat": "compute statistics from JSON lines, or of an amount in a ledger",
    "providers": "list the providers that can be named in an arm",
    "agents": "list the agents that can be named in a spec",
    "overhead": "measure what an arm costs before it does anything",
    "tasks": "list the candidate tasks, with --all why others were dropped; show one; burn one that leaked",
    "doctor": "say what this machine can and cannot do",
}
"""Every verb that works, in the order of the road, with its one line of help."""


class Verbs(click.Group):
    """A group that imports ``prereg.cli.VERB`` on use, so that ``prereg --help`` stays fast."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Give the verbs in the order of the road."""
        return list(VERBS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one verb; each file keeps its command under the name ``command``."""
        if cmd_name not in VERBS:
            return None
        found: click.Command = import_module(f"prereg.cli.{cmd_name}").command
        return found

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


def _version(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from prereg.resources import DISTRIBUTION, tool_version  # noqa: PLC0415  # keeps --help fast

        click.echo(f"{DISTRIBUTION} {tool_version()}")
        ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Say which prereg this is."
)
def group() -> None:
    """Pre-register an experiment on a coding agent, carry it out, judge it mechanically, and let a stranger check it.

    Exit codes: 0 done, whatever the verdict; 1 what you wrote is at fault; 2 usage; 3 the world failed, run again to
    resume; 4 refused, integrity broken; 5 cannot be decided or verified; 70 our bug.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    return carried_out(argv)[0]


def carried_out(argv: Sequence[str] | None = None) -> tuple[int, object]:
    """Run the command line and give its exit code, with what the verb came to; every fault is caught here, once."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        found = group.main(args=arguments, prog_name="prereg", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
        return 3, None
    except (Exception, KeyboardInterrupt) as fault:  # noqa: BLE001  # the one place that tells faults from bugs
        return _tell(fault, as_json="--json" in arguments), None
    return found if isinstance(found, int) else 0, found


def _drop_stdout() -> None:
    """Leave a stdout behind that cannot fail again at exit: whoever read ours went away, or its disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(fault: BaseException, *, as_json: bool) -> int:
    from prereg import faults  # noqa: PLC0415  # keeps --help fast

    code, found = faults.exit_code(fault), faults.reasons(fault)
    try:
        if as_json:
            document = faults.document(found, refused=code == faults.REFUSED)
            click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))
        else:
            click.echo(faults.text(fault, found), err=True)
        sys.stdout.flush()
    except OSError:
        _drop_stdout()
        click.echo(faults.text(fault, found), err=True)
    return code
