"""``prereg schema``: print the JSON Schema of a spec."""

import json

import click

from prereg import api
from prereg.cli.options import as_json as json_option
from prereg.cli.options import give


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Print the JSON Schema (2020-12) of a spec, so that an editor completes and checks it.

    Save it and name it on the spec's first line: # yaml-language-server: $schema=spec.schema.json
    """
    schema = api.schema()
    give(schema, lambda: json.dumps(schema, indent=2, ensure_ascii=False), as_json=as_json)
