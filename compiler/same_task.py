"""Tasks that are kept for a decision are none of those that something was tuned on, under whatever name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.disjoint import earlier_plans
from compiler.lower import SetTasks
from compiler.plan import TaskPlan
from compiler.prompts import Prompt
from compiler.task import Candidate
from ledger.canonical import digest
from spec_lang.diagnostics import Diagnostic
from spec_lang.load import Loaded

CODES = {"P359": "a task of a set that decides stands under another name in one that must not share its tasks"}

NOTHING = digest(b"")
"""A reference that changes nothing, as tasks have that only ask something: it makes no two tasks the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A task that is known from elsewhere: where from, under which name."""

    where: str
    name: str


def same_tasks(loaded: Loaded, sets: Sequence[SetTasks], inputs: Mapping[str, bytes]) -> Iterator[Diagnostic]:
    """Refuse tasks of deciding sets that stand in a development set, or in a registration named in ``disjoint_from``, too.

    Two tasks are the same when they share start and prompt, or the reference change, or start and reference answer. Names
    play no part: a copied folder has another name, and what was tuned on it was tuned on this task.
    """
    spec = loaded.spec
    for each in sets:
        name = each.selected.name
        if spec.tasks[name].use != "decision":
            continue
        known = _of_development(loaded, sets)
        for registration, plan in earlier_plans(loaded, name, inputs).items():
            for task in plan.run.tasks:
                known |= dict.fromkeys(_marks_planned(task), Told(where=registration, name=task.id))
        for candidate, prompt in zip(each.candidates, each.prompts, strict=True):
            for what, mark in _marks(candidate, prompt):
                if (what, mark) in known:
                    told = known[what, mark]
                    yield Diagnostic(
                        code="P359",
                        summary=f"`{candidate.id}` of `{name}` is `{told.name}` of {told.where}: the same {what}",
                        span=loaded.spans.key("tasks", name),
                        detail="what was tuned on a task cannot be judged on it, under whatever name",
                        hint="leave it out of one of the two",
                    )
                    break


Mark = tuple[str, str]
"""What two tasks share, in words, and its digest."""


def _of_development(loaded: Loaded, sets: Sequence[SetTasks]) -> dict[Mark, Told]:
    return {
        mark: Told(where=f"`{each.selected.name}`", name=candidate.id)
        for each in sets
        if loaded.spec.tasks[each.selected.name].use == "development"
        for candidate, prompt in zip(each.candidates, each.prompts, strict=True)
        for mark in _marks(candidate, prompt)
    }


def _marks(candidate: Candidate, prompt: Prompt) -> tuple[Mark, ...]:
    material = candidate.material
    assert material is not None  # a drawn candidate has its material
    return _marked(material.given, prompt.digest, material.reference, material.answer)


def _marks_planned(task: TaskPlan) -> tuple[Mark, ...]:
    return _marked(task.given, task.prompt, task.reference, task.answer)


def _marked(given: str, prompt: str, reference: str | None, answer: str | None) -> tuple[Mark, ...]:
    found = [("start and prompt", f"{given} {prompt}")]
    if reference is not None and reference != NOTHING:
        found.append(("reference change", reference))
    if answer is not None:
        found.append(("start and reference answer", f"{given} {answer}"))
    return tuple(found)
