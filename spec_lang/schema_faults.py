"""Faults of shape in the author's words: which key, what is wrong with it, what was probably meant."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from jsonschema.exceptions import ValidationError

from spec_lang.amounts import EXAMPLES
from spec_lang.diagnostics import Diagnostic
from spec_lang.nearest import hint, nearest
from spec_lang.span import Span
from spec_lang.spans import Path, Spans

CODES: Mapping[str, str] = {
    "P201": "a key is not known at this place",
    "P202": "a key is missing",
    "P203": "a value has the wrong type",
    "P204": "a value is not one of those that are possible",
    "P205": "a name or a text does not have its form",
    "P206": "a number is too small or too large",
    "P207": "a list, map or text is empty or too short",
    "P208": "keys that exclude each other, or none of them",
}

_TYPES: Mapping[str, str] = {
    "object": "a map",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_FORMS: Mapping[str, tuple[str, str]] = {
    "^[a-z][a-z0-9_]*$": ("is not a name", "small letters, digits and `_`, a letter first; a hyphen is a minus"),
    "^[0-9a-f]{40}$": ("is not a full commit id", "40 digits and letters a-f, in quotes"),
    "^sha256:[0-9a-f]{64}$": ("is not a digest", "`sha256:` and 64 digits and letters a-f, in quotes"),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": ("is not a day", 'write "2026-07-01", in quotes'),
    "^[a-z0-9][a-z0-9._-]*$": ("is not an id", "small letters, digits, `.`, `_` and `-`"),
    "^all$": ("is not a number or `all`", "write a whole number, or `all`"),
    "^at$": ("is neither `at` nor a list of full commit ids", "write `at`"),
}


def say(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    """Put one fault that the schema found into words, at its place."""
    speaker = _SPEAKERS.get(str(error.validator))
    if speaker is None:
        yield Diagnostic(code="P203", summary=error.message, span=spans.at(*path))
    else:
        yield from speaker(error, path, spans)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, dict):
        return "a map"
    return "a list" if isinstance(value, list) else f"`{value}`"


def _place(path: Path) -> str:
    """Name the map that a path leads to, for "… is missing in …"."""
    words = [str(step) if isinstance(step, str) else f"item {step + 1}" for step in path]
    return f" in `{'.'.join(words)}`" if words else ""


def _unknown_key(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    known = [key for key in error.schema.get("properties", {})]
    for key in error.instance:
        if key not in known:
            summary = f"unknown key `{key}`{_place(path)}"
            advice = hint(key, known, what="keys here")
            yield Diagnostic(code="P201", summary=summary, span=spans.key(*path, key), hint=advice)


def _missing(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    properties = error.schema.get("properties", {})
    for key in error.validator_value:
        if key not in error.instance:
            about = properties.get(key)
            doc = about.get("description") if isinstance(about, dict) else None
            summary = f"`{key}` is missing{_place(path)}"
            yield Diagnostic(code="P202", summary=summary, span=_head(path, spans), detail=doc)


def _dependent(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    for key, needed in error.validator_value.items():
        for each in needed:
            if key in error.instance and each not in error.instance:
                summary = f"`{key}` needs `{each}` beside it"
                yield Diagnostic(code="P202", summary=summary, span=spans.key(*path, key))


def _head(path: Path, spans: Spans) -> Span:
    """Show a map by its key; the document by its first line."""
    return spans.key(*path)


def _type(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    wanted = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    if "number" in wanted and "integer" in wanted:
        wanted = [each for each in wanted if each != "integer"]
    got, dimension = error.instance, error.schema.get("x-dimension")
    needed = "an amount with its unit" if dimension else " or ".join(_TYPES[each] for each in wanted)
    summary = f"{_shown(got)}: {needed} is needed here"
    advice = f"write it like `{EXAMPLES[dimension]}`" if dimension else _advice(wanted, got)
    yield Diagnostic(code="P203", summary=summary, span=spans.at(*path), hint=advice)


def _advice(wanted: list[str], got: object) -> str | None:
    scalar = not isinstance(got, dict | list)
    if "string" in wanted and scalar:
        return f'put it in quotes: "{_shown(got)[1:-1]}"'
    if wanted == ["array"] and scalar:
        return f"write a list: [{_shown(got)[1:-1]}]"
    if wanted == ["object"] and isinstance(got, str):
        return f"write `{{kind: {got}}}` if that is a kind"
    if wanted == ["number"] and isinstance(got, str) and got.rstrip(" %").replace(".", "", 1).isdigit():
        return f"write `{_hundredth(Decimal(got.rstrip(' %')))}`" if "%" in got else "take the quotes away"
    if wanted == ["integer"] and isinstance(got, str) and got.isdigit():
        return "take the quotes away"
    return None


def _hundredth(value: Decimal | int) -> str:
    return format((Decimal(value) / 100).normalize(), "f")


def _choice(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    possible = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    words = [str(each) for each in possible]
    what = "unknown kind " if path and path[-1] == "kind" else ""
    summary = f"{what}{_shown(error.instance)}" if what else f"{_shown(error.instance)} is not possible here"
    near = nearest(str(error.instance), words)
    listed = ", ".join(f"`{each}`" for each in words)
    advice = f"nearest: `{near}`; possible: {listed}" if near and len(words) > 1 else f"possible: {listed}"
    yield Diagnostic(code="P204", summary=summary, span=spans.at(*path), hint=advice)


def _form(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    what, advice = _FORMS.get(error.validator_value, ("does not have its form", error.schema.get("description", "")))
    if error.validator == "not":
        what, advice = "is a word of the expression language", "take another name"
    # A key's own fault comes without the key in its path.
    is_key = "propertyNames" in error.absolute_schema_path
    span = spans.key(*path, error.instance) if is_key else spans.at(*path)
    yield Diagnostic(code="P205", summary=f"{_shown(error.instance)} {what}", span=span, hint=advice or None)


def _bound(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    value, schema = error.instance, error.schema
    if "exclusiveMaximum" in schema:
        summary = f"`{value}` must lie between {schema['exclusiveMinimum']} and {schema['exclusiveMaximum']}"
        advice = f"write `{_hundredth(value)}`" if 1 < value < 100 else None
    else:
        word = "at least" if str(error.validator).lower().endswith("minimum") else "at most"
        summary, advice = f"`{value}` must be {word} {error.validator_value}", None
    yield Diagnostic(code="P206", summary=summary, span=spans.at(*path), hint=advice)


def _short(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    least = error.validator_value
    what = "must not be empty" if least == 1 else f"needs at least {least}"
    name = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "this"
    yield Diagnostic(code="P207", summary=f"{name} {what}", span=spans.at(*path))


def _one_of(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    keys = [key for branch in error.validator_value for key in branch["required"]]
    there = [key for key in keys if key in error.instance]
    listed = ", ".join(f"`{key}`" for key in keys)
    summary = f"exactly one of {listed} stands here, not {len(there)}"
    span = spans.key(*path, there[-1]) if there else _head(path, spans)
    yield Diagnostic(code="P208", summary=summary, span=span)


_SPEAKERS: Mapping[str, Callable[[Any, Path, Spans], Iterator[Diagnostic]]] = {
    "additionalProperties": _unknown_key,
    "required": _missing,
    "dependentRequired": _dependent,
    "type": _type,
    "enum": _choice,
    "const": _choice,
    "pattern": _form,
    "not": _form,
    "minimum": _bound,
    "maximum": _bound,
    "exclusiveMinimum": _bound,
    "exclusiveMaximum": _bound,
    "minItems": _short,
    "minProperties": _short,
    "minLength": _short,
    "oneOf": _one_of,
}
