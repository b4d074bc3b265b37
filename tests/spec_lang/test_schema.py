"""The schema: valid itself, closed everywhere, described, and of the same shape as the model."""

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from jsonschema import Draft202012Validator

from spec_lang import model
from spec_lang.kinds import KINDS
from spec_lang.schema import spec_schema
from spec_lang.schema_faults import _FORMS, _SPEAKERS


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
