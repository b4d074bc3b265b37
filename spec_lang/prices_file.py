"""Prices of tokens: strict YAML or JSON, held against its own schema, every fault at its place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path as File
from typing import Any, cast

from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.schema import Document, judge
from spec_lang.span import Source
from spec_lang.yaml_tree import MapNode, Node, plain, read_tree


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceTable:
    """Prices of a million tokens in USD: model → kind of token (``input``, ``output``, ``cache_read``, …) → price, right on ``as_of``."""

    as_of: str
    models: Mapping[str, Mapping[str, Decimal]]


@cache
def prices_schema() -> Document:
    """Give the JSON Schema (2020-12) of a price table."""
    schema: Document = json.loads((File(__file__).parent / "prices.schema.json").read_text(encoding="utf-8"))
    return schema


def read_prices(source: Source) -> PriceTable:
    """Read a price table.

    Raises:
        SpecErrors: Everything that is wrong with its shape; a fault of syntax comes alone.
    """
    tree = read_tree(source)
    bag = Bag()
    bag.extend(judge(tree, prices_schema()).faults)
    bag.raise_errors()
    read = cast("Mapping[str, Any]", plain(tree))
    _refuse_no_day(str(read["as_of"]), tree)
    return PriceTable(
        as_of=str(read["as_of"]),
        models={
            model: {kind: Decimal(prices[kind]) for kind in sorted(prices)}
            for model, prices in sorted(read["models"].items())
        },
    )


def _refuse_no_day(text: str, tree: Node) -> None:
    """Refuse a day that never was. Raises SpecErrors."""
    try:
        date.fromisoformat(text)
    except ValueError:
        place = tree.get("as_of") if isinstance(tree, MapNode) else None
        summary = f"`{text}` is a day that never was"
        hint = "the day on which these were the prices"
        raise SpecErrors([Diagnostic(code="P205", summary=summary, span=(place or tree).span, hint=hint)]) from None
