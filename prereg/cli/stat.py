"""``prereg stat``: the auditor's calculator."""

import json
import sys
from pathlib import Path

import click

from prereg import amounts, calculating  # not through the api, which loads all verbs: a page has a command a number
from prereg.cli.options import as_json as json_option


@click.command()
@click.option(
    "--ledger",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Summarize one amount of a ledger instead of reading lines; with --arm and --measure.",
)
@click.option("--arm", help="With --ledger: whose trials.")
@click.option("--measure", help="With --ledger: which amount of them, such as cost.")
@click.option("--attempts", is_flag=True, help="With --ledger: over every attempt, lost ones too.")
@json_option
def command(ledger: Path | None, arm: str | None, measure: str | None, attempts: bool, as_json: bool) -> None:
    """Compute statistics: one JSON object {"procedure", "inputs"} a line on stdin, one JSON result a line on stdout.

    A line may carry "of", a name that its result repeats: numbers.jsonl beside a report is made of such lines.
    What must not be computed is answered {"refuse": true, "reason": …}. With --json the answer is one document,
    {"results": […]}. The procedures are those that analyze uses. With --ledger it reads one amount of one arm out of a
    ledger, as it stands there; that nobody altered it is what prereg audit checks.
    """
    if ledger is None and (arm or measure or attempts):
        raise click.UsageError("--arm, --measure and --attempts go with --ledger")
    if ledger is not None and not (arm and measure):
        raise click.UsageError("--ledger goes with --arm and --measure")
    if ledger is not None and arm and measure:
        answers = iter([amounts.amounts(ledger, arm, measure, attempts=attempts)])
    else:
        answers = (calculating.answer(line) for line in sys.stdin if line.strip())
    if as_json:
        click.echo(json.dumps({"results": list(answers)}, ensure_ascii=False, allow_nan=False))
        return
    for each in answers:
        click.echo(json.dumps(each, ensure_ascii=False, allow_nan=False))
