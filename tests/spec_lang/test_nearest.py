"""Spelling hints."""

from spec_lang.nearest import hint, nearest


def test_nearest() -> None:
    assert nearest("trails", ["trials", "tasks"]) == "trials"
    assert nearest("Where", ["where"]) == "where"
    assert nearest("xyz", ["where"]) is None


def test_hint_lists_few_names_and_not_many() -> None:
    assert hint("xyz", ["b", "a"], what="arms") == "arms: a, b"
    assert hint("xyz", [f"name{n}" for n in range(50)], what="arms") is None
    assert hint("nam49", [f"name{n}" for n in range(50)], what="arms") == "nearest: `name49`"
