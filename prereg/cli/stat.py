"""``prereg stat``: the auditor's calculator."""

import json
import sys

import click

from prereg import calculating  # not through the api, which loads all verbs: a page has a command a number
from prereg.cli.options import as_json as json_option


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Compute statistics: one JSON object {"procedure", "inputs"} a line on stdin, one JSON result a line on stdout.

    A line may carry "of", a name that its result repeats: numbers.jsonl beside a report is made of such lines.
    What must not be computed is answered {"refuse": true, "reason": …}. With --json the answer is one document,
    {"results": […]}. The procedures are those that analyze uses.
    """
    answers = (calculating.answer(line) for line in sys.stdin if line.strip())
    if as_json:
        click.echo(json.dumps({"results": list(answers)}, ensure_ascii=False, allow_nan=False))
        return
    for each in answers:
        click.echo(json.dumps(each, ensure_ascii=False, allow_nan=False))
