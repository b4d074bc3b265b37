"""Which candidates are taken and in which order trials run: golden draws, laws, and every refusal."""

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.draw import draw, order_trials
from compiler.task import Candidate
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.model import Choice, Draw
from spec_lang.span import Position, Source, Span
from tests.compiler.nouns import candidate

SPAN = Span(
    source=Source(name="spec.yaml", text="draw: {}"),
    start=Position(line=1, column=1),
    end=Position(line=1, column=5),
)
PYTHON = Choice(kind="python-random-v1", options={"seed": 20261014})
KEYED = Choice(kind="keyed-sha256-v1", options={"seed": 20261014})
INTERLEAVE = Choice(kind="interleave", options={"seed": 20261014})
ALTERNATE = Choice(kind="alternate")

NAMES = st.lists(st.from_regex(r"[a-z][a-z0-9]{0,4}", fullmatch=True), unique=True, min_size=1, max_size=20)
ARMS = st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, min_size=1, max_size=4)
SHUFFLES = st.sampled_from([None, PYTHON, KEYED])
ORDERS = st.sampled_from([INTERLEAVE, ALTERNATE, Choice(kind="interleave", options={"seed": 0})])


def candidates(*names: str) -> tuple[Candidate, ...]:
    return tuple(candidate(name) for name in names)


def refused(caught: pytest.ExceptionInfo[SpecErrors]) -> Diagnostic:
    (only,) = caught.value.diagnostics
    assert only.span == SPAN
    assert only.hint
    return only


# --- draw ---


def test_the_registered_draw_is_the_one_of_random_random() -> None:
    names = [f"{number:02d}" for number in range(30)]
    theirs = list(names)
    random.Random(20261014).shuffle(theirs)
    passed = {theirs[0]: "excluded (a)", theirs[3]: "flaky", theirs[29]: "never reached"}
    drawn = draw(candidates(*names), Draw(sort="id", shuffle=PYTHON, take=20), passed)
    assert drawn.order == tuple(theirs)
    assert drawn.taken == tuple(name for name in theirs if name not in passed)[:20]
    assert drawn.passed == {theirs[0]: "excluded (a)", theirs[3]: "flaky"}


def test_golden_draws() -> None:
    some = candidates("ant", "bee", "cat", "dog", "eel", "fox")
    assert draw(some, Draw(sort="id", shuffle=PYTHON, take=3), {}).taken == ("dog", "ant", "cat")
    assert draw(some, Draw(sort="id", shuffle=KEYED, take=3), {}).taken == ("ant", "fox", "dog")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("id", ("t1", "t2", "t3")),
        ("commit-hash", ("t2", "t1", "t3")),
        ("commit", ("t2", "t1", "t3")),
        ("committed", ("t1", "t3", "t2")),  # t1 and t3 tie: by id
        ("issue.number", ("t3", "t2", "t1")),  # as numbers: 9 before 10
    ],
)
def test_sort_keys(key: str, expected: tuple[str, ...]) -> None:
    some = (
        candidate("t3", **{"hash": "cc", "committed": "2026-07-01", "issue.number": 9}),
        candidate("t1", **{"hash": "bb", "committed": "2026-07-01", "issue.number": 11}),
        candidate("t2", **{"hash": "aa", "committed": "2026-07-02", "issue.number": 10}),
    )
    assert draw(some, Draw(sort=key), {}).order == expected


@given(NAMES, SHUFFLES, st.randoms())
def test_the_order_of_the_pool_plays_no_part(names: list[str], shuffle: Choice | None, chaos: random.Random) -> None:
    mixed = list(names)
    chaos.shuffle(mixed)
    how = Draw(sort="id", shuffle=shuffle)
    assert draw(candidates(*mixed), how, {}) == draw(candidates(*names), how, {})


@given(NAMES, SHUFFLES, st.data())
def test_what_is_passed_over_moves_nobody(names: list[str], shuffle: Choice | None, data: st.DataObject) -> None:
    passed = {name: "excluded" for name in names if data.draw(st.booleans())}
    drawn = draw(candidates(*names), Draw(sort="id", shuffle=shuffle), passed)
    assert drawn.order == draw(candidates(*names), Draw(sort="id", shuffle=shuffle), {}).order
    assert drawn.taken == tuple(name for name in drawn.order if name not in passed)
    assert not set(drawn.taken) & set(drawn.passed)


@given(NAMES, SHUFFLES, st.integers(0, 20))
def test_taking_more_keeps_what_was_taken(names: list[str], shuffle: Choice | None, take: int) -> None:
    fewer = draw(candidates(*names), Draw(sort="id", shuffle=shuffle, take=take, at_most=True), {}).taken
    more = draw(candidates(*names), Draw(sort="id", shuffle=shuffle, take=take + 1, at_most=True), {}).taken
    assert more[: len(fewer)] == fewer


@given(NAMES, st.integers(1, 8))
def test_a_new_candidate_never_reshuffles_a_keyed_draw(names: list[str], take: int) -> None:
    how = Draw(sort="id", shuffle=KEYED, take=take, at_most=True)
    before = draw(candidates(*names), how, {})
    after = draw(candidates(*names, "NEW"), how, {})
    assert tuple(name for name in after.order if name != "NEW") == before.order
    assert set(after.taken) - set(before.taken) <= {"NEW"}


