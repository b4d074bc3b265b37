"""The steps that a task brings along: what follows its prompt, as texts and as the plan names them."""

from collections.abc import Iterator, Mapping, Sequence

from compiler.steps import StepPlan
from compiler.task import Candidate
from ledger.canonical import digest
from ledger.codec import from_plain
from ledger.plain import Plain

OWN_STEPS = "steps"
"""Fact under which a source keeps the steps behind a prompt: a list of ``{say: text}``, ``{new_run: text}``,
``{cancel: {after, count}}`` and ``{refuse: family}``."""

_TELLING = ("say", "new_run")


def own_steps(candidate: Candidate) -> tuple[StepPlan, ...]:
    """Give a task's steps as a plan names them, texts by digest. Raises IntegrityFault when they are no steps."""
    where = f"steps of {candidate.id}"
    return tuple(
        from_plain(StepPlan, {key: _named(key, value) for key, value in step.items()}, where=where)
        for step in _said(candidate)
    )


def own_texts(candidate: Candidate) -> tuple[str, ...]:
    """Give the texts that a task's agent is told behind its prompt, in order."""
    return tuple(str(step[key]) for step in _said(candidate) for key in _TELLING if key in step)


def _said(candidate: Candidate) -> Iterator[Mapping[str, Plain]]:
    steps = candidate.facts.get(OWN_STEPS, ())
    if isinstance(steps, Sequence) and not isinstance(steps, str):
        yield from (step for step in steps if isinstance(step, Mapping))


def _named(key: str, value: Plain) -> Plain:
    return digest(str(value).encode("utf-8")) if key in _TELLING else value
