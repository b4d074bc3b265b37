"""The quotes check: nothing is invented, nothing beside what was asked for, nothing missing."""

from pathlib import Path

import pytest

from executor.graders.quotes import QuotesGrader
from ledger.plain import Plain
from tests.executor.graders.streams import order

LINES = [f"line {number} of some text" for number in range(1, 21)]


@pytest.mark.parametrize(
    ("answer", "options", "ok", "facts"),
    [
        ("```\nline 3 of some text\n```", {}, True, (1, 0, 0, 0)),
        ("> line 3 of some text\n> line 4 of some text", {}, True, (2, 0, 0, 0)),
        ("```text\n3: line 3 of some text\n```", {}, True, (1, 0, 0, 0)),
        ("```\n   3\tline 3 of some text\n   4 | line 4 of some text\n```", {}, True, (2, 0, 0, 0)),
        ("```\n4: line 3 of some text\n```", {}, False, (1, 1, 0, 0)),
        ("```\nline 33 of some text\n```", {}, False, (1, 1, 0, 0)),
        ("```\nline 3 of some\n```", {}, False, (1, 1, 0, 0)),
        ("It says line 3 of some text.", {}, False, (0, 0, 0, 0)),
        (None, {}, False, (0, 0)),
        ("```\n" + "\n".join(LINES[2:5]) + "\n```", {"lines": [3, 5]}, True, (3, 0, 0, 0)),
        ("```\n" + "\n".join(LINES[2:4]) + "\n```", {"lines": [3, 5]}, False, (2, 0, 0, 1)),
        ("```\n" + "\n".join(LINES[2:6]) + "\n```", {"lines": [3, 5]}, False, (4, 0, 1, 0)),
        ("~~~\nline 3 of some text\n```\n~~~", {}, False, (2, 1, 0, 0)),
        # a fence with a word behind it does not close; one that is closed on its own line does not open
        ("```\nline 3 of some text\n```x\nan invented line\n```", {}, False, (3, 2, 0, 0)),
        ("See ```line 3```:\n```of some``` text\n> line 3 of some text", {}, True, (1, 0, 0, 0)),
        ("1. The line:\n\n    ```\n    line 3 of some text\n    ```\n", {}, True, (1, 0, 0, 0)),
    ],
)
def test_quotations(
    tmp_path: Path, answer: str | None, options: dict[str, Plain], ok: bool, facts: tuple[int, ...]
) -> None:
    (tmp_path / "big.txt").write_text("\n".join(LINES) + "\n", "utf-8")
    found = QuotesGrader().grade(order(tmp_path, "quotes", {"path": "big.txt", **options}, answer=answer))
    assert found.ok is ok, found.detail
    assert tuple(found.facts.values()) == facts
    assert "some text" not in found.detail


def test_what_an_agent_writes_into_the_file_is_no_evidence(tmp_path: Path) -> None:
    (tmp_path / "start").mkdir()
    (tmp_path / "start/big.txt").write_text("true\n", "utf-8")
    (tmp_path / "big.txt").write_text("true\nmine\n", "utf-8")
    asked = order(tmp_path, "quotes", {"path": "big.txt"}, answer="> mine", pristine=tmp_path / "start")
    assert QuotesGrader().grade(asked).ok is False


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert QuotesGrader().grade(order(tmp_path, "quotes", {"path": "big.txt"}, answer="> x")).ok is False
