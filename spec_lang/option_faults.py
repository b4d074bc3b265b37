"""What a schema cannot say of options: code patterns parse in their language, numbers have units, and names in a list differ."""

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode, SgRoot

from spec_lang.diagnostics import Diagnostic
from spec_lang.places import places
from spec_lang.schema import Shape
from spec_lang.span import Span
from spec_lang.spans import Path, find
from spec_lang.stream_faults import stream_faults
from spec_lang.yaml_tree import MapNode, Node, Scalar, Sequence

CODES: Mapping[str, str] = {
    "P212": "a code pattern does not parse in its language",
    "P213": "a number has no unit, or another one than what it is compared with",
    "P214": "two items of a list have one name",
}

_MEASURED = re.compile(r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e-?[0-9]{1,2})?) (\S+)\Z")
_HOLE = re.compile(r"\$(?=[$A-Z_])|(?<=\$)\$")
_STANDS_FOR = "µ"
"""A letter in every language, put where a pattern has a hole: the rest must then be code."""


def option_faults(tree: Node, shape: Shape) -> Iterator[Diagnostic]:
    """Give what is wrong with the code patterns and the measured numbers of a tree, each at its place."""
    for path in sorted(shape.code, key=str):
        node = find(tree, path)
        assert isinstance(node, Scalar)
        fault = _code_fault(node, _beside(tree, path, "language") or "python")
        if fault is not None:
            yield fault
    for path, distinct in sorted(shape.distinct.items(), key=str):
        yield from _twice(tree, path, distinct)
    yield from stream_faults(tree, shape.idle)
    for path in sorted(shape.measured, key=str):
        node = find(tree, path)
        if isinstance(node, Scalar):
            yield from _unit_fault(node, shape.measured[path], _beside(tree, path, "expect"), str(path[-1]))


def _twice(tree: Node, path: Path, key: str) -> Iterator[Diagnostic]:
    """Give the items of a list that are named like an earlier one: whoever reads a name could not tell which is meant."""
    seen: set[str] = set()
    listed = find(tree, path)
    for each in listed.items if isinstance(listed, Sequence) else ():
        named = each.get(key) if isinstance(each, MapNode) else None
        if isinstance(named, Scalar):
            if named.text in seen:
                summary = f"`{named.text}` is named twice"
                yield Diagnostic(code="P214", summary=summary, span=named.span, hint="give each its own name")
            seen.add(named.text)


def _beside(tree: Node, path: Path, key: str) -> str | None:
    """Give the text under a key of the nearest map around a place that has it."""
    for depth in range(len(path) - 1, -1, -1):
        above = find(tree, path[:depth])
        found = above.get(key) if isinstance(above, MapNode) else None
        if isinstance(found, Scalar):
            return found.text
    return None


def _code_fault(node: Scalar, language: str) -> Diagnostic | None:
    try:
        root = SgRoot(_HOLE.sub(_STANDS_FOR, node.text), language).root()
    except (ValueError, RuntimeError):
        return None  # the language is not one of ours, which the schema has said
    wrong = _wrong(root)
    if wrong is not None:
        start, end = wrong
        advice = "a pattern is whole code: `old($$$)`, `$X.fetch($A, $$$)`"
        summary = f"the pattern is no {language}" + (f" from `{node.text[start:end][:20]}` on" if start else "")
    elif len(statements := [each for each in root.children() if each.is_named()]) != 1:
        start, end = (statements[1].range().start.index, len(node.text)) if len(statements) > 1 else (0, len(node.text))
        advice = "give each its own pattern"
        summary = f"a pattern is one piece of code, not {len(statements)}"
    else:
        return None
    at = places(node)
    last = len(at) - 1
    span = Span(source=node.span.source, start=at[min(start, last)], end=at[min(max(end, start + 1), last)])
    return Diagnostic(code="P212", summary=summary, span=span, hint=advice)


def _wrong(root: SgNode) -> tuple[int, int] | None:
    """Give the stretch at which code stops being code, or None."""
    error = root.find(kind="ERROR")
    if error is not None:
        inner = [each.range() for each in error.children()]
        last = inner[-1] if inner else error.range()
        return last.start.index, error.range().end.index
    for each in (root, *root.find_all(regex="^$")):  # what a parser adds to go on is empty
        if each is not root and not each.children() and each.text() == "" and each.kind() not in ("module", "program"):
            return each.range().start.index, each.range().end.index
    return None


def _unit_fault(node: Scalar, wanted: bool | str, expected: str | None, key: str) -> Iterator[Diagnostic]:
    example = "1 %" if wanted == "%" else "0.5 kg"
    found = _MEASURED.match(node.text) if isinstance(node.value, str) else None
    if found is None:
        advice = f"write it like `{example}`; the unit of a number without one is `1`"
        yield Diagnostic(code="P213", summary=f"`{node.text}` is no number with its unit", span=node.span, hint=advice)
        return
    unit = found[2]
    other = _MEASURED.match(expected) if expected is not None else None
    if wanted == "%" and unit != "%":
        summary = f"a relative tolerance is a share in `%`, not in `{unit}`"
        yield Diagnostic(code="P213", summary=summary, span=node.span, hint=f"write it like `{example}`, or `absolute`")
    elif wanted is True and other is not None and unit != other[2]:
        summary = f"the tolerance is in `{unit}`, the number in `{other[2]}`"
        yield Diagnostic(code="P213", summary=summary, span=node.span, hint=f"give both in `{other[2]}`")
    elif found[1].startswith("-") and key in ("absolute", "relative"):
        yield Diagnostic(code="P213", summary=f"a tolerance is not negative: `{node.text}`", span=node.span)
