"""The schema: valid itself, closed everywhere, described, and of the same shape as the model."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from spec_lang import model
from spec_lang.diagnostics import SpecErrors
from spec_lang.kinds import KINDS
from spec_lang.load import load
from spec_lang.option_schemas import Kind
from spec_lang.schema import extended_schema, spec_schema
from spec_lang.schema_faults import _FORMS, _SPEAKERS
from spec_lang.span import Source

FIXTURES = Path(__file__).parents[1] / "fixtures"


def parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from parts(each)
    elif isinstance(value, list):
        for each in value:
            yield from parts(each)


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(spec_schema())


def test_no_map_is_open_by_oversight() -> None:
    for part in parts(spec_schema()):
        if "properties" in part and "kind" not in part["properties"] and "per_task" not in part.get("required", []):
            assert part.get("additionalProperties") is False, part


def test_the_shape_is_the_model() -> None:
    defs = spec_schema()["$defs"]
    pairs = {
        "foreknowledge": model.Foreknowledge, "task_set": model.TaskSet, "draw": model.Draw, "exclusions": model.Exclusions,
        "prompts": model.Prompts, "oracle": model.Oracle, "limits": model.Limits, "arm": model.Arm, "trials": model.Trials,
        "collect": model.Collect, "missing": model.Missing, "missing_rule": model.MissingRule, "endpoint": model.Endpoint,
        "decision": model.Decision, "sample_size": model.SampleSize,
    }  # fmt: skip
    shapes = {name: (defs[name], noun) for name, noun in pairs.items()} | {"spec": (spec_schema(), model.Spec)}
    for name, (shape, noun) in shapes.items():
        assert set(shape["properties"]) == {each.name.rstrip("_") for each in fields(noun)}, name


def test_every_kind_is_described_and_its_required_options_exist() -> None:
    for slot, kinds in KINDS.items():
        for name, kind in kinds.items():
            assert kind.doc.endswith("."), (slot, name)
            assert set(kind.required) <= set(kind.options), (slot, name)
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
            for option, schema in kind.options.items():
                assert schema.get("description"), (slot, name, option)


def test_every_keyword_and_pattern_has_its_words() -> None:
    keywords = {
        key for part in parts(spec_schema()) for key in part if isinstance(part.get(key), str | int | list | dict)
    }
    faultable = {
        "required", "dependentRequired", "type", "enum", "const", "pattern", "not", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "minItems", "minProperties", "minLength", "oneOf", "additionalProperties",
    }  # fmt: skip
    assert keywords & faultable <= set(_SPEAKERS)
    patterns = {part["pattern"] for part in parts(spec_schema()) if isinstance(part.get("pattern"), str)}
    assert patterns - set(_FORMS) == {spec_schema()["$defs"]["draw"]["properties"]["sort"]["pattern"]}


LAYER = Kind(
    doc="A layer of another distribution.",
    options={
        "depth": {"type": "integer", "maximum": 9, "description": "how deep"},
        "marks": {
            "type": "array",
            "items": {"type": ["string", "null"]},
            "uniqueItems": True,
            "description": "no mark twice",
        },
        "within": {"type": "string", "x-dimension": "time", "description": "how long"},
    },
    required=("depth",),
)


def layered(options: str) -> Source:
    text = (FIXTURES / "task_outcome.yaml").read_text("utf-8")
    assert "{kind: none}" in text
    return Source(name="spec.yaml", text=text.replace("{kind: none}", f"{{kind: layer, {options}}}", 1))


def test_a_kind_of_another_distribution_is_read_as_our_own_are() -> None:
    loaded = load(layered("depth: 3, within: 10 min"), {"provider": {"layer": LAYER}})
    (arm,) = [each for each in loaded.spec.arms.values() if each.provider.kind == "layer"]
    assert arm.provider.options == {"depth": 3, "within": 600}
    with pytest.raises(SpecErrors) as caught:
        load(layered("depth: 3"))
    assert "layer" in caught.value.diagnostics[0].summary


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ("depht: 3", "P201", "depht"),
        ("within: 10 min", "P202", "depth"),
        ("depth: 10", "P206", "at most 9"),
        ("depth: 3, marks: [a, a]", "P205", "does not have its form"),
        ("depth: 3, marks: [1.5]", "P203", "text or null"),
        ("depth: 3, within: 10 USD", "P210", "10 USD"),
    ],
)
def test_whatever_it_asks_is_said_in_words(options: str, code: str, words: str) -> None:
    with pytest.raises(SpecErrors) as caught:
        load(layered(options), {"provider": {"layer": LAYER}})
    assert code in [each.code for each in caught.value.diagnostics]
    assert words in " ".join(each.summary for each in caught.value.diagnostics)


def test_no_kind_of_ours_is_replaced() -> None:
    whole = extended_schema({"provider": {"none": LAYER, "layer": LAYER}})
    branches = {each["if"]["properties"]["kind"]["const"]: each["then"] for each in whole["$defs"]["provider"]["allOf"]}
    assert set(branches["layer"]["properties"]) == {"kind", *LAYER.options}
    assert set(branches["none"]["properties"]) == {"kind"}
