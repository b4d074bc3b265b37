"""The shape of a kind of plugin, and small JSON Schemas for the options of kinds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Schema: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One kind: what it is, the schemas of its options, and which of them must be given.

    An option whose schema has ``x-dimension`` is written with its unit (``10 min``) and arrives in base units (600).
    """

    doc: str
    options: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()


def text(doc: str) -> Schema:
    """A text that is not empty."""
    return {"type": "string", "minLength": 1, "description": doc}


def one_of(doc: str, *values: str) -> Schema:
    """One of some words."""
    return {"enum": list(values), "description": doc}


def amount(doc: str, dimension: str) -> Schema:
    """An amount with its unit."""
    return {"type": "string", "x-dimension": dimension, "description": doc}


def whole(doc: str, least: int) -> Schema:
    """A whole number."""
    return {"type": "integer", "minimum": least, "description": doc}


def list_of(doc: str, items: Schema, *, least: int = 0) -> Schema:
    """A list."""
    return {"type": "array", "items": items, "minItems": least, "description": doc}


def map_of(doc: str, values: Schema) -> Schema:
    """A map with free keys."""
    return {"type": "object", "additionalProperties": values, "description": doc}


WORD: Schema = {"type": "string"}
