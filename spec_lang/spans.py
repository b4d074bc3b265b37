"""Key paths of a tree: what stands under them, and where."""

from typing import TypeAlias

from spec_lang.span import Span
from spec_lang.yaml_tree import MapNode, Node, Scalar, Sequence

Path: TypeAlias = tuple[str | int, ...]


def child(node: Node, step: str | int) -> Node | None:
    """Give the part of a node under a key or an index, or None."""
    if isinstance(node, MapNode) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
        return node.items[step]
    return None


def find(tree: Node, path: Path) -> Node:
    """Give the node under a path, or its nearest ancestor that exists."""
    here = tree
    for step in path:
        below = child(here, step)
        if below is None:
            return here
        here = below
    return here


class Spans:
    """Where each key path of a document stands."""

    def __init__(self, tree: Node) -> None:
        self._tree = tree

    def at(self, *path: str | int) -> Span:
        """Give the span of the value under a path, or of its nearest ancestor; a map or list in block style shows its key."""
        known = self._known(path)
        node = find(self._tree, known)
        if isinstance(node, Scalar) or not known:
            return node.span
        flow = node.span.start.line == node.span.end.line and node.span.end.column > node.span.start.column
        return node.span if flow else self.key(*known)

    def key(self, *path: str | int) -> Span:
        """Give the span of the key itself at the end of a path; of an item of a list, the item's."""
        known = self._known(path)
        if not known:
            return self._tree.span
        parent, last = find(self._tree, known[:-1]), known[-1]
        key = parent.key(str(last)) if isinstance(parent, MapNode) else None
        return key.span if key is not None else find(self._tree, known).span

    def _known(self, path: Path) -> Path:
        """Cut a path where the document ends."""
        here, known = self._tree, 0
        for step in path:
            below = child(here, step)
            if below is None:
                break
            here, known = below, known + 1
        return path[:known]
