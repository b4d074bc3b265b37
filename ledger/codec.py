"""Between frozen nouns and plain JSON, strictly: nothing is coerced, ignored or left out."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec
from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    ClassValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationError,
)
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, mapping_structure_factory, override

from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain

T = TypeVar("T")

_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", re.ASCII)


def decimal_text(number: Decimal) -> str:
    """Write a decimal in its one normal form: no exponent, no trailing zeros, no plus, no negative zero.

    Raises:
        ValueError: The number is NaN or infinite.
    """
    if not number.is_finite():
        raise ValueError(f"{number} is not a number that can be written down")
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def to_plain(noun: object) -> Plain:
    """Write a frozen dataclass as plain data: every field, also None; decimals as strings; tuples as lists.

    Field names lose a trailing underscore.
    """
    plain: Plain = _CONVERTER.unstructure(noun)
    return plain


def from_plain(cls: type[T], value: Plain, *, where: str) -> T:
    """Build a noun from plain data; ``where`` names the document in faults.

    A field that is absent takes its default, so that documents of older versions stay readable.

    Raises:
        IntegrityFault: Code ``shape``: an unknown or missing key, or a value of another type; one fault per place,
            whose ``where`` is the key path.
    """
    try:
        return _CONVERTER.structure(value, cls)
    except (BaseValidationError, TypeError, ValueError) as problem:
        found = tuple(_flat(problem, ""))
    raise IntegrityFault(
        *(
            Fault(
                code="shape",
                what=f"{where} does not have the shape of {cls.__name__}: {message}",
                where=f"{where}: {path.lstrip('.')}" if path else where,
                hint="it was altered, or written by a version that this one does not know",
            )
            for path, message in found
        )
    )


def _flat(problem: BaseException, path: str) -> Iterator[tuple[str, str]]:
    """Give each fault inside nested validation errors as (key path, message)."""
    if isinstance(problem, ClassValidationError | IterableValidationError):
        noted, bare = problem.group_exceptions()
        for inner, note in noted:
            step = f".{note.name.rstrip('_')}" if isinstance(note, AttributeValidationNote) else f"[{note.index!r}]"
            yield from _flat(inner, path + step)
        for inner in bare:
            yield from _flat(inner, path)
    elif isinstance(problem, ForbiddenExtraKeysError):
        yield from ((path, f"key {name!r} is unknown") for name in sorted(problem.extra_fields))
    elif isinstance(problem, KeyError):
        yield path, f"key {problem.args[0]!r} is missing"
    else:
        yield path, str(problem)


class _RefusedError(TypeError):
    """A value of another type than the field asks for."""

    def __init__(self, expected: str, got: object) -> None:
        super().__init__(f"expected {expected}, got {_name(got)}")


def _name(value: object) -> str:
    """Name a value as JSON would."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, int):
        return f"the number {value}"
    return "an object" if isinstance(value, Mapping) else "a list" if isinstance(value, list) else type(value).__name__


def _exactly(kind: type, name: str) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise _RefusedError(name, value)
        return value

    return structure


def _read_decimal(value: Any, _: Any) -> Decimal:
    if type(value) is not str or _DECIMAL.fullmatch(value) is None or value == "-0":
        raise _RefusedError("a decimal string in normal form", value)
    return Decimal(value)


def _write_plain(value: Any) -> Any:
    """Write data that has no noun: lists and objects of plain values, decimals and nouns."""
    if isinstance(value, Mapping):
        return {key: _write_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_write_plain(each) for each in value]
    if isinstance(value, Decimal):
        return decimal_text(value)
    return to_plain(value) if is_dataclass(value) else value


