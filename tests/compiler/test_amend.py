"""Amendments and the change log that is read from them."""

from pathlib import Path
from typing import Any

import pytest

from compiler.amend import amend, most_seen, told_otherwise
from compiler.registration import Access
from compiler.registry import Entry, Registry
from ledger.canonical import canonical, digest, parse
from spec_lang.diagnostics import SpecErrors
from tests.compiler.nouns import INPUTS, compiled
from tests.compiler.test_registry import NOW, SOURCE, TOOL, register


def change(registry: Registry, threat: str, floor: Access = "nothing-run", **more: Any) -> Entry:
    arguments: dict[str, Any] = {"reason": "because", **more}
    return amend(
        registry,
        compiled(threat),
        access_floor=floor,
        source_bytes=SOURCE,
        inputs=INPUTS,
        tool=TOOL,
        now=NOW,
        new_id="cd" * 16,
        **arguments,
    )


def test_an_amendment_is_a_child_of_the_newest(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    first = register(registry, compiled("a"))
    second = change(registry, "b", effective_from=7, reason="  a threat was forgotten ")
    third = change(registry, "c")
    assert (second.registration.parent, third.registration.parent) == (first.digest, second.digest)
    assert second.registration.reason == "a threat was forgotten"
    assert second.registration.effective_from == 7
    assert third.registration.effective_from is None


@pytest.mark.parametrize(
    ("floor", "stated", "expected"),
    [
        ("nothing-run", "nothing-run", "nothing-run"),
        ("outcomes-seen", "nothing-run", "outcomes-seen"),
        ("nothing-run", "runs-not-opened", "runs-not-opened"),
    ],
)
def test_an_author_can_only_raise_what_had_been_seen(
    floor: Access, stated: Access, expected: Access, tmp_path: Path
) -> None:
    registry = Registry(tmp_path)
    register(registry, compiled("a"))
    assert change(registry, "b", floor, stated_access=stated).registration.access == expected


def test_what_was_seen_stays_seen(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    register(registry, compiled("a"))
    change(registry, "b", "outcomes-seen")
    assert change(registry, "c").registration.access == "outcomes-seen"
    assert most_seen("runs-not-opened", "nothing-run") == "runs-not-opened"


def test_nothing_to_amend_is_the_authors_fault(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    for prepare, threat, reason, code in (
        (False, "a", "why", "P905"),
        (True, "a", "why", "P906"),
        (False, "b", " ", "P907"),
    ):
        if prepare:
            register(registry, compiled("a"))
        with pytest.raises(SpecErrors) as caught:
            change(registry, threat, reason=reason)
        assert caught.value.diagnostics[0].code == code
        assert caught.value.diagnostics[0].hint


def test_what_an_amendment_says_it_changed_is_what_its_spec_shows(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    register(registry, compiled("a"))
    change(registry, "b", reason="first")
    change(registry, "c", "outcomes-seen", reason="second")
    entries = registry.entries()
    assert [[str(change) for change in each.registration.changes] for each in entries] == [
        [],
        ['spec.threats[0]: "a" became "b"'],
        ['spec.threats[0]: "b" became "c"'],
    ]
    assert list(told_otherwise(entries)) == []


def test_a_registration_that_lies_about_its_changes_is_found(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    register(registry, compiled("a"))
    last = change(registry, "b")
    path = last.folder / "registration.json"
    record: Any = parse(path.read_bytes(), where="x")
    record["changes"][0]["after"] = "z"
    path.chmod(0o644)
    path.write_bytes(canonical(record))
    last.folder.rename(tmp_path / f"0002-{digest(canonical(record)).removeprefix('sha256:')[:12]}")
    ((liar, fault),) = told_otherwise(registry.entries())
    assert (liar.name[:4], fault.code) == ("0002", "registry-changes")
