"""The selection rule on facts: what holds, what does not, what cannot be told."""

from collections.abc import Mapping

import pytest

from compiler.facts import fact_values, judge_conditions
from compiler.selection import select
from compiler.task import Reason
from ledger.plain import Plain
from spec_lang.expr.values import UNKNOWN
from tests.compiler import world

FACTS: Mapping[str, Plain] = {
    "subject": "fix: x",
    "committed": "2026-07-01T23:30:00-05:00",
    "changed": [{"path": "a/b.py", "status": "M"}, {"path": "tests/test_b.py", "status": "D"}],
    "merge": False,
    "category": None,
}


def test_facts_become_values_of_their_types() -> None:
    values = fact_values("git-history", FACTS)
    assert str(values["committed"]) == "2026-07-02"  # days are days in UTC
    assert values["changed"] == ("a/b.py", "tests/test_b.py")
    assert values["merge"] is False
    assert values["category"] is UNKNOWN


@pytest.mark.parametrize("odd", [7, "yesterday", ["2026-07-01"]])
def test_a_fact_of_another_type_is_unknown(odd: Plain) -> None:
    assert fact_values("git-history", {"committed": odd})["committed"] is UNKNOWN


@pytest.mark.parametrize(
    ("condition", "reasons"),
    [
        ('subject startswith "fix"', ()),
        ('count(changed("a/**")) == 1', ()),
        ('committed >= date("2026-07-02")', ()),
        ("merge", (Reason(code="condition", what="merge"),)),
        (
            "count(fail_to_pass) >= 1",
            (Reason(code="unknown-fact", what="count(fail_to_pass) >= 1", detail="not known: fail_to_pass"),),
        ),
        ("merge or count(fail_to_pass) >= 1", None),
        ("not merge or count(fail_to_pass) >= 1", ()),
        ("known(fail_to_pass)", (Reason(code="condition", what="known(fail_to_pass)"),)),
    ],
)
def test_conditions(condition: str, reasons: tuple[Reason, ...] | None) -> None:
    found = judge_conditions((condition,), "git-history", FACTS)
    if reasons is None:
        assert [each.code for each in found] == ["unknown-fact"]
    else:
        assert found == reasons


def test_every_condition_is_judged_and_reported_alone() -> None:
    found = judge_conditions(("merge", 'subject == "y"', "not merge"), "git-history", FACTS)
    assert [each.what for each in found] == ["merge", 'subject == "y"']


def test_a_set_after_its_rule() -> None:
    spec = world.loaded()
    (only,) = select(spec, world.pool(spec))
    assert (only.name, only.found, len(only.eligible)) == ("fixes", 15, 13)
    assert {name: reason.code for name, reason in only.gated.items()} == {"t14": "flaky"}
    assert sum(only.dropped.values()) + len(only.eligible) == only.found