def test_fewer_than_take_is_a_fault_unless_it_says_at_most() -> None:
    some = candidates("a", "b", "c")
    with pytest.raises(SpecErrors) as caught:
        draw(some, Draw(sort="id", take=3), {"b": "excluded"}, span=SPAN)
    found = refused(caught)
    assert found.code == "P395"
    assert found.summary == "the draw takes 3 tasks, and only 2 can be taken"
    assert found.detail == "3 candidates meet the selection rule; 1 of them are excluded, burned or failed their gate"
    assert draw(some, Draw(sort="id", take=3, at_most=True), {"b": "excluded"}).taken == ("a", "c")
    assert draw((), Draw(sort="id"), {}).taken == ()


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([{"hash": "a"}, {}], "`t1` has no `commit-hash` to sort by"),
        ([{"hash": "a"}, {"hash": None}], "`t1` has no `commit-hash`"),
        ([{"hash": "a"}, {"hash": True}], "`t1` has no `commit-hash`"),
        ([{"hash": "a"}, {"hash": ["a"]}], "`t1` has no `commit-hash`"),
        ([{"hash": "a"}, {"hash": 1}], "is a number for some candidates and text for others"),
    ],
)
def test_what_cannot_be_sorted_is_a_fault(facts: list[dict[str, object]], words: str) -> None:
    some = [candidate(f"t{place}", **each) for place, each in enumerate(facts)]  # type: ignore[arg-type]  # plain values
    with pytest.raises(SpecErrors) as caught:
        draw(some, Draw(sort="commit-hash"), {}, span=SPAN)
    found = refused(caught)
    assert found.code == "P394"
    assert words in found.summary


@pytest.mark.parametrize(
    "shuffle",
    [
        Choice(kind="dice"),
        Choice(kind="python-random-v1"),
        Choice(kind="python-random-v1", options={"seed": -1}),
        Choice(kind="keyed-sha256-v1", options={"seed": "1"}),
        Choice(kind="keyed-sha256-v1", options={"seed": True}),
    ],
)
def test_a_shuffle_that_is_none_is_a_fault(shuffle: Choice) -> None:
    with pytest.raises(SpecErrors) as caught:
        draw(candidates("a"), Draw(sort="id", shuffle=shuffle), {}, span=SPAN)
    assert refused(caught).code == "P396"


# --- order of trials ---


def test_golden_orders() -> None:
    assert [each.id for each in order_trials(["t1", "t2"], ["b", "a"], 2, INTERLEAVE)] == [
        "t2/a/2", "t2/b/2", "t1/b/1", "t1/a/1", "t2/a/1", "t2/b/1", "t1/b/2", "t1/a/2",
    ]  # fmt: skip
    assert [each.id for each in order_trials(["t2", "t1"], ["b", "a"], 2, ALTERNATE)] == [
        "t2/a/1", "t2/b/1", "t1/b/1", "t1/a/1", "t2/b/2", "t2/a/2", "t1/a/2", "t1/b/2",
    ]  # fmt: skip


@given(NAMES, ARMS, st.integers(1, 4), ORDERS)
def test_every_trial_stands_once_and_arms_run_side_by_side(
    tasks: list[str], arms: list[str], seeds: int, order: Choice
) -> None:
    trials = order_trials(tasks, arms, seeds, order)
    expected = {(task, arm, seed) for task in tasks for arm in arms for seed in range(1, seeds + 1)}
    assert {(each.task, each.arm, each.seed) for each in trials} == expected
    assert len(trials) == len(expected)
    blocks = [trials[start : start + len(arms)] for start in range(0, len(trials), len(arms))]
    assert all(len({(each.task, each.seed) for each in block}) == 1 for block in blocks)
    leaders = Counter(block[0].arm for block in blocks)
    counts = [leaders[arm] for arm in arms]
    assert max(counts) - min(counts) <= (1 if order.kind == "interleave" else seeds)


@given(NAMES, ARMS, st.integers(1, 3), ORDERS, st.randoms())
def test_the_order_of_arms_and_for_interleave_of_tasks_plays_no_part(
    tasks: list[str], arms: list[str], seeds: int, order: Choice, chaos: random.Random
) -> None:
    mixed_arms, mixed_tasks = list(arms), list(tasks)
    chaos.shuffle(mixed_arms)
    if order.kind == "interleave":
        chaos.shuffle(mixed_tasks)
    assert order_trials(mixed_tasks, mixed_arms, seeds, order) == order_trials(tasks, arms, seeds, order)


def test_neither_arm_runs_first_in_bulk() -> None:
    trials = order_trials([f"t{number}" for number in range(40)], ["a", "b"], 3, INTERLEAVE)
    leaders = [each.arm for each in trials[::2]]
    assert Counter(leaders) == {"a": 60, "b": 60}
    longest, run = 1, 1
    for before, after in pairwise(leaders):
        run = run + 1 if before == after else 1
        longest = max(longest, run)
    assert longest < 12
    half = Counter(each.arm for each in trials[: len(trials) // 2])
    assert half["a"] == half["b"]


def test_alternating_gives_a_task_another_leader_in_the_next_seed() -> None:
    for tasks in (["t1"], ["t1", "t2"], ["t1", "t2", "t3"]):
        trials = order_trials(tasks, ["a", "b"], 2, ALTERNATE)
        leaders = {(each.task, each.seed): each.arm for each in trials[::2]}
        assert all(leaders[task, 1] != leaders[task, 2] for task in tasks)


def test_seeds_give_different_orders() -> None:
    orders = {
        order_trials(["t1", "t2", "t3"], ["a", "b"], 2, Choice(kind="interleave", options={"seed": seed}))
        for seed in range(20)
    }
    assert len(orders) == 20


@pytest.mark.parametrize("order", [Choice(kind="sequential"), Choice(kind="interleave")])
def test_an_order_that_is_none_is_a_fault(order: Choice) -> None:
    with pytest.raises(SpecErrors) as caught:
        order_trials(["t"], ["a"], 1, order, span=SPAN)
    assert refused(caught).code == "P396"
