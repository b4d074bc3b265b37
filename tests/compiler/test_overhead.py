"""Overheads: read from the file that a spec names, for the arms and the agent that they were measured on, into the plan."""

import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from analyzer.frame import overhead_facts
from compiler.arms import resolve
from ledger.canonical import canonical, digest
from spec_lang.diagnostics import SpecErrors
from tests.compiler import world

NET = world.edited(
    ('  solved: verdict == "pass"\n', '  solved: verdict == "pass"\n  net_tokens: tokens - overhead.tokens\n'),
    ("\nmeasures:\n", "\noverhead: overhead.json\n\nmeasures:\n"),
)


def measured(**changes: Any) -> bytes:
    arms: dict[str, Any] = {}
    for arm in resolve(world.loaded(NET).spec):
        options = digest(canonical(dict(arm.agent.options)))
        arms[arm.name] = {
            "agent": {"kind": arm.agent.kind, "model": arm.agent.model, "options": options},
            "provider": arm.provider.kind,
            "mean": {"tokens": "1002", "cost": "0.001", "turns": None},
            **changes,
        }
    return json.dumps({"type": "prereg.overhead/v1", "arms": arms}).encode()


def test_the_plan_holds_the_overhead_of_every_arm() -> None:
    done = world.compiled(NET, more={"overhead.json": measured()})
    held: Mapping[str, Mapping[str, str | None]] = done.plan.analysis.overhead
    assert set(held) == set(done.plan.analysis.arms)
    assert {each["overhead.tokens"] for each in held.values()} == {"1002"}
    facts = overhead_facts(done.plan.analysis)["baseline"]
    assert facts["overhead.tokens"] == Fraction(1002)
    assert facts["overhead.cost"] == Fraction(Decimal("0.001"))
    assert facts["overhead.turns"] is None
    assert done.plan.analysis.measures["net_tokens"] == "tokens - overhead.tokens"


def codes(text: str = NET, overhead: bytes | None = None) -> list[str]:
    with pytest.raises(SpecErrors) as caught:
        world.compiled(text, more={} if overhead is None else {"overhead.json": overhead})
    return [each.code for each in caught.value.diagnostics]


def test_an_overhead_that_is_read_must_be_measured() -> None:
    assert codes(NET.replace("overhead: overhead.json\n", "")) == ["P337"]


@pytest.mark.parametrize(
    "data",
    [
        b"[]",
        b"{",
        b'{"type":"prereg.overhead/v1","arms":[]}',
        measured(mean={"tokens": "-1"}),
        measured(mean={"tokens": 5}),
    ],
)
def test_a_file_that_is_none(data: bytes) -> None:
    assert codes(overhead=data) == ["P338"]


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "setup"},
        {"agent": {"kind": "command", "model": "other", "options": ""}},
        {"versions": {"cost route": "price-table, prices sha256:1"}},
    ],
)
def test_another_agent_or_provider_or_route_of_costs(change: dict[str, Any]) -> None:
    assert codes(overhead=measured(**change)) == ["P339"]


def test_an_arm_without_one() -> None:
    document = json.loads(measured())
    del document["arms"]["notes"]
    assert codes(overhead=json.dumps(document).encode()) == ["P339"]
