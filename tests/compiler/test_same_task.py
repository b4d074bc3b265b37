"""A task of a deciding set is found again under another name: in a development set, and in an earlier registration."""

from dataclasses import replace

import pytest

from compiler.inputs import EARLIER
from compiler.same_task import NOTHING
from compiler.task import Candidate, Material
from spec_lang.diagnostics import SpecErrors, render
from tests.compiler import world

_SET = world.SPEC.partition("  fixes:\n")[2].partition("\nagent:")[0]
_BEFORE, _, _REST = _SET.replace("take: 8", "take: all").partition("    exclusions:\n")
_PRACTICE = "  practice:\n    use: development\n" + _BEFORE + "    prompts:" + _REST.partition("    prompts:")[2]
SETS = world.SPEC.replace("\nagent:", _PRACTICE + "\nagent:", 1)


def practice(number: int, **changed: str | None) -> Candidate:
    """A candidate of the practice set that shares nothing with those of the other but what is said here."""
    name = f"p{number:02d}"
    own = replace(world.candidate(number), id=name, set="practice", facts=world.candidate(number).facts)
    material = {each: world.sha(f"{each} {name}") for each in ("given", "held_out", "tests", "reference")}
    return replace(own, material=Material(**{**material, **changed}))  # type: ignore[arg-type]  # texts by field


def refused(*of_practice: Candidate, prompt: str = "p01: Something else.") -> list[str]:
    """What is said of two sets over one pool; eight of the twelve tasks are drawn, t05 among them."""
    found = (*world.candidates(), *of_practice)
    try:
        world.compiled(SETS, found, prompts=world.prompts_text() + prompt + "\n")
    except SpecErrors as faults:
        return [render(each) for each in faults.diagnostics if each.severity == "error"]
    return []


def material(number: int) -> Material:
    found = world.candidate(number).material
    assert found is not None
    return found


def test_sets_that_share_nothing_compile() -> None:
    assert refused(practice(1)) == []


def test_the_same_reference_under_another_name_is_refused() -> None:
    (said,) = refused(practice(1, reference=material(5).reference))
    assert "error[P359]: `t05` of `fixes` is `p01` of `practice`: the same reference change" in said
    assert "spec.yaml:12:3" in said


def test_the_same_start_and_prompt_under_another_name_are_refused() -> None:
    words = next(each for each in world.prompts_text().split("\n") if each.startswith("t05: "))
    (said,) = refused(practice(1, given=material(5).given), prompt="p01" + words[3:])
    assert "the same start and prompt" in said
    assert refused(practice(1, given=material(5).given)) == []  # one start may serve many tasks
    assert refused(practice(1), prompt="p01" + words[3:]) == []  # as one prompt may


def test_the_same_start_and_answer_are_refused() -> None:
    asked = tuple(
        replace(each, material=replace(material(5), answer=world.sha("answer"))) if each.id == "t05" else each
        for each in world.candidates()
    )
    with pytest.raises(SpecErrors, match="the same start and reference answer"):
        world.compiled(
            SETS,
            (*asked, practice(1, given=material(5).given, answer=world.sha("answer"))),
            prompts=world.prompts_text() + "p01: Something else.\n",
        )


def test_a_reference_that_changes_nothing_makes_no_tasks_the_same() -> None:
    asked = tuple(
        replace(each, material=replace(material(5), reference=NOTHING)) if each.id == "t05" else each
        for each in world.candidates()
    )
    found = (*asked, practice(1, reference=NOTHING))
    world.compiled(SETS, found, prompts=world.prompts_text() + "p01: Something else.\n")


def test_a_renamed_task_of_an_earlier_registration_is_refused() -> None:
    pilot = world.compiled()
    name = f"sha256:{'1' * 64}"
    text = world.edited(("    draw: {sort", f'    disjoint_from: ["{name}"]\n    draw: {{sort'))
    renamed = tuple(
        replace(each, id=f"new-{each.id}", facts=each.facts) if each.status == "kept" else each
        for each in world.candidates()
    )
    told = "".join(f"new-{line}\n" for line in world.prompts_text().split("\n") if line.startswith("t"))
    with pytest.raises(SpecErrors, match=r"`new-t\d\d` of `fixes` is `t\d\d` of sha256:1{64}"):
        world.compiled(text, renamed, prompts=told, more={f"{EARLIER}{name}": pilot.plan_bytes}, exclusions="[]\n")
