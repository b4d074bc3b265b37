"""verdict.json: a verdict as canonical JSON whose numbers are shortest round-trip doubles, and back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NoReturn, cast, get_args

import rfc8785

from analyzer.verdict import ArmSummary, Condition, Estimate, Shown, Status, Verdict
from ledger.errors import Fault, IntegrityFault

TYPE = "prereg.verdict/v1"

_LEAVES = frozenset({type(None), bool, int, float, str})

_OF_ESTIMATE = ("role", "unit", "reasons", "notes", "tasks", "by")
"""Keys of an endpoint that are not values of its estimate."""


def encode(verdict: Verdict) -> bytes:
    """Write a verdict as its RFC 8785 bytes, without a line feed. A value that is NaN or infinite cannot be written."""
    return rfc8785.dumps(cast("Any", plain(verdict)))


def plain(verdict: Verdict) -> dict[str, Shown]:
    """Give a verdict as JSON data with the keys of verdict.json."""
    document = {each.name: _json(getattr(verdict, each.name)) for each in fields(verdict)}
    return {**document, "type": TYPE}


def decode(data: bytes, *, where: str = "verdict.json") -> Verdict:
    """Read a verdict.

    Raises:
        IntegrityFault: The bytes are no verdict of ours, or not the canonical bytes of what they say.
    """
    try:
        verdict = reread(data)
        again = encode(verdict)
    except (ValueError, TypeError, KeyError, AttributeError, rfc8785.CanonicalizationError) as problem:
        raise _fault("it is not a verdict of ours", repr(problem), where) from problem
    if again != data:
        raise _fault("its bytes are not the canonical form of what it says", "other bytes", where)
    return verdict


def reread(made: bytes) -> Verdict:
    """Give the verdict that ``encode`` wrote, as ``decode`` does; nothing is proved of the bytes."""
    return _verdict(json.loads(made.decode("utf-8"), parse_constant=_refuse))


def _endpoint(each: Estimate) -> dict[str, Shown]:
    clash = set(each.values) & {*_OF_ESTIMATE, "name"}
    assert not clash, f"{each.name}: values named like keys of an endpoint: {clash}"
    return cast(
        "dict[str, Shown]",
        _json({**each.values, **{key: getattr(each, key) for key in _OF_ESTIMATE}}),
    )


def _json(value: object) -> Shown:
    if isinstance(value, Mapping):
        if _LEAVES.issuperset(map(type, value.values())):
            return {str(key): each for key, each in value.items()}  # as most are: one a task
        return {str(key): _json(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_json(each) for each in value]
    if isinstance(value, Estimate):
        return _endpoint(value)
    if isinstance(value, ArmSummary | Condition):
        return {each.name: _json(getattr(value, each.name)) for each in fields(value)}
    assert value is None or isinstance(value, bool | int | float | str), f"not JSON: {value!r}"
    return value


def _verdict(document: Mapping[str, object]) -> Verdict:
    found = dict(document)
    if found.pop("type") != TYPE:
        raise ValueError(f"its type is not {TYPE}")
    if found["status"] not in get_args(Status):
        raise ValueError(f"status {found['status']!r}")
    found["conditions"] = _conditions(found["conditions"])
    found["decidable"] = _conditions(found["decidable"])
    found["endpoints"] = {name: _estimate(name, each) for name, each in _objects(found["endpoints"])}
    found["arms"] = {name: ArmSummary(**cast("dict[str, object]", each)) for name, each in _objects(found["arms"])}  # type: ignore[arg-type]  # re-encoding proves the shape
    found["warnings"] = tuple(cast("Sequence[str]", found["warnings"]))
    return Verdict(**found)  # type: ignore[arg-type]  # unknown keys are refused by name; re-encoding proves the shape


def _conditions(found: object) -> tuple[Condition, ...]:
    return tuple(Condition(**each) for each in cast("Sequence[dict[str, object]]", found))  # type: ignore[arg-type]


def _objects(found: object) -> Sequence[tuple[str, Mapping[str, object]]]:
    return tuple(cast("Mapping[str, Mapping[str, object]]", found).items())


def _estimate(name: str, found: Mapping[str, object]) -> Estimate:
    rest = dict(found)
    own = {key: rest.pop(key) for key in _OF_ESTIMATE}
    own["notes"] = tuple(cast("Sequence[str]", own["notes"]))
    return Estimate(name=name, values=rest, **own)  # type: ignore[arg-type]


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _fault(what: str, got: str, where: str) -> IntegrityFault:
    return IntegrityFault(
        Fault(
            code="verdict",
            what=f"{where} cannot be read: {what}",
            expected=f"the canonical bytes of a {TYPE}",
            got=got[:200],
            where=where,
            hint="remove it and run prereg analyze again: it is worked out from plan and ledger",
        )
    )
