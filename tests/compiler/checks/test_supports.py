"""What an endpoint can show with a number of tasks: never less than what the statistics really give."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.checks.design import designs
from compiler.checks.intervals import point
from compiler.checks.subject import Subject
from compiler.checks.supports import Design, Reading, smallest_p, worlds
from spec_lang.model import Choice
from stats.mcnemar import mcnemar
from stats.signed_rank import signed_rank
from tests.compiler import world


def design(name: str, text: str = world.SPEC) -> Design:
    known = designs(Subject(loaded=world.loaded(text)), ("fixes",))
    assert known is not None
    return known[name]


@pytest.mark.parametrize("alternative", ["less", "greater", "two-sided"])
@pytest.mark.parametrize("tasks", range(1, 9))
def test_the_smallest_p_is_the_one_that_enumeration_finds(alternative: str, tasks: int) -> None:
    chosen = Choice(kind="wilcoxon-signed-rank", options={"alternative": alternative, "zeros": "wilcox"})
    found = min(
        signed_rank(
            [sign * size for sign, size in zip(signs, range(1, tasks + 1), strict=True)],
            zeros="wilcox",
            alternative=alternative,
        ).p  # type: ignore[arg-type]  # one of the three words
        for signs in product((-1, 1), repeat=tasks)
    )
    assert found == float(smallest_p(chosen, tasks))


@pytest.mark.parametrize("mid", [False, True])
@pytest.mark.parametrize("alternative", ["less", "greater", "two-sided"])
@pytest.mark.parametrize("tasks", range(1, 9))
def test_the_smallest_p_of_mcnemar(alternative: str, tasks: int, mid: bool) -> None:
    chosen = Choice(kind="mcnemar-midp" if mid else "mcnemar-exact", options={"alternative": alternative})
    name = f"{'mid_' if mid else ''}p_{alternative.replace('-', '_')}"
    found = min(getattr(mcnemar(b, c), name) for b in range(tasks + 1) for c in range(tasks + 1 - b))
    assert found == float(smallest_p(chosen, tasks))


READING = Reading(
    fields={f"solved.{field}": field for field in ("p", "lower", "upper", "discordant", "estimate", "n")},
    counts={"solved.count(notes)": "notes", "solved.count(baseline)": "baseline"},
    arms={},
)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=4))
def test_every_result_is_one_of_the_worlds(pairs: list[tuple[bool, bool]]) -> None:
    small = design("solved", world.edited(("take: 8", "take: 4")))
    b, c = pairs.count((True, False)), pairs.count((False, True))
    seen = {
        "solved.p": point(Fraction(mcnemar(b, c).p_two_sided)),
        "solved.discordant": point(b + c),
        "solved.estimate": point(Fraction(b - c, 4)),
        "solved.n": point(4),
        "solved.count(notes)": point(b + pairs.count((True, True))),
        "solved.count(baseline)": point(c + pairs.count((True, True))),
    }
    assert any(all(each[text] == value for text, value in seen.items()) for each in worlds(small, READING))


def test_ranges_replace_tables_where_missing_data_can_take_tasks_away() -> None:
    text = world.edited(("when: not result_event, retry: 3", "when: not result_event, exclude: pair"))
    (only,) = worlds(design("solved", text), READING)
    assert only["solved.n"].low == 0
    assert only["solved.p"].low == Fraction(1, 128)


@pytest.mark.parametrize(
    ("edit", "low", "high"),
    [
        (("statistic: median", "statistic: mean"), -1, None),
        (("compare: notes / baseline - 1", "compare: (notes - baseline) / baseline - 1"), None, None),
        (("compare: notes / baseline - 1", "compare: notes - baseline"), None, None),
    ],
)
def test_an_estimate_is_bounded_only_where_it_must_be(edit: tuple[str, str], low: int | None, high: int | None) -> None:
    reading = Reading(fields={"relative_cost.upper": "upper"}, counts={}, arms={})
    (only,) = worlds(design("relative_cost", world.edited(edit)), reading)
    assert (only["relative_cost.upper"].low, only["relative_cost.upper"].high) == (low, high)


def test_a_sum_of_seeds_is_no_share() -> None:
    text = world.edited(
        ("per_task: majority", "per_task: sum"),
        ("    test: {kind: mcnemar-exact, alternative: two-sided}\n", ""),
        ("    interval: {kind: newcombe-paired, level: 0.95}\n", "    statistic: mean\n"),
        ("    - solved.count(notes) >= solved.count(baseline) - 1 task\n", ""),
    )
    (only,) = worlds(design("solved", text), Reading(fields={"solved.estimate": "estimate"}, counts={}, arms={}))
    assert (only["solved.estimate"].low, only["solved.estimate"].high) == (None, None)
