"""What leaks a fix to an agent: prompts, turns, files of providers and fixtures, each refused at its line."""

from dataclasses import replace

import pytest

from compiler.own_terms import own_fixture
from compiler.task import Candidate
from ledger.canonical import digest
from ledger.errors import IntegrityFault
from ledger.plain import Plain
from spec_lang.diagnostics import Diagnostic, SpecErrors, render
from tests.compiler import world

REFUSE = "    leakage: {refuse: [gold-symbol, gold-line], in: [prompts, provider-files]}\n"
WITH = world.edited(("    oracle:\n", REFUSE + "    oracle:\n"))
OWN = world.edited(
    ('    prompts: {file: prompts.yaml, suffix: "\\nFix it.", refuse: [gold-file, gold-symbol]}\n', ""), text=WITH
)
HANDED = world.edited(
    ("{kind: files, write: {NOTES.md: notes.md}}", "{kind: fixture, to: NOTES.md}"),
    text=OWN,
)
LINE = "return max(0, depth - step_width)"


def drawn(**changes: Plain) -> tuple[Candidate, ...]:
    """All candidates with the lines of their fixes and their own prompts; ``changes`` are facts of each."""
    facts: dict[str, Plain] = {"prompt": "Deeply nested lists stop the program."}
    return tuple(
        replace(each, gold_lines=(LINE,), facts={**each.facts, **facts, **changes}) for each in world.candidates()
    )


def said(text: str, found: tuple[Candidate, ...], **changed: str) -> tuple[Diagnostic, ...]:
    """What compiling says; ``changed`` are other texts of the inputs, by stem."""
    try:
        world.compiled(text, found, **changed)
    except SpecErrors as errors:
        return tuple(each for each in errors.diagnostics if each.severity == "error")
    return ()


def test_what_leaks_nothing_compiles() -> None:
    assert said(WITH, drawn()) == ()
    assert said(OWN, drawn()) == ()
    assert said(HANDED, drawn(fixture={"file": "notes/parser.md", "text": "Depth is never negative.\n"})) == ()


@pytest.mark.parametrize(
    ("notes", "what"),
    [
        ("# Notes\n\nCall read_number_5 first.\n", "`read_number_5`, a symbol of the fix"),
        ("# Notes\n\nThe test is test_reads_5.\n", "`test_reads_5`, a test of the fix"),
        (f"# Notes\n\nIt says {LINE}.\n", "a line of the fix, word for word"),
        ("# Notes\n\nIt says return max( 0,depth-step_width ).\n", "a line of the fix, word for word"),
        ("# Notes\n\nIt says return max(0,\n    depth - step_width).\n", "a line of the fix, word for word"),
    ],
)
def test_a_providers_file_that_leaks_is_refused_at_its_line(notes: str, what: str) -> None:
    found = said(WITH, drawn(), notes=notes)
    assert found
    assert {each.code for each in found} == {"P389"}
    assert what in found[0].summary
    assert found[0].span is not None
    assert (found[0].span.source.name, found[0].span.start.line) == ("notes.md", 3)
    assert "^" in render(found[0])


def test_a_fixture_that_leaks_is_refused_in_its_own_file() -> None:
    fixture: Plain = {"file": "notes/parser.md", "text": f"# Notes\n\n- {LINE}\n"}
    found = said(HANDED, drawn(fixture=fixture))
    assert {each.code for each in found} == {"P389"}
    assert str(found[0].span) == "notes/parser.md:3:3"


def test_a_task_without_the_fixture_that_an_arm_hands_out() -> None:
    found = said(HANDED, drawn())
    assert {each.code for each in found} == {"P399"}
    assert "arm `notes` hands out fixtures" in found[0].summary


def test_a_turn_of_a_tasks_own_prompt_that_leaks() -> None:
    found = said(OWN, drawn(steps=[{"say": "Go on."}, {"say": f"Now write\n{LINE}"}]))
    assert {each.code for each in found} == {"P386"}
    assert found[0].span is not None
    assert found[0].span.source.name.endswith(", turn 3")
    assert found[0].span.start.line == 2
    assert {each.code for each in said(OWN, drawn(prompt="Look at read_number_5 and all of it."))} == {"P386"}


def test_a_prompts_file_is_held_against_lines_too() -> None:
    text = world.edited(
        ("t05: We see that deeply nested lists stop the program.", f't05: "It should {LINE}."'),
        text=world.prompts_text(),
    )
    with pytest.raises(SpecErrors) as caught:
        world.compiled(WITH, drawn(), prompts=text)
    assert [each.code for each in caught.value.diagnostics] == ["P386"]
    assert str(caught.value.diagnostics[0].span).startswith("prompts.yaml:6:17")


def test_only_what_is_named_is_looked_at() -> None:
    lines = world.edited(
        ("[gold-symbol, gold-line], in: [prompts, provider-files]", "[gold-line], in: [prompts]"), text=OWN
    )
    assert said(lines, drawn(), notes=f"read_number_5: {LINE}\n") == ()
    assert said(world.SPEC, drawn(), notes=f"read_number_5: {LINE}\n") == ()


def test_turns_and_fixtures_are_in_the_plan_by_digest_and_kept_beside_the_inputs() -> None:
    fixture: Plain = {"file": "notes/parser.md", "text": "Depth is never negative.\n"}
    done = world.compiled(HANDED, drawn(fixture=fixture, steps=[{"say": "Go on."}]))
    task = done.plan.run.tasks[0]
    assert [done.prompts[each.say] for each in task.steps] == [b"Go on."]
    assert task.fixture is not None
    assert done.prompts[task.fixture] == b"Depth is never negative.\n"
    assert done.prompts[task.prompt] == b"Deeply nested lists stop the program."
    assert all(name == digest(data) for name, data in done.prompts.items())
    plain = world.compiled(OWN, drawn())
    assert (plain.plan.run.tasks[0].steps, plain.plan.run.tasks[0].fixture) == ((), None)


def test_a_pool_whose_fixture_is_none_is_refused() -> None:
    with pytest.raises(IntegrityFault):
        own_fixture(drawn(fixture="text alone")[0])
