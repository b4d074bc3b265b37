"""Exclusions: tasks set aside before the draw, each for a reason of the closed list."""

from collections.abc import Iterator, Mapping

from compiler.inputs import read_yaml
from compiler.selection import Selected
from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.load import Loaded
from spec_lang.nearest import hint as nearest_hint
from spec_lang.span import Span
from spec_lang.yaml_tree import MapNode, Node, Scalar, Sequence

CODES = {
    "P381": "an exclusion of a task that is not in the pool",
    "P382": "an exclusion for a reason that is not in the list",
    "P383": "a task excluded twice",
    "P384": "an exclusions file that is no list of {task, reason}",
}

KEYS = ("task", "reason", "note")


def exclusions(loaded: Loaded, selected: Selected, inputs: Mapping[str, bytes]) -> dict[str, str]:
    """Give the excluded tasks of one set and the key of each one's reason, sorted by task.

    The file is a list of ``{task, reason, note}``; ``note`` is for people. Raises SpecErrors with every fault in it.
    """
    said = loaded.spec.tasks[selected.name].exclusions
    if said is None:
        return {}
    named_at = loaded.spans.at("tasks", selected.name, "exclusions", "file")
    tree = read_yaml(said.file, inputs, named_at)
    bag = Bag()
    found: dict[str, str] = {}
    for task, reason in _entries(tree, bag):
        bag.extend(_faults(task, reason, selected, said.reasons, found))
        found[task.text] = reason.text
    bag.raise_errors()
    return {task: found[task] for task in sorted(found)}


def _entries(tree: Node, bag: Bag) -> Iterator[tuple[Scalar, Scalar]]:
    if not isinstance(tree, Sequence):
        bag.add(_shape("the exclusions are no list", tree.span))
        return
    for item in tree.items:
        if not isinstance(item, MapNode):
            bag.add(_shape("an exclusion is a map", item.span))
            continue
        task, reason = item.get("task"), item.get("reason")
        odd = [key for key, _ in item.entries if key.text not in KEYS]
        for key in odd:
            hint = nearest_hint(key.text, KEYS, what="keys")
            bag.add(Diagnostic(code="P384", summary=f"unknown key `{key.text}`", span=key.span, hint=hint))
        if not isinstance(task, Scalar) or not isinstance(task.value, str):
            bag.add(_shape("an exclusion names no task", (task or item).span))
        elif not isinstance(reason, Scalar) or not isinstance(reason.value, str):
            bag.add(_shape(f"the exclusion of `{task.text}` names no reason", (reason or item).span))
        else:
            yield task, reason


def _shape(summary: str, span: Span) -> Diagnostic:
    hint = "- {task: ID, reason: KEY, note: for people}; an id of digits only stands in quotes"
    return Diagnostic(code="P384", summary=summary, span=span, hint=hint)


def _faults(
    task: Scalar, reason: Scalar, selected: Selected, reasons: Mapping[str, str], found: Mapping[str, str]
) -> Iterator[Diagnostic]:
    if task.text not in selected.candidates:
        summary = f"excluded task `{task.text}` is not in the pool"
        hint = nearest_hint(task.text, selected.candidates, what="tasks")
        yield Diagnostic(code="P381", summary=summary, span=task.span, hint=hint)
    if reason.text not in reasons:
        summary = f"reason `{reason.text}` is not in the closed list"
        hint = nearest_hint(reason.text, reasons, what="reasons")
        why = "reasons are fixed with the spec, so that none can be found for a task that is unwelcome"
        yield Diagnostic(code="P382", summary=summary, span=reason.span, detail=why, hint=hint)
    if task.text in found:
        yield Diagnostic(
            code="P383", summary=f"task `{task.text}` is excluded twice", span=task.span, hint="once is enough"
        )
