"""Task files of a task folder: strict JSON or YAML, held against their own schema, with every fault at its place."""

import json
from collections.abc import Mapping
from functools import cache
from json import JSONDecodeError
from pathlib import Path as File
from typing import Any

from spec_lang.build import pattern_faults
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.expr.ast import Expression
from spec_lang.expr.parse import parse
from spec_lang.option_faults import option_faults
from spec_lang.option_schemas import Kind
from spec_lang.oracle_options import ORACLES
from spec_lang.own_oracle import own_oracle_faults
from spec_lang.own_steps import own_step_faults
from spec_lang.places import places
from spec_lang.schema import Document, Shape, judge
from spec_lang.span import Position, Source, Span
from spec_lang.spans import Path, Spans, find
from spec_lang.yaml_tree import Node, Plainest, Scalar, plain, read_tree

CODES: Mapping[str, str] = {
    "P215": "a file is not JSON",
    "P216": "a task's id is not the name of its folder",
}


@cache
def task_schema() -> Document:
    """Give the JSON Schema (2020-12) of a task file."""
    schema: Document = json.loads((File(__file__).parent / "task.schema.json").read_text(encoding="utf-8"))
    check = schema["$defs"]["check"]
    for name, kind in ORACLES.items():
        check["properties"]["kind"]["enum"].append(name)
        check["allOf"].append(_branch(name, kind))
    return schema


def _branch(name: str, kind: Kind) -> Document:
    """Write the schema of a check as a task file spells it: a time limit is in milliseconds there."""
    options = {"timeoutMs" if key == "timeout" else key: value for key, value in kind.options.items()}
    if "timeoutMs" in options:
        options["timeoutMs"] = {"type": "integer", "minimum": 1, "description": "2 minutes unless given"}
    return {
        "if": {"required": ["kind"], "properties": {"kind": {"const": name}}},
        "then": {
            "additionalProperties": False,
            "required": list(kind.required),
            "description": kind.doc,
            "properties": {"kind": True, "name": {"$ref": "#/$defs/check_name"}, **options},
        },
    }


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
    bag.extend(option_faults(tree, shape))
    conditions = _conditions(tree, shape, bag)
    task: Any = plain(tree)
    if not bag.diagnostics and task["id"] != folder:
        span = Spans(tree).at("id")
        summary = f"the id `{task['id']}` is not the name of its folder, `{folder}`"
        bag.add(Diagnostic(code="P216", summary=summary, span=span, hint=f"rename the folder, or write `{folder}`"))
    if not bag.diagnostics and "checks" in task:
        bag.extend(own_oracle_faults(task["checks"], conditions, Spans(tree)))
        bag.extend(own_step_faults(task.get("steps", ()), Spans(tree)))
    bag.raise_errors()
    assert isinstance(task, dict)
    for key in ("pass", "partial"):
        if key in task:
            task[key] = [each.text for path, each in conditions.items() if path[0] == key]
    return task


def _conditions(tree: Node, shape: Shape, bag: Bag) -> dict[Path, Expression]:
    """Parse the conditions of a task file, in their order."""
    read: dict[Path, Expression] = {}
    for path in sorted(shape.expressions, key=lambda each: (str(each[0]), each[1:])):
        node = find(tree, path)
        assert isinstance(node, Scalar)
        try:
            read[path] = parse(node.text, node.span, places(node))
        except SpecErrors as faults:
            bag.extend(faults.diagnostics)
    return read


def _refuse_other_than_json(source: Source) -> None:
    try:
        json.loads(source.text)
    except JSONDecodeError as fault:
        at = Position(line=fault.lineno, column=fault.colno)
        span = Span(source=source, start=at, end=Position(line=at.line, column=at.column + 1))
        what = f"not JSON: {fault.msg[0].lower()}{fault.msg[1:]}"
        hint = "mend it, or call the file task.yaml and write YAML"
        raise SpecErrors([Diagnostic(code="P215", summary=what, span=span, hint=hint)]) from None
