"""From a pool to the tasks of each set: select, set aside, draw, prompt."""

from collections.abc import Iterator, Mapping, Sequence

from compiler.burned import BURNED, burned
from compiler.disjoint import drawn_before
from compiler.draw import draw
from compiler.exclusions import exclusions
from compiler.leakage import refuse_leaks
from compiler.lower import SetTasks
from compiler.pool import Pool
from compiler.prompts import prompts
from compiler.same_task import same_tasks
from compiler.selection import Selected, select
from compiler.task import Candidate
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.load import Loaded

CODES = {
    "P393": "a task that two sets draw",
    "P397": "a candidate that was kept without its material",
}


def draw_sets(loaded: Loaded, pool: Pool, inputs: Mapping[str, bytes]) -> tuple[SetTasks, ...]:
    """Give every set its tasks, sets sorted by name; all sets are looked at before anything is raised.

    Raises SpecErrors.
    """
    bag = Bag()
    sets: list[SetTasks] = []
    for selected in select(loaded, pool):
        try:
            sets.append(_one_set(loaded, selected, inputs))
        except SpecErrors as found:
            bag.extend(found.diagnostics)
    bag.raise_errors()
    bag.extend(_drawn_twice(loaded, sets))
    bag.extend(same_tasks(loaded, sets, inputs))
    bag.raise_errors()
    return tuple(sets)


def _one_set(loaded: Loaded, selected: Selected, inputs: Mapping[str, bytes]) -> SetTasks:
    name = selected.name
    # Exclusions are read before the draw, from the file alone: nothing of the draw can reach them.
    excluded = exclusions(loaded, selected, inputs)
    passed_over = {task: f"drawn by {earlier}" for task, earlier in drawn_before(loaded, name, inputs).items()}
    passed_over |= {task: f"excluded: {reason}" for task, reason in excluded.items()}
    passed_over |= {task: f"gate: {reason.code}" for task, reason in selected.gated.items()}
    leaked = burned(inputs.get(BURNED))
    passed_over |= {task: f"burned: {reason}" for task, reason in leaked.items()}
    how, span = loaded.spec.tasks[name].draw, loaded.spans.at("tasks", name, "draw")
    drawn = draw(selected.eligible, how, passed_over, span=span)
    candidates = tuple(selected.candidates[task] for task in drawn.taken)
    _refuse_without_material(loaded, name, candidates)
    told = prompts(loaded, name, candidates, inputs)
    refuse_leaks(loaded, name, zip(candidates, told, strict=True), inputs)
    return SetTasks(
        selected=selected,
        excluded=excluded,
        drawn=drawn,
        candidates=candidates,
        prompts=told,
        burned=_here(leaked, selected),
    )


def _here(leaked: Mapping[str, str], selected: Selected) -> dict[str, str]:
    return {task: reason for task, reason in leaked.items() if task in selected.candidates}


def _refuse_without_material(loaded: Loaded, name: str, candidates: Sequence[Candidate]) -> None:
    bag, span = Bag(), loaded.spans.key("tasks", name)
    for each in candidates:
        if each.material is None:
            summary = f"the pool keeps `{each.id}` without its files"
            bag.add(Diagnostic(code="P397", summary=summary, span=span, hint="harvest again"))
    bag.raise_errors()


def _drawn_twice(loaded: Loaded, sets: Sequence[SetTasks]) -> Iterator[Diagnostic]:
    seen: dict[str, str] = {}
    for each in sets:
        name = each.selected.name
        for task in each.drawn.taken:
            if task in seen:
                summary = f"task `{task}` is drawn by `{seen[task]}` and by `{name}`"
                hint = "make their conditions exclude each other"
                yield Diagnostic(code="P393", summary=summary, span=loaded.spans.key("tasks", name), hint=hint)
            seen[task] = name
