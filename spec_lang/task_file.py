"""Task files of a task folder: strict JSON or YAML, held against their own schema, with every fault at its place."""

import json
from collections.abc import Mapping
from functools import cache
from json import JSONDecodeError
from pathlib import Path as File
from typing import Any

from spec_lang.build import pattern_faults
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.schema import Document, judge
from spec_lang.span import Position, Source, Span
from spec_lang.spans import Spans
from spec_lang.yaml_tree import Plainest, plain, read_tree

CODES: Mapping[str, str] = {
    "P215": "a file is not JSON",
    "P216": "a task's id is not the name of its folder",
}


@cache
def task_schema() -> Document:
    """Give the JSON Schema (2020-12) of a task file."""
    schema: Document = json.loads((File(__file__).parent / "task.schema.json").read_text(encoding="utf-8"))
    return schema


@cache
def defect_schema() -> Document:
    """Give the JSON Schema (2020-12) of the task file of an injected defect."""
    schema: Document = json.loads((File(__file__).parent / "defect.schema.json").read_text(encoding="utf-8"))
    return schema


def read_task(source: Source, folder: str, schema: Document | None = None) -> Mapping[str, Plainest]:
    """Read the task file of a folder of this name; keys stay as they are written. ``schema``: ``task_schema()`` unless given.

    JSON is read by the same strict reader as YAML, of which it is a part, so that both say the same about the same fault.

    Raises:
        SpecErrors: Everything that is wrong with its shape and its patterns; a fault of syntax comes alone.
    """
    if source.name.endswith(".json"):
        _refuse_other_than_json(source)
    tree = read_tree(source)
    shape = judge(tree, task_schema() if schema is None else schema)
    bag = Bag()
    bag.extend(shape.faults)
    bag.extend(pattern_faults(tree, shape.patterns))
    task: Any = plain(tree)
    if not bag.diagnostics and task["id"] != folder:
        span = Spans(tree).at("id")
        summary = f"the id `{task['id']}` is not the name of its folder, `{folder}`"
        bag.add(Diagnostic(code="P216", summary=summary, span=span, hint=f"rename the folder, or write `{folder}`"))
    bag.raise_errors()
    assert isinstance(task, dict)
    return task


def _refuse_other_than_json(source: Source) -> None:
    try:
        json.loads(source.text)
    except JSONDecodeError as fault:
        at = Position(line=fault.lineno, column=fault.colno)
        span = Span(source=source, start=at, end=Position(line=at.line, column=at.column + 1))
        what = f"not JSON: {fault.msg[0].lower()}{fault.msg[1:]}"
        hint = "mend it, or call the file task.yaml and write YAML"
        raise SpecErrors([Diagnostic(code="P215", summary=what, span=span, hint=hint)]) from None
