"""The shape of a spec: the JSON Schema with the catalogue's kinds in it, and a tree's faults against it, each at its place."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as File
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from spec_lang.diagnostics import Diagnostic
from spec_lang.kinds import KINDS, Kind, Slot
from spec_lang.quantity import Dimension
from spec_lang.schema_faults import say
from spec_lang.spans import Path, Spans
from spec_lang.yaml_tree import Node, plain

Document = dict[str, Any]
Kinds = Mapping[Slot, Mapping[str, Kind]]
"""Kinds by slot, as in the catalogue."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """What the schema says of a tree: its faults, and where expressions, amounts, patterns, code and measured numbers stand in it."""

    faults: tuple[Diagnostic, ...]
    expressions: frozenset[Path]
    amounts: Mapping[Path, Dimension]
    patterns: frozenset[Path] = frozenset()
    code: frozenset[Path] = frozenset()
    measured: Mapping[Path, bool | str] = field(default_factory=dict)  # a text: the unit that is needed
    distinct: Mapping[Path, str] = field(default_factory=dict)  # list → the key by which its items differ
    ranges: Mapping[Path, Dimension] = field(default_factory=dict)
    idle: Mapping[Path, str] = field(
        default_factory=dict
    )  # what may stand there and change nothing: see ``stream_faults``


@cache
def spec_schema() -> Document:
    """Give the whole JSON Schema (2020-12) of a spec: ``spec.schema.json`` with a definition for each slot of the catalogue."""
    return extended_schema({})


def extended_schema(more: Kinds) -> Document:
    """Give the schema of a spec that may also name the kinds of other distributions. A kind of the catalogue is replaced by none."""
    schema: Document = json.loads((File(__file__).parent / "spec.schema.json").read_text(encoding="utf-8"))
    whole = {slot: {**more.get(slot, {}), **kinds} for slot, kinds in KINDS.items()}
    for slot, kinds in whole.items():
        schema["$defs"][slot] = _choice(kinds, _AGENT if slot == "agent" else {}, ["limits"] if slot == "agent" else [])
    schema["$defs"]["agent_overlay"] = _overlay(whole["agent"])
    return schema


_AGENT: Document = {
    "version": {"$ref": "#/$defs/word", "description": "version of the program, in quotes; a run refuses another"},
    "model": {"$ref": "#/$defs/word", "description": "full name of the model"},
    "limits": {"$ref": "#/$defs/limits"},
}


def _choice(kinds: Mapping[str, Kind], common: Document, required: list[str]) -> Document:
    """Write the schema of ``{kind: …}``: the kind's options and nothing else."""
    return {
        "type": "object",
        "required": ["kind", *required],
        "properties": {"kind": {"enum": list(kinds)}, **common},
        "allOf": [
            {
                "if": {"required": ["kind"], "properties": {"kind": {"const": name}}},
                "then": {
                    "description": kind.doc,
                    "additionalProperties": False,
                    "required": list(kind.required),
                    "properties": {"kind": True, **dict.fromkeys(common, True), **kind.options},
                },
            }
            for name, kind in kinds.items()
        ],
    }


def _overlay(agents: Mapping[str, Kind]) -> Document:
    """Write the schema of what an arm may change about the agent: any key of any kind, none required."""
    options: Document = {}
    for kind in agents.values():
        options |= kind.options
    common = {"kind": {"enum": list(agents)}, "version": _AGENT["version"], "model": _AGENT["model"]}
    return {
        "type": "object",
        "additionalProperties": False,
        "description": "what this arm changes about the agent",
        "properties": {**common, **options},
    }


def _mark(_validator: Any, _value: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """Mark a place: the schema alone knows where expressions and amounts stand, and its walk tells us."""
    if isinstance(instance, str) or not isinstance(instance, list | dict):
        yield ValidationError("")


def _mark_text(_validator: Any, _value: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str):
        yield ValidationError("")


def _mark_list(_validator: Any, _value: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        yield ValidationError("")


def _mark_any(_validator: Any, _value: Any, _instance: Any, _schema: Any) -> Iterator[ValidationError]:
    yield ValidationError("")


def _whole_pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """Match patterns as ECMA means them: ``$`` is the very end, which Python's is not."""
    if isinstance(instance, str) and not re.search(re.sub(r"\$\Z", r"\\Z", pattern), instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator: Any = extend(  # type: ignore[no-untyped-call] # jsonschema does not type it
    Draft202012Validator,
    {
        "x-expression": _mark,
        "x-dimension": _mark_text,
        "x-range": _mark_text,
        "x-pattern": _mark_text,
        "x-code": _mark_text,
        "x-measured": _mark,
        "x-distinct": _mark_list,
        "x-idle": _mark_any,
        "pattern": _whole_pattern,
    },
)


def judge(tree: Node, schema: Document | None = None) -> Shape:
    """Hold a tree against a schema, a spec's unless another one is given."""
    spans = Spans(tree)
    faults: dict[Diagnostic, None] = {}
    expressions: set[Path] = set()
    amounts: dict[Path, Dimension] = {}
    patterns: set[Path] = set()
    code: set[Path] = set()
    measured: dict[Path, bool | str] = {}
    distinct: dict[Path, str] = {}
    ranges: dict[Path, Dimension] = {}
    idle: dict[Path, str] = {}
    for error in _Validator(spec_schema() if schema is None else schema).iter_errors(plain(tree)):
        path: Path = tuple(error.absolute_path)
        if error.validator == "x-expression":
            expressions.add(path)
        elif error.validator == "x-dimension":
            amounts[path] = error.validator_value
        elif error.validator == "x-range":
            ranges[path] = error.validator_value
        elif error.validator == "x-pattern":
            patterns.add(path)
        elif error.validator == "x-code":
            code.add(path)
        elif error.validator == "x-measured":
            measured[path] = error.validator_value
        elif error.validator == "x-distinct":
            distinct[path] = error.validator_value
        elif error.validator == "x-idle":
            idle[path] = error.validator_value
        else:
            faults.update(dict.fromkeys(say(error, path, spans)))
    return Shape(
        faults=tuple(faults),
        expressions=frozenset(expressions),
        amounts=amounts,
        patterns=frozenset(patterns),
        code=frozenset(code),
        measured=measured,
        distinct=distinct,
        ranges=ranges,
        idle=idle,
    )
