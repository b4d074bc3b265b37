"""A plan's expressions: read once, exact, and refused when the plan was altered."""

from fractions import Fraction

import pytest

from analyzer.reading import in_order, tree, value
from ledger.errors import IntegrityFault
from tests.analyzer.runs import DECISION, cheaper, judged, lines_of, plan_of


def test_values_are_exact_and_unknown_stays_none() -> None:
    assert value(tree("cost * 3"), {"cost": Fraction(1, 3)}) == 1
    assert value(tree("cost / 0"), {"cost": Fraction(1)}) is None
    assert value(tree("cost > 1"), {"cost": None}) is None
    assert value(tree("20 min"), {}) == 1200


def test_text_that_is_no_expression_was_not_written_by_the_compiler() -> None:
    with pytest.raises(IntegrityFault) as refused:
        tree("cost <")
    assert refused.value.reasons[0].code == "plan"


def test_values_of_another_type_are_a_fault_of_plan_or_ledger() -> None:
    with pytest.raises(IntegrityFault) as refused:
        value(tree("cost < 1"), {"cost": "much"})
    assert "cost = 'much'" in (refused.value.reasons[0].got or "")


def test_measures_in_a_circle_are_refused() -> None:
    with pytest.raises(IntegrityFault) as refused:
        in_order({"a": "b", "b": "a", "c": "true"})
    assert refused.value.reasons[0].got == "a, b"


def test_a_measure_may_refine_the_fact_of_its_name() -> None:
    plan = plan_of(tasks=2, measures={"solved": 'verdict == "pass"', "cost": "cost * 2"})
    doubled, plain = (
        judged(plan, lines_of(plan, cheaper)),
        judged(plan_of(tasks=2), lines_of(plan_of(tasks=2), cheaper)),
    )
    assert doubled.endpoints["cost"].values["mean"] == pytest.approx(
        2 * float(str(plain.endpoints["cost"].values["mean"]))
    )


def test_a_wording_is_registered_for_every_status() -> None:
    assert set(DECISION.wording) == {"supported", "not_supported", "no_verdict"}
