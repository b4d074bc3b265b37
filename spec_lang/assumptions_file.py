"""Assumptions of an author about the trials: strict YAML, held against their own schema, every fault at its place."""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from math import log
from pathlib import Path as File
from typing import Any

from spec_lang.build import read_leaves
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.kinds import KINDS
from spec_lang.quantity import Quantity
from spec_lang.schema import Document, judge, spec_schema
from spec_lang.span import Source, Span
from spec_lang.spans import Path, Spans
from spec_lang.yaml_tree import Plainest, plain, read_tree

CODES: Mapping[str, str] = {
    "P217": "an assumption that cannot be: a share above 100 %, an amount of nothing, a spread without end"
}

SHARES = ("solve", "harness_failure", "timeout", "hooks", "touched_gold", "within_task")
"""Keys of a profile that are shares of 100 %."""

AMOUNTS = ("cost", "time")
"""Keys of a profile that are positive amounts with a median."""

_WIDEST = 5
"""No spread of a logarithm is wider: one trial in six would be 148 times the median or more."""


@cache
def assumptions_schema() -> Document:
    """Give the JSON Schema (2020-12) of an assumptions file; its profiles are those of the simulated agent."""
    schema: Document = json.loads((File(__file__).parent / "assumptions.schema.json").read_text(encoding="utf-8"))
    spec = spec_schema()["$defs"]
    profile: Any = KINDS["agent"]["simulated"].options["profiles"]["additionalProperties"]
    change = {key: value for key, value in profile.items() if key != "required"}
    shared = ("name", "names", "simulated_cost", "simulated_time")
    schema["$defs"] = {"profile": profile, "change": change, **{name: spec[name] for name in shared}}
    return schema


def read_assumptions(source: Source) -> tuple[Mapping[str, Plainest], Spans]:
    """Read an assumptions file: plain data whose amounts are decimals in base units (s, USD, 1), and where all of it stands.

    Raises:
        SpecErrors: Everything that is wrong with its shape, its amounts and its rates; a fault of syntax comes alone.
    """
    tree = read_tree(source)
    shape = judge(tree, assumptions_schema())
    bag = Bag()
    bag.extend(shape.faults)
    leaves = read_leaves(tree, shape, bag)
    bag.raise_errors()
    amounts = {path: leaf.base for path, leaf in leaves.items() if isinstance(leaf, Quantity)}
    read = _in_base_units(plain(tree), amounts, ())
    assert isinstance(read, dict)
    spans = Spans(tree)
    bag.extend(_impossible(read, spans))
    bag.raise_errors()
    return read, spans


def impossible_rates(profile: Mapping[str, Any], at: tuple[str, ...], spans: Spans) -> Iterator[Diagnostic]:
    """Say which rates of a profile cannot be; ``at`` is its key path, its amounts are in base units or in words."""
    for key in sorted(profile):
        value = profile[key]
        if key in SHARES and _number(value) > 1:
            what = f"`{_percent(value)}` for `{key}`: a share is at most 100 %"
            yield Diagnostic(code="P217", summary=what, span=spans.at(*at, key), hint="write one of 0 % … 100 %")
        elif key in AMOUNTS and isinstance(value, Mapping):
            if _number(value["median"]) == 0:
                yield _nothing(key, spans.at(*at, key, "median"))
            if _number(value.get("spread", 0)) > _WIDEST:
                what = f"a spread of {value['spread']} for `{key}`: one trial in six would be {_times(value['spread'])} times the median"
                hint = "it is the standard deviation of the logarithm: 0.35"
                yield Diagnostic(code="P217", summary=what, span=spans.at(*at, key, "spread"), hint=hint)
        elif key in ("turns", "tool_calls") and value == 0:
            yield _nothing(key, spans.at(*at, key))


def _nothing(key: str, span: Span) -> Diagnostic:
    hint = f"leave `{key}` out where it is not known"
    return Diagnostic(code="P217", summary=f"a median of nothing for `{key}`", span=span, hint=hint)


def _impossible(read: Mapping[str, Any], spans: Spans) -> Iterator[Diagnostic]:
    for arm in sorted(read["arms"]):
        yield from impossible_rates(read["arms"][arm], ("arms", arm), spans)
    for name, scenario in sorted(read.get("scenarios", {}).items()):
        for arm, change in sorted(scenario.get("arms", {}).items()):
            yield from impossible_rates(change, ("scenarios", name, "arms", arm), spans)


def _in_base_units(value: Any, amounts: Mapping[Path, Decimal], path: Path) -> Any:
    if isinstance(value, dict):
        return {key: _in_base_units(each, amounts, (*path, key)) for key, each in value.items()}
    if isinstance(value, list):
        return [_in_base_units(each, amounts, (*path, place)) for place, each in enumerate(value)]
    return amounts.get(path, value)


def _number(value: object) -> Decimal:
    return Decimal(str(value))


def _times(spread: object) -> str:
    """Give e to this power in words short enough for a line."""
    powers = float(_number(spread)) / log(10)
    return f"{10**powers:.3g}" if powers < 6 else f"10^{powers:.0f}"


def _percent(value: object) -> str:
    return f"{(_number(value) * 100).normalize():f} %"
