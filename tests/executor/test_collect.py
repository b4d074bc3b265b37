"""Facts that are collected from JSON, and from logs of JSON lines: counted, or the last one; unknown with a reason when not there."""

import os
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import CollectPlan
from executor.collect import collect

LOG = b"""\
{"event": "UserPromptSubmit", "n": 1, "about": {"ok": true}}
{"event": "PostToolUse", "n": 2, "about": {"ok": false}}

{"event": "UserPromptSubmit", "n": 3, "about": {"ok": true}}
"""


def of(root: Path, log: bytes = LOG, **said: Any) -> object:
    (root / "log.jsonl").write_bytes(log)
    values, reasons = collect({"fact": CollectPlan(**{"file": "log.jsonl", "type": "count", **said})}, root)
    assert (values["fact"] is None) == ("fact" in reasons)
    return reasons.get("fact", values["fact"])


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"lines": "count"}, 3),
        ({"lines": "count", "where": {"event": "UserPromptSubmit"}}, 2),
        ({"lines": "count", "where": {"event": "UserPromptSubmit", "n": 3}}, 1),
        ({"lines": "count", "where": {"about.ok": True}}, 2),
        ({"lines": "count", "where": {"about.ok": 1}}, 0),
        ({"lines": "count", "where": {"absent": "x"}}, 0),
        ({"lines": "last", "path": "n"}, 3),
        ({"lines": "last", "path": "about.ok", "type": "bool", "where": {"event": "PostToolUse"}}, False),
        ({"lines": "last", "path": "event", "type": "text", "where": {"n": 1}}, "UserPromptSubmit"),
        ({"lines": "last", "path": "n", "where": {"n": 9}}, "log.jsonl: no line matches"),
        ({"lines": "last", "path": "m"}, "log.jsonl: there is no m"),
        ({"lines": "last", "path": "event"}, "log.jsonl: it is no count"),
    ],
)
def test_lines_are_counted_or_the_last_is_read(tmp_path: Path, said: Any, found: object) -> None:
    assert of(tmp_path, **said) == found


def test_a_torn_last_line_says_nothing_and_a_broken_one_makes_it_unknown(tmp_path: Path) -> None:
    assert of(tmp_path, LOG + b'{"event": "UserPr', lines="count") == 3
    assert of(tmp_path, LOG + b'{"event": "Stop"}', lines="count") == 4
    assert of(tmp_path, b"{}\nbroken\n{}\n", lines="count") == "log.jsonl: line 2 is no JSON"
    assert of(tmp_path, b"", lines="count") == 0


def test_a_log_that_is_not_there_is_unknown_and_not_0(tmp_path: Path) -> None:
    values, reasons = collect({"n": CollectPlan(file="absent.jsonl", type="count", lines="count")}, tmp_path)
    assert (values, reasons) == ({"n": None}, {"n": f"absent.jsonl: {os.strerror(2)}"})


def test_json_is_read_by_its_path_as_before(tmp_path: Path) -> None:
    assert of(tmp_path, b'{"a": [{"b": 2}]}', path="a.0.b") == 2
    assert of(tmp_path, b'{"a": [1, 2]}', path="a.length") == 2
