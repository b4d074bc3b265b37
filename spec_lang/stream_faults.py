"""Options of checks over what an agent did that fit their schema and yet can change nothing, or can never hold."""

from collections.abc import Iterator, Mapping

from spec_lang.diagnostics import Diagnostic
from spec_lang.spans import Path, find
from spec_lang.yaml_tree import MapNode, Node, Scalar, Sequence

CODES: Mapping[str, str] = {"P241": "an option of a check that changes nothing, or under which nothing can hold"}

_RANGED = ("read", "other", "any")
"""Families whose calls may ask for a part of a file."""


def stream_faults(tree: Node, idle: Mapping[Path, str]) -> Iterator[Diagnostic]:
    """Give what is idle; ``idle``: place → what stands there, as ``x-idle`` of its schema says."""
    for path, what in sorted(idle.items(), key=str):
        node = find(tree, path)
        if what == "seen" and isinstance(node, MapNode):
            yield from _seen(node)
        elif what == "rule" and isinstance(node, MapNode):
            yield from _counts(node)
        elif what == "lines" and isinstance(node, Sequence):
            yield from _lines(node)
        elif what == "functions":
            yield from _alone(tree, path)


def _seen(node: MapNode) -> Iterator[Diagnostic]:
    call, path, ranged = _word(node, "call"), node.key("path"), node.key("ranged")
    if call == "shell" and path is not None:
        what, hint = "a call of `shell` names no file, so none is ever found", "say what its command holds: `matches`"
        yield Diagnostic(code="P241", summary=what, span=path.span, hint=hint)
    if call is not None and call not in _RANGED and ranged is not None:
        what = f"a call of `{call}` asks for no part of a file"
        yield Diagnostic(code="P241", summary=what, span=ranged.span, hint="leave it out, or say `call: read`")


def _counts(node: MapNode) -> Iterator[Diagnostic]:
    least, most = _number(node, "least"), _number(node, "most")
    key = node.key("least")
    if key is None or least is None:
        return
    if most is not None and least > most:
        what = f"at least {least} and at most {most} cannot both be"
        yield Diagnostic(code="P241", summary=what, span=key.span, hint="`least` is the smaller one")
    elif least == 0 and most is None:
        what, hint = "at least 0 times is always so", "leave it out for once at least, or say `most`"
        yield Diagnostic(code="P241", summary=what, span=key.span, hint=hint)


def _lines(node: Sequence) -> Iterator[Diagnostic]:
    ends = [each.value for each in node.items if isinstance(each, Scalar) and isinstance(each.value, int)]
    if len(ends) == 2 and ends[0] > ends[1]:
        what, hint = f"no line lies from {ends[0]} to {ends[1]}", f"write `[{ends[1]}, {ends[0]}]`"
        yield Diagnostic(code="P241", summary=what, span=node.span, hint=hint)


def _alone(tree: Node, path: Path) -> Iterator[Diagnostic]:
    check = find(tree, path[:-1])
    key = check.key(str(path[-1])) if isinstance(check, MapNode) else None
    if isinstance(check, MapNode) and key is not None and check.get("functions") is None:
        what = f"`{path[-1]}` is about the files under `functions`, and there are none"
        yield Diagnostic(code="P241", summary=what, span=key.span, hint="name them, or leave it out")


def _word(node: MapNode, key: str) -> str | None:
    said = node.get(key)
    return said.value if isinstance(said, Scalar) and isinstance(said.value, str) else None


def _number(node: MapNode, key: str) -> int | None:
    said = node.get(key)
    return said.value if isinstance(said, Scalar) and type(said.value) is int else None
