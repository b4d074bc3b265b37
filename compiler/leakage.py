"""Leaks: nothing of a task's fix stands in what its agents are told or what an arm's provider hands out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from compiler.arms import original
from compiler.giveaways import Given, first_given, giveaways
from compiler.inputs import provider_files
from compiler.own_terms import own_fixture
from compiler.prompts import Prompt, refused_prompt
from compiler.task import Candidate
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.load import Loaded
from spec_lang.span import Position, Source, Span

CODES = {
    "P389": "a file that a provider hands out gives a fix away",
    "P399": "an arm hands out a fixture, and a drawn task has none",
}

FIXTURE_PROVIDERS = frozenset({"fixture"})
"""Kinds of providers that hand the task's own fixture to the agent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Text:
    """A text that agents read, under the name to show for it."""

    name: str
    text: str


def refuse_leaks(
    loaded: Loaded,
    name: str,
    told: Iterable[tuple[Candidate, Prompt]],
    inputs: Mapping[str, bytes],
) -> None:
    """Hold one set's drawn tasks against what its ``leakage`` refuses, and fixtures against the arms that hand them out.

    Prompts that stand in a file of the spec are looked at where they are read; here are the turns that tasks bring along,
    the files that providers write, and the tasks' fixtures. Every drawn task is held against every file of every arm: an
    arm's files are there for each of them.

    Raises:
        SpecErrors: The first leak of every text, and every task without the fixture that an arm hands out.
    """
    bag = Bag()
    for candidate, prompt in told:
        bag.extend(_without_fixture(loaded, candidate))
        bag.extend(_leaks(loaded, name, candidate, prompt, inputs))
    bag.raise_errors()


def _leaks(
    loaded: Loaded, name: str, candidate: Candidate, prompt: Prompt, inputs: Mapping[str, bytes]
) -> Iterator[Diagnostic]:
    tasks = loaded.spec.tasks[name]
    if tasks.leakage is None:
        return
    refused = giveaways(candidate, tasks.leakage.refuse)
    if "prompts" in tasks.leakage.in_:
        for place, turn in enumerate(prompt.turns, 1):
            if place == 1 and tasks.prompts is not None:
                continue  # it stands in a file of the spec
            which = f"prompt of {candidate.id}" + (f", turn {place}" if prompt.then else "")
            given = first_given(turn, refused)
            if given is not None:
                span = _span(_Text(name=which, text=turn), given)
                yield refused_prompt(f"the prompt of `{candidate.id}` names {given.what}", span)
        repairs = loaded.spec.trials.repairs
        if repairs is not None and repairs.say in inputs:
            text = _Text(name=repairs.say, text=inputs[repairs.say].decode("utf-8", "replace"))
            given = first_given(text.text, refused)
            if given is not None:
                summary = f"what is said of a result that does not pass names {given.what} of `{candidate.id}`"
                yield refused_prompt(summary, _span(text, given))
    if "provider-files" in tasks.leakage.in_:
        for each in (*_written(loaded, inputs), *_fixture(candidate)):
            given = first_given(each.text, refused)
            if given is not None:
                yield _leak(candidate, each, given)


def _written(loaded: Loaded, inputs: Mapping[str, bytes]) -> Iterator[_Text]:
    """Give the author's files that any arm's provider hands out; one that is missing is told elsewhere."""
    names = {file for arm in loaded.spec.arms.values() for file in provider_files(arm.provider)}
    for name in sorted(names & inputs.keys()):
        yield _Text(name=name, text=inputs[name].decode("utf-8", "replace"))


def _fixture(candidate: Candidate) -> Iterator[_Text]:
    fixture = own_fixture(candidate)
    if fixture is not None:
        yield _Text(name=fixture.file, text=fixture.text)


def _leak(candidate: Candidate, text: _Text, given: Given) -> Diagnostic:
    return Diagnostic(
        code="P389",
        summary=f"what agents get beside the prompt holds {given.what}; the task is `{candidate.id}`",
        span=_span(text, given),
        detail="an arm that is handed part of the answer measures that, and not what its context is worth",
        hint="say what holds throughout the repository, in other words than the fix's own",
    )


def _without_fixture(loaded: Loaded, candidate: Candidate) -> Iterator[Diagnostic]:
    if own_fixture(candidate) is not None:
        return
    for arm in sorted(loaded.spec.arms):
        if original(loaded.spec, arm).provider.kind in FIXTURE_PROVIDERS:
            span = loaded.spans.at("arms", arm, "provider")
            summary = f"arm `{arm}` hands out fixtures, and task `{candidate.id}` has none"
            hint = "write fixture.md beside its task file, or name a `fixture` for its repository"
            yield Diagnostic(code="P399", summary=summary, span=span, hint=hint)


def _span(text: _Text, given: Given) -> Span:
    return Span(
        source=Source(name=text.name, text=text.text),
        start=_position(text.text, given.start),
        end=_position(text.text, given.end),
    )


def _position(text: str, offset: int) -> Position:
    return Position(line=text.count("\n", 0, offset) + 1, column=offset - text.rfind("\n", 0, offset))
