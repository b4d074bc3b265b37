"""What a spec means: layout and comments never count, everything else does."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from compiler.identity import input_digest, meaning, spec_document, spec_plain
from ledger.canonical import digest, parse
from spec_lang.diagnostics import SpecErrors
from spec_lang.expr.parse import parse as expression
from spec_lang.model import Choice, Endpoint, Spec
from tests.compiler.nouns import INPUTS, quantity, spec


def test_expressions_quantities_and_decimals_are_text() -> None:
    plain: Any = spec_plain(spec())
    fixes = plain["tasks"]["fixes"]
    assert fixes["where"] == ['subject startswith "fix"']
    assert fixes["oracle"]["pass"] == ["fixed.ok"]
    assert fixes["source"]["options"] == {"at": "abc", "limit": 3, "share": "0.5"}
    assert plain["agent"]["limits"] == {
        "time": "20 min",
        "cost": "2.5 USD",
        "turns": None,
        "memory": None,
        "processes": None,
        "output": None,
    }
    assert plain["single_difference"] is None  # what was left out is there too


def test_the_document_says_what_it_is() -> None:
    document: Any = parse(spec_document(spec(), INPUTS), where="spec.json")
    assert (document["type"], document["canon"]) == ("prereg.spec/v1", "1")
    assert set(document) == {"type", "canon", "spec", "inputs"}
    assert document["inputs"]["pool/candidates.jsonl"] == digest(INPUTS["pool/candidates.jsonl"])


def test_golden_digest() -> None:
    assert (
        digest(spec_document(spec(), INPUTS))
        == "sha256:cb4853769ac35414f15a19360be56d1c7a613afae43e0af9a9760c19a1303170"
    )


def test_how_an_expression_was_written_does_not_count() -> None:
    assert spec_document(spec(where='subject   startswith "fix"'), INPUTS) == spec_document(spec(), INPUTS)


CHANGES: list[Callable[[Spec], Spec]] = [
    lambda each: replace(each, question="Does it not?"),
    lambda each: replace(each, stage="confirmatory"),
    lambda each: replace(each, threats=(*each.threats, "another")),
    lambda each: replace(each, single_difference="provider"),
    lambda each: replace(each, arms={**each.arms, "c": each.arms["a"]}),
    lambda each: replace(each, trials=replace(each.trials, seeds=3)),
    lambda each: replace(each, trials=replace(each.trials, order=Choice(kind="interleave", options={"seed": 2}))),
    lambda each: replace(
        each, agent=replace(each.agent, limits=replace(each.agent.limits, time=quantity("21", "min")))
    ),
    lambda each: replace(each, agent=replace(each.agent, limits=replace(each.agent.limits, turns=1))),
    lambda each: replace(each, measures={"solved": expression('verdict == "pass"')}),
    lambda each: replace(each, endpoints={"cost": Endpoint(role="secondary", measure="cost")}),
    lambda each: replace(each, decision=replace(each.decision, supported_when=(expression("cost.p < 0.06"),))),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_meaning_changes_the_digest(change: Callable[[Spec], Spec]) -> None:
    assert spec_document(change(spec()), INPUTS) != spec_document(spec(), INPUTS)


def test_an_inputs_content_counts_and_its_layout_does_not() -> None:
    one = b"# said before the draw\n- {task: t1, reason: a}\n- task: t2\n  reason: 'b'\n"
    same = b'- task: "t1"\n  reason: a\n- {reason: b, task: t2}   # later\n'
    other = b"- {task: t2, reason: b}\n- {task: t1, reason: a}\n"
    assert input_digest("e.yaml", one) == input_digest("e.yaml", same)
    assert input_digest("e.yml", one) != input_digest("e.yml", other)
    assert input_digest("e.txt", one) == digest(one)


@pytest.mark.parametrize("data", [b"a: 1\na: 2\n", b"\xff", b"a: [1\n", b"a: &x 1\n"])
def test_a_faulty_input_is_the_authors_fault(data: bytes) -> None:
    with pytest.raises(SpecErrors):
        input_digest("e.yaml", data)


def test_settings_may_be_anything_yaml_can_say() -> None:
    assert meaning({"a": [1, Decimal("1.50"), True, {"b": "x"}]}) == {"a": [1, "1.5", True, {"b": "x"}]}
    with pytest.raises(TypeError):
        meaning(1.5)
