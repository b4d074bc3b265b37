"""The one byte form of a document: RFC 8785 over JSON without floats, and the strict reader of it."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import NoReturn

import msgspec
import rfc8785

from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain

LARGEST = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8785, 3.2.2.3)."""

DEEPEST = 64
"""How many lists and objects may stand inside one another."""


def canonical(value: Plain) -> bytes:
    """Give the RFC 8785 bytes of a value, without a line feed.

    Raises:
        ValueError: The value is not Plain: a float, an integer beyond ±(2^53 - 1), a key that is no string, a lone
            surrogate, a subclass of a plain type (its text could differ from its value), or deeper than 64.
            The message names the key path.
    """
    return rfc8785.dumps(_checked(value, "$", 0))


def digest(data: bytes) -> str:
    """Give the SHA-256 of some bytes as it is written everywhere: ``sha256:<64 hex>``."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def parse(data: bytes, *, where: str) -> Plain:
    """Read a canonical document; ``where`` names it in faults.

    Raises:
        IntegrityFault: The bytes are not UTF-8, not JSON, hold a doubled key, a float, NaN or a large integer, or are
            not the canonical bytes of what they say (code ``not-canonical``).
    """
    try:
        text = data.decode("utf-8")
        plainly = parsed_at_once(text)
        if plainly is not None:
            return plainly
        value: Plain = json.loads(
            text,
            object_pairs_hook=_without_doubles,
            parse_int=_integer,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
        expected = canonical(value)
    except (ValueError, RecursionError) as problem:  # a UnicodeDecodeError and a JSONDecodeError are ValueErrors
        raise IntegrityFault(
            Fault(
                code="not-canonical",
                what=f"{where} is not a canonical JSON document: {problem}",
                expected="UTF-8 JSON in RFC 8785 form, without floats and doubled keys",
                got=_excerpt(data),
                where=where,
                hint=_why_odd(data),
            )
        ) from problem
    if expected != data:
        raise IntegrityFault(
            Fault(
                code="not-canonical",
                what=f"{where} holds other bytes than the canonical form of what it says",
                expected=digest(expected),
                got=digest(data),
                where=where,
                hint=_why_odd(data),
            )
        )
    return value


def parsed_at_once(text: str) -> Plain:
    """Read a document by the routines of ``msgspec``; None where that proves nothing (not a map or list).

    Written out again, a document comes back the same only when it is canonical: doubled or unordered keys, white space and
    other spellings of text would not. What ``msgspec`` would write and RFC 8785 over integers does not is kept away: a float,
    an integer of so many digits that it may be too large, more depth than there may be, and characters beyond the plane
    in which UTF-16 orders keys as their code points do.
    """
    if text[:1] not in ("{", "[") or _LONG_NUMBER.search(text) is not None:
        return None
    if not (text.isascii() or _BEYOND.search(text) is None):
        return None
    try:
        value: Plain = _READER.decode(text)
        if text.count("[") + text.count("{") > DEEPEST and not _shallow(value, 0):
            return None
        return value if _WRITER.encode(value).decode() == text else None
    except (msgspec.DecodeError, RecursionError):
        return None  # the strict reader says what is wrong


def _shallow(value: Plain, depth: int) -> bool:
    """Say whether nothing inside a value that stands at some depth stands too deep."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not inner:
        return True
    if depth >= DEEPEST:
        return False
    deeper = [each for each in inner if type(each) in (dict, list)]
    return not deeper or all(_shallow(each, depth + 1) for each in deeper)


def _checked(value: object, path: str, depth: int) -> Plain:
    """Copy a value into what rfc8785 takes, refusing what that library lets pass."""
    if depth > DEEPEST:
        raise ValueError(f"{path} is deeper than {DEEPEST}")
    if value is None or type(value) is bool:
        return value
    if type(value) is int:
        if abs(value) > LARGEST:
            raise ValueError(f"{path} is an integer beyond ±(2^53 - 1); write it as a decimal string")
        return value
    if type(value) is str:
        _refuse_surrogates(value, path)
        return value
    if isinstance(value, list | tuple):
        return [_checked(each, f"{path}[{place}]", depth + 1) for place, each in enumerate(value)]
    if isinstance(value, Mapping):
        copy: dict[str, Plain] = {}
        for key, each in value.items():
            if type(key) is not str:
                raise ValueError(f"{path} has a key that is no string: {key!r}")
            _refuse_surrogates(key, path)
            copy[key] = _checked(each, f"{path}.{key}", depth + 1)
        return copy
    raise ValueError(f"{path} is a {type(value).__name__}, which no canonical document holds")


def _refuse_surrogates(text: str, path: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise ValueError(f"{path} holds a lone surrogate at character {problem.start}") from problem


def _without_doubles(pairs: list[tuple[str, Plain]]) -> dict[str, Plain]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"doubled key {next(name for name in names if names.count(name) > 1)!r}")
    return found


def _integer(text: str) -> int:
    # Python refuses to convert very long digit strings by a ValueError of its own, so length is no danger here.
    number = int(text)
    if abs(number) > LARGEST:
        raise ValueError(f"integer beyond ±(2^53 - 1): {text[:32]}")
    return number


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"number {text[:32]} is not an integer; decimals are written as strings")


_READER = msgspec.json.Decoder(float_hook=_refuse_number)
_WRITER = msgspec.json.Encoder(order="sorted")
_LONG_NUMBER = re.compile(r"[:,[]-?[0-9]{16,}[],}]")
_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def _excerpt(data: bytes) -> str:
    return repr(data if len(data) <= 80 else data[:77] + b"...")


def _why_odd(data: bytes) -> str:
    """Name the usual innocent cause, so that nobody hunts for a forger when a tool rewrote line ends."""
    if data.startswith(b"\xef\xbb\xbf"):
        return "it starts with a byte order mark: an editor saved it; restore the original file"
    if b"\r" in data:
        return "it holds carriage returns: line ends were converted (git autocrlf?); restore the original bytes"
    if data.endswith(b"\n"):
        return "it ends with a line feed that an editor added; restore the original file"
    return "restore the original file"
