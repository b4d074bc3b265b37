"""Seeds aggregate inside a task, exactly, and are never tasks."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.aggregate import aggregate
from analyzer.measures import Fact
from compiler.plan import EndpointPlan
from ledger.errors import IntegrityFault

AMOUNTS = st.fractions(0, 100)
ANSWERS = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=7)


def endpoint(per_task: str | None, k: int | None = None) -> EndpointPlan:
    return EndpointPlan(name="e", role="primary", unit="USD", measure="m", per_task=per_task, k=k)


def value(per_task: str | None, values: Sequence[Fact], k: int | None = None) -> Fact:
    return aggregate(values, endpoint(per_task, k)).value


@given(st.lists(AMOUNTS, min_size=1, max_size=6), st.randoms())
def test_the_order_of_seeds_changes_nothing(values: list[Fraction], chance: object) -> None:
    mixed = list(values)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    for name in ("mean", "sum"):
        assert value(name, values) == value(name, mixed)


@given(st.lists(AMOUNTS, min_size=1, max_size=6))
def test_a_mean_times_its_seeds_is_the_sum(values: list[Fraction]) -> None:
    mean, total = value("mean", values), value("sum", values)
    assert isinstance(mean, Fraction)
    assert mean * len(values) == total


def test_thirds_are_exact() -> None:
    assert value("mean", [Fraction("0.1"), Fraction("0.2"), Fraction("0.3")]) == Fraction("0.2")
    assert value("mean", [True, False, True]) == Fraction(2, 3)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((True, True, False), True),
        ((True, False, False), False),
        ((True, False), False),
        ((True, True, None), True),
        ((False, False, None), False),
        ((True, False, None), None),
        ((None,), None),
    ],
)
def test_a_majority_is_more_than_half_and_known_once_it_cannot_turn(values: tuple[Fact, ...], expected: Fact) -> None:
    assert value("majority", values) is expected


@given(ANSWERS)
def test_a_known_majority_holds_whatever_the_unknown_seeds_were(answers: list[bool | None]) -> None:
    found = value("majority", answers)
    filled = {value("majority", [guess if each is None else each for each in answers]) for guess in (True, False)}
    assert filled == {found} if found is not None else filled == {True, False}


def test_an_unknown_seed_makes_mean_sum_and_only_unknown() -> None:
    for name in ("mean", "sum"):
        cell = aggregate((Fraction(1), None, None), endpoint(name))
        assert (cell.value, cell.why) == (None, "2 of 3 seeds unknown")
    assert aggregate((None,), endpoint("only")).why == "unknown"


def test_several_tries() -> None:
    assert value("pass-at-k", [True, False, False], k=2) == Fraction(2, 3)
    assert value("pass-hat-k", [True, True, False], k=2) == Fraction(1, 3)
    assert value("pass-at-k", [True, None, False], k=2) is None
    assert value("pass-at-k", [True], k=2) is None


def test_only_takes_one_seed_and_no_name_is_guessed() -> None:
    assert value(None, ["pass"]) == "pass"
    for bad, values in (("only", (True, True)), ("average", (True,))):
        with pytest.raises(IntegrityFault) as refused:
            aggregate(values, endpoint(bad))
        assert refused.value.reasons[0].where == "plan.json: endpoints.e.per_task"
