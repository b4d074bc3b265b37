"""Steps and repairs before anything is locked: what an arm's agent cannot be taken through, and what would leak."""

from collections.abc import Sequence

import pytest

from compiler.pipeline import Knowledge
from compiler.plan import ArmPlan
from compiler.steps import CancelPlan, RepairsPlan, StepPlan
from ledger.canonical import digest
from ledger.errors import IntegrityFault
from ledger.plain import Plain
from spec_lang.diagnostics import Diagnostic, SpecErrors
from tests.compiler import world
from tests.compiler.test_crossing import EDITS
from tests.compiler.test_leakage import LINE, OWN, WITH, drawn

STEPS: list[Plain] = [
    {"cancel": {"after": "read", "count": 2}},
    {"new_run": "Finish it."},
    {"refuse": "shell"},
    {"say": "Go on."},
]
TRIALS = "trials: {seeds: 3,"
SENT_BACK = world.edited((TRIALS, f"{TRIALS} repairs: {{at_most: 2, say: repair.md}},"), text=OWN)
SAY = b"It does not pass. Look again.\n"


def lacking(arm: ArmPlan, steps: Sequence[StepPlan]) -> str | None:
    return "has no shell" if arm.name == "notes" and any(each.refuse == "shell" for each in steps) else None


def said(text: str, knowledge: Knowledge | None = None, say: bytes | None = SAY, **facts: Plain) -> list[Diagnostic]:
    more = {} if say is None else {"repair.md": say}
    try:
        world.compiled(text, drawn(**facts), knowledge=knowledge, more=more)
    except SpecErrors as errors:
        return [each for each in errors.diagnostics if each.severity == "error"]
    return []


def test_steps_stand_in_the_plan_by_digest_and_their_texts_beside_it() -> None:
    done = world.compiled(OWN, drawn(steps=STEPS))
    assert done.plan.run.tasks[0].steps == (
        StepPlan(cancel=CancelPlan(after="read", count=2)),
        StepPlan(new_run=digest(b"Finish it.")),
        StepPlan(refuse="shell"),
        StepPlan(say=digest(b"Go on.")),
    )
    assert done.prompts.items() >= {digest(b"Finish it."): b"Finish it.", digest(b"Go on."): b"Go on."}.items()
    assert done.plan.run.repairs is None


def test_steps_follow_a_prompt_of_the_specs_own_file_too() -> None:
    assert world.compiled(WITH, drawn(steps=STEPS)).plan.run.tasks[0].steps[-1] == StepPlan(say=digest(b"Go on."))


@pytest.mark.parametrize("text", [OWN, WITH])
@pytest.mark.parametrize("kind", ["say", "new_run"])
def test_a_step_that_leaks_is_refused_wherever_the_prompt_stands(text: str, kind: str) -> None:
    found = said(text, steps=[{"say": "Go on."}, {kind: f"Write {LINE}"}])
    assert {each.code for each in found} == {"P386"}
    assert str(found[0].span).partition(":")[0].endswith(", turn 3")


def test_a_pool_whose_steps_are_none_is_refused() -> None:
    with pytest.raises(IntegrityFault):
        said(OWN, steps=[{"cancel": {"when": "read"}}])


def test_a_step_that_an_arms_agent_cannot_be_taken_through() -> None:
    found = said(OWN, Knowledge(lacking=lacking), steps=STEPS)
    assert [each.code for each in found] == ["P307"]  # once for all eight drawn tasks
    assert found[0].summary.startswith("tasks `")
    assert " and 3 more cannot be tried in arm `notes`: its agent, `" in found[0].summary
    assert found[0].summary.count("`") == 2 * 7  # five tasks, the arm, its agent
    assert found[0].summary.endswith("`, has no shell")
    span = found[0].span
    assert span is not None
    assert span.source.line(span.start.line) == "  fixes:"
    assert said(OWN, Knowledge(lacking=lacking), steps=STEPS[:2]) == []


def test_what_no_arm_takes_at_any_level_is_said_once() -> None:
    crossed = world.edited(*EDITS, text=OWN)
    found = said(crossed, Knowledge(lacking=lambda arm, steps: "has no shell" if steps else None), steps=STEPS)
    assert [each.code for each in found] == ["P307"]
    arms = "`baseline_large`, `baseline_small`, `notes_large`, `notes_small`"
    assert f"cannot be tried in arms {arms}: its agent, `" in found[0].summary


TRACED = world.edited(
    (
        "        kept: {kind: tests, of: pass-to-pass}\n",
        "        kept: {kind: tests, of: pass-to-pass}\n        quiet: {kind: trace, rules: [{rule: no_shell, never: {call: shell}}]}\n",
    ),
    text=OWN,
)


def test_a_check_of_what_an_agent_does_needs_an_agent_that_shows_it() -> None:
    found = said(TRACED, Knowledge(unseen=lambda arm: arm.name == "notes"))
    assert [each.code for each in found] == ["P307"]
    assert (
        " and 3 more cannot be tried in arm `notes`: a check of kind `trace` reads what the agent did"
        in found[0].summary
    )
    both = said(TRACED, Knowledge(unseen=lambda arm: True))
    assert len(both) == 1
    assert "in arms `baseline`, `notes`: a check" in both[0].summary
    assert said(OWN, Knowledge(unseen=lambda arm: True)) == []
    assert said(TRACED, Knowledge(unseen=lambda arm: False)) == []


# --- repairs ---


def test_repairs_stand_in_the_plan_and_change_what_the_spec_means() -> None:
    done = world.compiled(SENT_BACK, drawn(), more={"repair.md": SAY})
    assert done.plan.run.repairs == RepairsPlan(at_most=2, say=digest(SAY))
    other = world.compiled(SENT_BACK, drawn(), more={"repair.md": b"Once more.\n"})
    assert other.spec_digest != done.spec_digest


@pytest.mark.parametrize(("say", "code"), [(None, "P388"), (b" \n", "P309"), (b"\xff", "P388")])
def test_repairs_without_a_text(say: bytes | None, code: str) -> None:
    assert [each.code for each in said(SENT_BACK, say=say)] == [code]


def test_repairs_that_an_agent_cannot_be_told() -> None:
    found = said(SENT_BACK, Knowledge(unrepairable=lambda arm: arm.name == "notes"))
    assert [each.code for each in found] == ["P309"]
    assert "in arm `notes` the agent, `" in found[0].summary
    both = said(SENT_BACK, Knowledge(unrepairable=lambda arm: True))
    assert [each.code for each in both] == ["P309"]
    assert "in arms `baseline`, `notes` the agent, `" in both[0].summary


def test_what_repairs_say_is_held_against_every_fix() -> None:
    found = said(SENT_BACK, say=f"It does not pass.\nDid you write {LINE}?\n".encode())
    assert {each.code for each in found} == {"P386"}
    assert str(found[0].span) == "repair.md:2:15"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('  solved: verdict == "pass"\n', '  solved: verdict == "pass"\n  first: first_verdict == "pass"\n'),
        ('      when: stop == "timeout"\n', '      when: stop == "timeout" and repairs == 0\n'),
    ],
)
def test_facts_of_repairs_where_there_are_none(old: str, new: str) -> None:
    assert "P308" in {each.code for each in said(world.edited((old, new), text=OWN))}
    assert "P308" not in {each.code for each in said(world.edited((old, new), text=SENT_BACK))}
