"""Prompts: one for each drawn task, the same for every arm, giving nothing of the fix away."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compiler.giveaways import Giveaway, Given, first_given, giveaways
from compiler.inputs import read_yaml
from compiler.own_steps import own_steps, own_texts
from compiler.steps import StepPlan
from compiler.task import Candidate
from ledger.canonical import digest
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.load import Loaded
from spec_lang.model import Prompts
from spec_lang.places import places
from spec_lang.span import Position, Span
from spec_lang.yaml_tree import MapNode, Node, Scalar

CODES = {
    "P385": "a drawn task without a prompt",
    "P386": "a prompt that gives the fix away",
    "P387": "a prompts file that is no map of task → text",
}

OWN_PROMPT = "prompt"
"""Fact under which a source that brings prompts along keeps them; read where the spec names no prompts file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """The whole text that an agent gets for one task, and its digest; ``then`` are the texts of the ``steps`` that follow it.

    ``sealed`` is the digest of a private task's prompt, whose text is in its store and nowhere else.
    """

    task: str
    text: str
    then: tuple[str, ...] = ()
    steps: tuple[StepPlan, ...] = ()
    sealed: str | None = None

    @property
    def data(self) -> bytes:
        """The text as stored."""
        return self.text.encode("utf-8")

    @property
    def digest(self) -> str:
        """The digest of the stored text."""
        return digest(self.data) if self.sealed is None else self.sealed

    @property
    def turns(self) -> tuple[str, ...]:
        """All that the agent is told, in order, as far as it is known here."""
        return (self.text, *self.then) if self.sealed is None else ()

    @property
    def blobs(self) -> dict[str, bytes]:
        """The stored texts of all turns, by digest."""
        stored = [each.encode("utf-8") for each in self.turns]
        return {digest(each): each for each in stored}


def prompts(loaded: Loaded, name: str, drawn: tuple[Candidate, ...], inputs: Mapping[str, bytes]) -> tuple[Prompt, ...]:
    """Give each drawn task of one set its prompt, in the order of the draw.

    The prompts file is a map of task → text; the suffix follows each. A prompt for a task that was not drawn is left
    alone. Raises SpecErrors with every missing prompt and every giveaway.
    """
    said = loaded.spec.tasks[name].prompts
    bag = Bag()
    found = _own(loaded, name, drawn, bag) if said is None else _written(loaded, name, said, drawn, inputs, bag)
    bag.raise_errors()
    return found


def _own(loaded: Loaded, name: str, drawn: tuple[Candidate, ...], bag: Bag) -> tuple[Prompt, ...]:
    """Take the prompts that the source brought along (an issue's text, a folder's file)."""
    found = []
    for candidate in drawn:
        if candidate.material is not None and candidate.material.prompt is not None:
            found.append(Prompt(task=candidate.id, text="", sealed=candidate.material.prompt))
            continue
        text = candidate.facts.get(OWN_PROMPT)
        if isinstance(text, str) and text.strip():
            steps, texts = own_steps(candidate), own_texts(candidate)
            found.append(Prompt(task=candidate.id, text=text, then=texts, steps=steps))
            continue
        summary = f"task `{candidate.id}` has no prompt"
        hint = "prompts: {file: prompts.yaml, refuse: [gold-file, gold-symbol]}"
        bag.add(Diagnostic(code="P385", summary=summary, span=loaded.spans.key("tasks", name), hint=hint))
    return tuple(found)


def _written(
    loaded: Loaded,
    name: str,
    said: Prompts,
    drawn: tuple[Candidate, ...],
    inputs: Mapping[str, bytes],
    bag: Bag,
) -> tuple[Prompt, ...]:
    tree = read_yaml(said.file, inputs, loaded.spans.at("tasks", name, "prompts", "file"))
    texts = dict(_texts(tree, bag))
    suffix = loaded.spans.at("tasks", name, "prompts", "suffix")
    leakage = loaded.spec.tasks[name].leakage
    refuse = (*said.refuse, *(leakage.refuse if leakage is not None and "prompts" in leakage.in_ else ()))
    found = []
    for candidate in drawn:
        if candidate.id not in texts:
            bag.add(_absent(candidate.id, tree.span))
            continue
        refused = giveaways(candidate, refuse)
        bag.extend(_given_away(texts[candidate.id], candidate, refused))
        given = first_given(said.suffix, refused)
        if given is not None:
            bag.add(refused_prompt(f"the suffix names {given.what} of `{candidate.id}`", suffix))
        told = texts[candidate.id].text + said.suffix
        steps = own_steps(candidate)
        found.append(Prompt(task=candidate.id, text=told, then=own_texts(candidate), steps=steps))
    return tuple(found)


def _texts(tree: Node, bag: Bag) -> Iterator[tuple[str, Scalar]]:
    hint = "TASK: the symptom that a user would report"
    if not isinstance(tree, MapNode):
        bag.add(Diagnostic(code="P387", summary="the prompts are no map", span=tree.span, hint=hint))
        return
    for key, value in tree.entries:
        if isinstance(value, Scalar) and isinstance(value.value, str) and value.text.strip():
            yield key.text, value
        else:
            summary = f"the prompt of `{key.text}` is no text"
            bag.add(Diagnostic(code="P387", summary=summary, span=value.span, hint=hint))


def _absent(task: str, span: Span) -> Diagnostic:
    first = Span(source=span.source, start=Position(line=1, column=1), end=Position(line=1, column=2))
    summary = f"drawn task `{task}` has no prompt"
    hint = f"add `{task}: …`"
    return Diagnostic(code="P385", summary=summary, span=first, hint=hint)


def _given_away(prompt: Scalar, candidate: Candidate, refused: tuple[Giveaway, ...]) -> Iterator[Diagnostic]:
    given = first_given(prompt.text, refused)
    if given is not None:
        yield refused_prompt(f"the prompt of `{candidate.id}` names {given.what}", _place(prompt, given))


def refused_prompt(summary: str, span: Span) -> Diagnostic:
    """Say that a prompt gives something of the fix away."""
    why = "a prompt states the symptom; naming the place hands the agent part of the answer"
    return Diagnostic(
        code="P386", summary=summary, span=span, detail=why, hint="say what a user would see, not where it comes from"
    )


def _place(prompt: Scalar, given: Given) -> Span:
    at = places(prompt)
    last = at[given.end - 1]
    return Span(source=prompt.span.source, start=at[given.start], end=Position(line=last.line, column=last.column + 1))
