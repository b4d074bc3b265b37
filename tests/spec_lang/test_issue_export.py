"""Exports of issues are held to their exact shape, and every fault stands at its line and column."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spec_lang.diagnostics import SpecErrors
from spec_lang.issue_export import ISSUES, PULLS, place_of, read_document, store_schema
from tests.spec_lang.exports import issue, pull

Change = Callable[[list[dict[str, Any]]], None]


def faults(path: Path, text: str, schema: Any = ISSUES, *, hide: bool = False) -> list[tuple[str, str, str]]:
    """Read a text as an export; give code, place and summary of every fault."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecErrors) as caught:
        read_document(path, schema, name="issues.json", hide=hide)
    return [(each.code, str(each.span).removeprefix("issues.json:"), each.summary) for each in caught.value.diagnostics]


def test_what_gh_writes_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "issues.json"
    odd = issue(7, body="two\r\nlines\tand \u0065\u0301 \u001b[0m \U0001f600", labels=["bug"])
    file.write_text(json.dumps([odd, issue(9, body="")]))
    assert read_document(file, ISSUES, name="issues.json") == [odd, issue(9, body="")]
    file.write_text(json.dumps([pull(3, [7], None)]))
    assert read_document(file, PULLS, name="pulls.json") == [pull(3, [7], None)]


def _set(place: int, key: str, value: object) -> Change:
    def change(read: list[dict[str, Any]]) -> None:
        read[place][key] = value

    return change


def _drop(place: int, key: str) -> Change:
    def change(read: list[dict[str, Any]]) -> None:
        del read[place][key]

    return change


@pytest.mark.parametrize(
    ("change", "code", "line", "says"),
    [
        (_set(1, "assignees", []), "P201", 21, "unknown key `assignees` in `item 2`"),
        (_drop(0, "closedAt"), "P202", 2, "`closedAt` is missing in `item 1`"),
        (_set(1, "number", "2"), "P203", 13, "`2`: a whole number is needed here"),
        (_set(1, "title", None), "P203", 14, "`None`: text is needed here"),
        (_set(1, "number", 0), "P206", 13, "`0` must be at least 1"),
        (_set(1, "number", 2**53), "P206", 13, "`9007199254740992` must be at most 2147483647"),
        (_set(1, "number", 2.0), "P203", 13, "`2.0`: a whole number is needed here"),
        (_set(0, "title", ""), "P207", 4, "`title` must not be empty"),
        (_set(1, "closedAt", "yesterday"), "P205", 18, "`yesterday` does not have its form"),
        (_set(1, "closedAt", "2026-13-01T00:00:00Z"), "P205", 18, "`2026-13-01T00:00:00Z` does not have its form"),
        (_set(1, "closedAt", "2026-02-31T00:00:00Z"), "P205", 18, "`2026-02-31T00:00:00Z` is a moment that never was"),
        (_set(1, "closedAt", "2026-02-01T24:61:00Z"), "P205", 18, "`2026-02-01T24:61:00Z` is a moment that never was"),
        (_set(0, "labels", [{"name": "bug"}]), "P202", 11, "`id` is missing in `item 1.labels.item 1`"),
        (_set(1, "number", 1), "P120", 13, "number 1 stands twice; it is in line 3 too"),
        (_set(1, "body", "half \ud83d"), "P121", 15, "`body` holds half a character or a NUL, which no text can hold"),
        (_set(1, "body", "a\x00b"), "P121", 15, "`body` holds half a character or a NUL, which no text can hold"),
    ],
)
def test_a_malformed_export_is_told_with_its_place(
    tmp_path: Path, change: Change, code: str, line: int, says: str
) -> None:
    read = [issue(1), issue(2)]
    change(read)
    found = faults(tmp_path / "issues.json", json.dumps(read, indent=1))
    assert (found[0][0], int(found[0][1].split(":")[0]), found[0][2]) == (code, line, says)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("[{]", "P215", "1:3"),
        ('[\n{"number": 1, "number": 2}]', "P115", "2:15"),
        ('[{"labels": [{"id": "a", "id": "b"}]}]', "P115", "1:26"),
        ("{}", "P203", "1:1"),
        ("[1.5]", "P203", "1:2"),
        ("1" * 5000, "P215", "1:1"),
        ("[NaN]", "P215", "1:1"),
        ("", "P215", "1:1"),
        ("[" * 5000, "P118", "1:1"),
    ],
)
def test_a_text_that_is_no_list_of_issues_is_refused(tmp_path: Path, text: str, code: str, place: str) -> None:
    assert faults(tmp_path / "issues.json", text)[0][:2] == (code, place)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecErrors, match=r"cannot read issues\.json"):
        read_document(tmp_path / "none", ISSUES, name="issues.json")
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(SpecErrors, match="not UTF-8: byte 0"):
        read_document(tmp_path / "bytes", ISSUES, name="issues.json")


def test_no_more_faults_are_told_than_can_be_read(tmp_path: Path) -> None:
    read = [issue(number) for number in range(1, 60)]
    for each in read:
        each["title"] = 1
    assert len(faults(tmp_path / "issues.json", json.dumps(read))) == 20


def test_a_private_export_shows_places_and_nothing_else(tmp_path: Path) -> None:
    read = [issue(1, title="Top secret"), issue(1, body="Top secret too")]
    read[0]["Top secret key"] = 1
    file = tmp_path / "issues.json"
    file.write_text(json.dumps(read, indent=1))
    with pytest.raises(SpecErrors) as caught:
        read_document(file, ISSUES, name="issues.json", hide=True)
    said = str(caught.value)
    assert "ecret" not in said
    assert "issues.json, line 11, column 3" in said


def test_a_commit_is_found_again_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "pulls.json"
    file.write_text(json.dumps([pull(3, [7], "a" * 40), pull(4, [8], "b" * 40)], indent=1))
    lines = file.read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "b" * 40 in text)
    assert place_of(file, (1, "mergeCommit", "oid"), name="pulls.json").startswith(f"pulls.json:{line}:")


def test_the_file_of_a_store_says_where_its_instances_are(tmp_path: Path) -> None:
    file = tmp_path / "store.json"
    said = {"repository": "clone", "at": "a" * 40, "issues": "issues.json", "pulls": "pulls.json"}
    file.write_text(json.dumps(said))
    assert read_document(file, store_schema(), name="store.json", hide=True) == said
    file.write_text(json.dumps({**said, "at": "main"}))
    with pytest.raises(SpecErrors, match=r"store\.json, line 1, column"):
        read_document(file, store_schema(), name="store.json", hide=True)
