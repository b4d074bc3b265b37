"""Scopes read stored facts as values of their names."""

from datetime import date
from fractions import Fraction

from spec_lang.expr import scope as scopes
from spec_lang.expr.types import BOOL, NUMBER, SHARE, TIME, ColumnType
from spec_lang.expr.values import UNKNOWN


def test_reading_facts_of_a_candidate() -> None:
    facts = {
        "subject": "fix: x",
        "committed": "2026-07-02T10:00:00+00:00",
        "changed": [{"path": "a/b.py", "status": "M"}, {"path": "c.py", "status": "A"}],
        "fail_to_pass": ["t::a"],
        "flaky": None,
        "of another tool": 3,
    }
    values = scopes.selection("git-history").read(facts)
    assert values == {
        "subject": "fix: x",
        "committed": date(2026, 7, 2),
        "changed": ("a/b.py", "c.py"),
        "fail_to_pass": ("t::a",),
        "flaky": UNKNOWN,
    }


def test_reading_facts_of_a_trial() -> None:
    values = scopes.trial(("a",), {"hooks": "count"}, {"solved": BOOL}).read(
        {"cost": "0.5", "hooks": 3, "solved": True, "arm": "a"}
    )
    assert values == {"cost": Fraction(1, 2), "hooks": 3, "solved": True, "arm": "a"}


def test_columns() -> None:
    names = scopes.per_arm({"solved": BOOL}, {"hooks": "count"}).names
    assert names["solved"] == ColumnType(of=BOOL)
    assert names["hooks"] == ColumnType(of=NUMBER)
    assert "arm" not in names


def test_values_of_one_task() -> None:
    assert scopes.per_task_type(BOOL, "majority") == SHARE
    assert scopes.per_task_type(BOOL, "sum") == NUMBER
    assert scopes.per_task_type(TIME, "mean") == TIME
