"""Reads the two kinds of line that a long ledger is made of, claims and outcomes, without the general converter.

Whatever is not plainly of its shape is left to ``ledger.codec``, which alone says what is wrong with a line.
"""

from dataclasses import fields
from typing import Any, get_args

from ledger.records import Claimed, Ended, Line, Outcome, Verdict

_LINKS = {each.name for each in fields(Line)} - {"record"}
_OF_CLAIM = _LINKS | {each.name for each in fields(Claimed)}
_OF_OUTCOME = _LINKS | {each.name for each in fields(Outcome)}
_VERDICTS = frozenset(get_args(Verdict))
_ENDED = frozenset(get_args(Ended))
_TEXT = {str}


def line_of(value: dict[str, Any]) -> Line | None:
    """Give the line that a parsed object is, when it is a whole claim or outcome; None is no refusal."""
    kind = value.get("kind")
    record: Claimed | Outcome | None = None
    if kind == "claimed" and value.keys() == _OF_CLAIM:
        record = _claim(value)
    elif kind == "outcome" and value.keys() == _OF_OUTCOME:
        record = _outcome(value)
    if record is None:
        return None
    seq, prev, at = value["seq"], value["prev"], value["at"]
    if type(seq) is not int or type(prev) is not str or type(at) is not str:
        return None
    return Line(seq=seq, prev=prev, kind=value["kind"], at=at, record=record)


def _placed(value: dict[str, Any]) -> bool:
    """Whether a line names an attempt at a trial as both kinds do."""
    return (
        type(value["trial"]) is str
        and type(value["attempt"]) is int
        and type(value["task"]) is str
        and type(value["arm"]) is str
        and type(value["seed"]) is int
        and type(value["machine"]) is str
    )


def _claim(value: dict[str, Any]) -> Claimed | None:
    if not _placed(value):
        return None
    return Claimed(
        trial=value["trial"],
        attempt=value["attempt"],
        task=value["task"],
        arm=value["arm"],
        seed=value["seed"],
        machine=value["machine"],
    )


def _outcome(value: dict[str, Any]) -> Outcome | None:
    verdict, ended, checks = value["verdict"], value["ended"], value["checks"]
    if not (
        _placed(value)
        and type(verdict) is str
        and verdict in _VERDICTS
        and type(ended) is str
        and ended in _ENDED
        and type(value["measures"]) is dict
        and type(checks) is dict
        and set(map(type, checks.values())) <= {dict}
        and _texts(value["reasons"])
        and _texts(value["versions"])
        and _texts(value["blobs"])
        and type(value["simulated"]) is bool
    ):
        return None
    return Outcome(
        trial=value["trial"],
        attempt=value["attempt"],
        task=value["task"],
        arm=value["arm"],
        seed=value["seed"],
        verdict=verdict,  # type: ignore[arg-type]  # one of them, as was just looked up
        ended=ended,  # type: ignore[arg-type]
        measures=value["measures"],
        reasons=value["reasons"],
        checks=checks,
        versions=value["versions"],
        blobs=value["blobs"],
        machine=value["machine"],
        simulated=value["simulated"],
    )


def _texts(value: object) -> bool:
    return type(value) is dict and set(map(type, value.values())) <= _TEXT
