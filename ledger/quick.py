"""Reads the two kinds of line that a long ledger is made of, claims and outcomes, by the one way in which each can be written.

A canonical line has its keys in order and nothing between them, so a pattern tells it whole; only the maps inside an outcome
are parsed. Whatever is not plainly of its shape is left to ``ledger.codec``, which alone says what is wrong with a line.
"""

import re
from functools import lru_cache
from typing import Any, get_args

from ledger.canonical import parsed_at_once
from ledger.records import Claimed, Ended, Line, Outcome, Verdict

_TEXT = r'"([ !#-\[\]-~]*)"'
"""Text that stands for itself: ASCII without quotation marks, backslashes and control characters."""
_WHOLE = r"(0|-?[1-9][0-9]{0,14})"
_FLAG = r"(true|false)"
_MAP = r"(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})"
"""A map, with maps in it perhaps, but none in those."""


def _one_of(words: Any) -> str:
    return f'"({"|".join(get_args(words))})"'


def _pattern(**shapes: str) -> re.Pattern[str]:
    assert list(shapes) == sorted(shapes), "a canonical line has its keys in order"
    return re.compile(r"\{" + ",".join(f'"{key}":{shape}' for key, shape in shapes.items()) + r"\}")


_CLAIM = _pattern(
    arm=_TEXT,
    at=_TEXT,
    attempt=_WHOLE,
    kind='"claimed"',
    machine=_TEXT,
    prev=_TEXT,
    seed=_WHOLE,
    seq=_WHOLE,
    task=_TEXT,
    trial=_TEXT,
)
_OUTCOME = _pattern(
    arm=_TEXT,
    at=_TEXT,
    attempt=_WHOLE,
    blobs=_MAP,
    checks=_MAP,
    ended=_one_of(Ended),
    kind='"outcome"',
    machine=_TEXT,
    measures=_MAP,
    prev=_TEXT,
    reasons=_MAP,
    seed=_WHOLE,
    seq=_WHOLE,
    simulated=_FLAG,
    task=_TEXT,
    trial=_TEXT,
    verdict=_one_of(Verdict),
    versions=_MAP,
)


def line_of(data: bytes) -> Line | None:
    """Give the line that some bytes are, when they are a whole claim or outcome in ASCII; None is no refusal."""
    if not data.isascii():
        return None
    text = data.decode("ascii")
    claim = _CLAIM.fullmatch(text)
    if claim is not None:
        return _claim(*claim.groups())
    outcome = _OUTCOME.fullmatch(text)
    return None if outcome is None else _outcome(*outcome.groups())


def _claim(
    arm: str, at: str, attempt: str, machine: str, prev: str, seed: str, seq: str, task: str, trial: str
) -> Line:
    record = Claimed(trial=trial, attempt=int(attempt), task=task, arm=arm, seed=int(seed), machine=machine)
    return Line(seq=int(seq), prev=prev, kind="claimed", at=at, record=record)


def _outcome(*found: str) -> Line | None:
    arm, at, attempt, blobs, checks, ended, machine, measures, prev, reasons, *rest = found
    seed, seq, simulated, task, trial, verdict, versions = rest
    maps = (_map(measures), _texts(blobs), _known_maps(checks), _known_texts(reasons), _known_texts(versions))
    if None in maps:
        return None
    record = Outcome(
        trial=trial,
        attempt=int(attempt),
        task=task,
        arm=arm,
        seed=int(seed),
        verdict=verdict,  # type: ignore[arg-type]  # the pattern has no other words
        ended=ended,  # type: ignore[arg-type]
        measures=maps[0],  # type: ignore[arg-type]  # none of them is None
        blobs=maps[1],  # type: ignore[arg-type]
        checks=maps[2],  # type: ignore[arg-type]
        reasons=maps[3],  # type: ignore[arg-type]
        versions=maps[4],  # type: ignore[arg-type]
        machine=machine,
        simulated=simulated == "true",
    )
    return Line(seq=int(seq), prev=prev, kind="outcome", at=at, record=record)


def _map(text: str) -> dict[str, Any] | None:
    """Read a map; None when it is not canonical."""
    value = parsed_at_once(text)
    return value if isinstance(value, dict) else None


def _texts(text: str) -> dict[str, str] | None:
    """Read a map that holds nothing but text."""
    value = _map(text)
    return value if value is not None and set(map(type, value.values())) <= {str} else None


def _maps(text: str) -> dict[str, dict[str, Any]] | None:
    """Read a map that holds nothing but maps."""
    value = _map(text)
    return value if value is not None and set(map(type, value.values())) <= {dict} else None


# What checks, versions and reasons say repeats from trial to trial: it is read once, and the lines share it.
_known_texts = lru_cache(maxsize=4096)(_texts)
_known_maps = lru_cache(maxsize=4096)(_maps)
