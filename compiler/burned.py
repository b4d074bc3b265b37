"""Burned instances: tasks that leaked are walked past by every later draw, and no run may use them."""

from collections.abc import Iterator

from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.nearest import hint as nearest_hint
from spec_lang.span import Span
from spec_lang.text import source_of
from spec_lang.yaml_tree import MapNode, Node, Scalar, Sequence, read_tree

CODES = {"P317": "a list of burned instances that is no list of {task, reason, at}"}

BURNED = "burned.yaml"
"""File of an experiment folder that is an input whenever it is there; ``prereg tasks burn`` writes it."""

KEYS = ("task", "reason", "at")


def burned(data: bytes | None) -> dict[str, str]:
    """Give the burned tasks and why each was burned, in the order of the file; none where there is no file.

    Raises SpecErrors with every fault in it.
    """
    if data is None:
        return {}
    bag = Bag()
    found: dict[str, str] = {}
    for task, reason in _entries(read_tree(source_of(data, BURNED)), bag):
        if task.text in found:
            bag.add(_shape(f"task `{task.text}` is burned twice", task.span))
        found[task.text] = reason.text
    bag.raise_errors()
    return found


def _entries(tree: Node, bag: Bag) -> Iterator[tuple[Scalar, Scalar]]:
    if not isinstance(tree, Sequence):
        bag.add(_shape("the burned instances are no list", tree.span))
        return
    for item in tree.items:
        if not isinstance(item, MapNode):
            bag.add(_shape("a burned instance is a map", item.span))
            continue
        for key, _ in item.entries:
            if key.text not in KEYS:
                hint = nearest_hint(key.text, KEYS, what="keys")
                bag.add(Diagnostic(code="P317", summary=f"unknown key `{key.text}`", span=key.span, hint=hint))
        task, reason = item.get("task"), item.get("reason")
        if not _is_text(task):
            bag.add(_shape("a burned instance names no task", (task or item).span))
        elif not _is_text(reason):
            bag.add(_shape("a burned instance says no reason", (reason or item).span))
        else:
            assert isinstance(task, Scalar)
            assert isinstance(reason, Scalar)
            if len(reason.text.splitlines()) > 1:
                bag.add(_shape("a burned instance says its reason in more than one line", reason.span))
            yield task, reason


def _is_text(node: Node | None) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str) and bool(node.text.strip())


def _shape(summary: str, span: Span) -> Diagnostic:
    hint = "prereg tasks burn ID --reason TEXT writes it"
    return Diagnostic(code="P317", summary=summary, span=span, hint=hint)
