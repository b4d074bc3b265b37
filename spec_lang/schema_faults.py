"""Faults of shape in the author's words: which key, what is wrong with it, what was probably meant."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
    "P207": "a list, map or text is empty, too short or too long",
    "P208": "keys that exclude each other, or none of them",
}

_TYPES: Mapping[str, str] = {
    "object": "a map",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_FORMS: Mapping[str, tuple[str, str]] = {
    "^[a-z][a-z0-9_]*$": ("is not a name", "small letters, digits and `_`, a letter first; a hyphen is a minus"),
    r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$": (
        "is not the name of an endpoint",
        "write `solved`, or within a level `solved.gpt`",
    ),
    "^[0-9a-f]{40}$": ("is not a full commit id", "40 digits and letters a-f, in quotes"),
    "^sha256:[0-9a-f]{64}$": ("is not a digest", "`sha256:` and 64 digits and letters a-f, in quotes"),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": ("is not a day", 'write "2026-07-01", in quotes'),
    "^[A-Za-z_][A-Za-z0-9_]*$": (
        "is not the name of a variable",
        "letters, digits and `_`, no digit first: `MODEL_API_KEY`",
    ),
    "^[a-z0-9][a-z0-9._-]*$": ("is not an id", "small letters, digits, `.`, `_` and `-`"),
    "^[A-Za-z0-9][A-Za-z0-9._-]*$": ("is not the name of a file", "letters, digits, `.`, `_` and `-`"),
    "^[A-Za-z][A-Za-z0-9_-]*$": ("is not the name of a server", "letters, digits, `_` and `-`, a letter first"),
    r"^(?!/)(?!(.*/)?\.\.?/)[^*?\[\]\\]+\.(py|pyi|ts|tsx|mts|cts|js|jsx|mjs|cjs)$": (
        "is not one file of Python, TypeScript or JavaScript",
        "its path in the workspace, without a glob: `src/shop.py`",
    ),
    r"^(?!/)(?!(.*/)?\.\.?/)[^*?]+$": ("is not one file of the workspace", "its path, without a glob: `docs/long.txt`"),
    r"^[^\n\r\t]*[^\s][^\n\r\t]*$": ("names nobody", "one line that says who judged"),
    r"^$|\S": ("says nothing", "why a judgment that stands is revised"),
    r"^https?://[^\s]+$": ("is not an address", "write `https://…`; no secret in it"),
    "^[^:\\s]+:[A-Za-z_$][A-Za-z0-9_$]*$": ("does not say where it is defined", "write `package.module:name`"),
    "^all$": ("is not a number or `all`", "write a whole number, or `all`"),
    "^at$": ("is neither `at` nor a list of full commit ids", "write `at`"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One fault as the validator found it: the keyword that was broken, what it asks for, and the value at fault."""

    keyword: str
    asked: Any
    value: Any
    schema: Mapping[str, Any]
    in_key: bool
    """Whether the value is a key of the map at the path, not a value."""