def _is_plain(kind: Any) -> bool:
    return kind is object or kind == Plain


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_mapping(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _could_be(kind: Any, value: Any) -> bool:
    """Say whether a value has the JSON type in which a kind is written."""
    if kind is type(None):
        return value is None
    if is_dataclass(kind) or _is_mapping(kind):
        return isinstance(value, Mapping)
    if _is_tuple(kind):
        return isinstance(value, list | tuple)
    return type(value) is (str if kind is Decimal or get_origin(kind) is Literal else kind)


def _union_reader(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    """Decide by the JSON type of the value: members of our unions never share one."""
    members = get_args(kind)
    expected = " or ".join("null" if each is type(None) else getattr(each, "__name__", str(each)) for each in members)

    def structure(value: Any, _: Any) -> Any:
        for member in members:
            if _could_be(member, value):
                return None if value is None else converter.structure(value, member)
        raise _RefusedError(expected, value)

    return structure


def _tuple_reader(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    inner = cast("Any", list)[get_args(kind)[0]]
    keys = _keys_of_leaves(get_args(kind)[0])

    def structure(value: Any, _: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise _RefusedError("a list", value)
        if keys and all(type(each) is dict and len(each) == keys for each in value):
            with suppress(msgspec.ValidationError):  # cattrs says what is wrong, and where
                return msgspec.convert(value, kind)
        return tuple(converter.structure(value, inner))

    return structure


def _keys_of_leaves(kind: Any) -> int:
    """Count the keys of a noun that holds nothing but texts, whole numbers and flags; else 0.

    A plan lists many thousands of such nouns, which ``msgspec`` builds in a tenth of the time, and as strictly.
    """
    found = fields(kind) if is_dataclass(kind) else ()
    plain = all(each.type in (str, int, bool) and not each.name.endswith("_") for each in found)
    whole = all(each.default is MISSING and each.default_factory is MISSING for each in found)
    return len(found) if plain and whole else 0  # where a key may be absent, another could stand in its place


def _mapping_reader(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    build = mapping_structure_factory(kind, converter, structure_to=dict)

    def structure(value: Any, _: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _RefusedError("an object", value)
        return build(value, kind)

    return structure


def _literal_reader(kind: Any, _: Converter) -> Callable[[Any, Any], Any]:
    allowed = get_args(kind)

    def structure(value: Any, _: Any) -> Any:
        if not any(type(value) is type(each) and value == each for each in allowed):
            raise _RefusedError(f"one of {', '.join(map(str, allowed))}", value)
        return value

    return structure


def _keys(noun: type) -> dict[str, Any]:
    return {each.name: override(rename=each.name.rstrip("_")) for each in fields(noun)}


def _noun_reader(noun: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    build = make_dict_structure_fn(noun, converter, _cattrs_forbid_extra_keys=True, **_keys(noun))

    def structure(value: Any, kind: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _RefusedError("an object", value)
        return build(value, kind)

    return structure


def _noun_writer(noun: Any, converter: Converter) -> Callable[[Any], Any]:
    return make_dict_unstructure_fn(noun, converter, **_keys(noun))


def _converter() -> Converter:
    """Build the one converter: cattrs does the nouns, and every leaf is taken only when it is exactly of its type."""
    made = Converter(detailed_validation=True)
    for kind, name in ((str, "text"), (int, "an integer"), (bool, "true or false")):
        made.register_structure_hook(kind, _exactly(kind, name))
    made.register_structure_hook(Decimal, _read_decimal)
    made.register_structure_hook_factory(_is_literal, _literal_reader)
    made.register_structure_hook_factory(_is_tuple, _tuple_reader)
    made.register_structure_hook_factory(_is_mapping, _mapping_reader)
    made.register_structure_hook_factory(_is_union, _union_reader)
    made.register_structure_hook_factory(is_dataclass, _noun_reader)
    made.register_structure_hook_func(_is_plain, lambda value, _: value)  # a parsed document is plain already
    made.register_unstructure_hook_func(lambda _: True, _write_plain)
    made.register_unstructure_hook_factory(is_dataclass, _noun_writer)
    return made


_CONVERTER = _converter()
