"""A burned instance is walked past by every draw, with its reason, and the next one takes its place."""

import pytest

from compiler.burned import BURNED, burned
from spec_lang.diagnostics import SpecErrors
from tests.compiler import world


def test_nothing_is_burned_without_a_file() -> None:
    assert burned(None) == {}
    assert burned(b'- {task: t05, reason: it was quoted, at: "2026-11-29T10:00:00Z"}\n') == {"t05": "it was quoted"}


def test_a_burned_task_is_replaced_by_the_next_in_the_order() -> None:
    before = world.compiled()
    drawn = [each.id for each in before.plan.run.tasks]
    more = {BURNED: f"- {{task: {drawn[0]}, reason: quoted in a talk}}\n- {{task: z99, reason: elsewhere}}\n".encode()}
    after = world.compiled(more=more)
    order = before.plan.analysis.selection["fixes"]["order"]  # type: ignore[index,call-overload]
    now = [each.id for each in after.plan.run.tasks]
    assert now[:-1] == drawn[1:]
    assert order.index(now[-1]) > order.index(drawn[-1])
    told = after.plan.analysis.selection["fixes"]
    assert told["burned"] == {drawn[0]: "quoted in a talk"}  # type: ignore[index,call-overload]
    assert told["passed"][drawn[0]] == "burned: quoted in a talk"  # type: ignore[index,call-overload]
    assert after.spec_digest != before.spec_digest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("task: t05\n", "the burned instances are no list"),
        ("- t05\n", "a burned instance is a map"),
        ("- {reason: x}\n", "a burned instance names no task"),
        ("- {task: t05}\n", "a burned instance says no reason"),
        ("- {task: t05, reason: x, who: me}\n", "unknown key `who`"),
        ("- {task: t05, reason: x}\n- {task: t05, reason: z}\n", "task `t05` is burned twice"),
    ],
)
def test_a_list_of_another_shape_is_refused_at_its_place(text: str, says: str) -> None:
    with pytest.raises(SpecErrors) as caught:
        burned(text.encode())
    (found,) = caught.value.diagnostics
    assert (found.code, found.summary) == ("P317", says)
    assert str(found.span).startswith("burned.yaml:")
