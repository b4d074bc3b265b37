"""Checks stand behind the one that they need."""

from compiler.plan import Chosen
from executor.check_order import in_order


def names(**needs: str | None) -> list[str]:
    checks = {name: Chosen(kind="x", options={} if each is None else {"needs": each}) for name, each in needs.items()}
    return [name for name, _ in in_order(checks)]


def test_checks_stand_as_they_are_written_but_behind_what_they_need() -> None:
    assert names(b=None, a=None) == ["b", "a"]
    assert names(calls="tests", tests=None, more="calls") == ["tests", "calls", "more"]


def test_a_circle_and_a_check_that_is_not_there_end() -> None:
    assert names(a="b", b="a") == ["a", "b"]
    assert names(a="c") == ["a"]