def say(error: ValidationError, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    """Put one fault that the schema found into words, at its place."""
    assert isinstance(error.schema, Mapping)
    fault = Fault(
        keyword=str(error.validator),
        asked=error.validator_value,
        value=error.instance,
        schema=error.schema,
        in_key="propertyNames" in error.absolute_schema_path,
    )
    # The options of other distributions may be described with any keyword of JSON Schema.
    yield from _SPEAKERS.get(fault.keyword, _other)(fault, path, spans)


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


def _unknown_key(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    known = list(fault.schema.get("properties", {}))
    for key in fault.value:
        if key not in known:
            summary = f"unknown key `{key}`{_place(path)}"
            advice = hint(key, known, what="keys here")
            yield Diagnostic(code="P201", summary=summary, span=spans.key(*path, key), hint=advice)


def _missing(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    properties = fault.schema.get("properties", {})
    for key in fault.asked:
        if key not in fault.value:
            about = properties.get(key)
            doc = about.get("description") if isinstance(about, dict) else None
            summary = f"`{key}` is missing{_place(path)}"
            yield Diagnostic(code="P202", summary=summary, span=_head(path, spans), detail=doc)


def _dependent(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    for key, needed in fault.asked.items():
        for each in needed:
            if key in fault.value and each not in fault.value:
                summary = f"`{key}` needs `{each}` beside it"
                yield Diagnostic(code="P202", summary=summary, span=spans.key(*path, key))


def _head(path: Path, spans: Spans) -> Span:
    """Show a map by its key; the document by its first line."""
    return spans.key(*path)


def _type(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    wanted = fault.asked if isinstance(fault.asked, list) else [fault.asked]
    if "number" in wanted and "integer" in wanted:
        wanted = [each for each in wanted if each != "integer"]
    got, dimension = fault.value, fault.schema.get("x-dimension")
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


def _choice(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    possible = fault.asked if isinstance(fault.asked, list) else [fault.asked]
    words = [str(each) for each in possible]
    what = "unknown kind " if path and path[-1] == "kind" else ""
    summary = f"{what}{_shown(fault.value)}" if what else f"{_shown(fault.value)} is not possible here"
    near = nearest(str(fault.value), words)
    listed = ", ".join(f"`{each}`" for each in words)
    advice = f"nearest: `{near}`; possible: {listed}" if near and len(words) > 1 else f"possible: {listed}"
    yield Diagnostic(code="P204", summary=summary, span=spans.at(*path), hint=advice)


def _form(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    if fault.keyword == "not":
        what, advice = "is a word of the expression language", "take another name"
    else:
        what, advice = _FORMS.get(fault.asked, ("does not have its form", fault.schema.get("description", "")))
    span = spans.key(*path, fault.value) if fault.in_key else spans.at(*path)
    yield Diagnostic(code="P205", summary=f"{_shown(fault.value)} {what}", span=span, hint=advice or None)


def _other(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    asked = f"{fault.keyword}: {fault.asked}"
    about = fault.schema.get("description")
    summary = f"{_shown(fault.value)} does not have its form"
    yield Diagnostic(code="P205", summary=summary, span=spans.at(*path), detail=asked, hint=about)


def _bound(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    value, schema = fault.value, fault.schema
    if "exclusiveMaximum" in schema:
        summary = f"`{value}` must lie between {schema['exclusiveMinimum']} and {schema['exclusiveMaximum']}"
        advice = f"write `{_hundredth(value)}`" if 1 < value < 100 else None
    else:
        word = "at least" if fault.keyword.lower().endswith("minimum") else "at most"
        summary, advice = f"`{value}` must be {word} {fault.asked}", None
    yield Diagnostic(code="P206", summary=summary, span=spans.at(*path), hint=advice)


def _short(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    least = fault.asked
    what = "must not be empty" if least == 1 else f"needs at least {least}"
    name = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "this"
    yield Diagnostic(code="P207", summary=f"{name} {what}", span=spans.at(*path))


def _long(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    name = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "this"
    yield Diagnostic(code="P207", summary=f"{name} has more than {fault.asked}", span=spans.at(*path))


def _one_of(fault: Fault, path: Path, spans: Spans) -> Iterator[Diagnostic]:
    if not isinstance(fault.value, dict):
        return  # that it is no map is told already
    keys = [key for branch in fault.asked for key in branch["required"]]
    there = [key for key in keys if key in fault.value]
    listed = ", ".join(f"`{key}`" for key in keys)
    summary = f"exactly one of {listed} stands here, not {len(there)}"
    span = spans.key(*path, there[-1]) if there else _head(path, spans)
    yield Diagnostic(code="P208", summary=summary, span=span)


_SPEAKERS: Mapping[str, Callable[[Fault, Path, Spans], Iterator[Diagnostic]]] = {
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
    "maxItems": _long,
    "minProperties": _short,
    "minLength": _short,
    "oneOf": _one_of,
}
