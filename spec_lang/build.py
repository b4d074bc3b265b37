"""A well-shaped tree to the nouns of the model: expressions are parsed, amounts read, every other scalar taken as it is."""

import types
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from spec_lang.amounts import AmountError, read_amount, read_range
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.expr.ast import Expression
from spec_lang.expr.parse import parse
from spec_lang.expr.patterns import PatternError, search
from spec_lang.model import Agent, Choice, Settings, Spec
from spec_lang.option_faults import option_faults
from spec_lang.places import places
from spec_lang.quantity import Quantity, Range
from spec_lang.schema import Shape
from spec_lang.span import Span
from spec_lang.spans import Path, find
from spec_lang.yaml_tree import MapNode, Node, Scalar, Sequence

CODES: Mapping[str, str] = {
    "P210": "an amount has no unit, an unknown one, or one of another dimension",
    "P211": "a pattern of a check is refused",
}

Leaf: TypeAlias = Quantity | Range | Expression
Leaves: TypeAlias = Mapping[Path, Leaf]


def read_leaves(tree: Node, shape: Shape, bag: Bag) -> Leaves:
    """Read the expressions and amounts of a tree, and collect their faults."""
    leaves: dict[Path, Leaf] = {}
    for path, dimension in shape.amounts.items():
        node = find(tree, path)
        assert isinstance(node, Scalar)
        try:
            leaves[path] = read_amount(node.text, dimension)
        except AmountError as fault:
            bag.add(Diagnostic(code="P210", summary=fault.summary, span=node.span, hint=fault.advice))
    for path, dimension in shape.ranges.items():
        node = find(tree, path)
        assert isinstance(node, Scalar)
        try:
            leaves[path] = read_range(node.text, dimension)
        except AmountError as fault:
            bag.add(Diagnostic(code="P210", summary=fault.summary, span=node.span, hint=fault.advice))
    for path in shape.expressions:
        node = find(tree, path)
        assert isinstance(node, Scalar)
        try:
            leaves[path] = parse(node.text, node.span, places(node))
        except SpecErrors as faults:
            bag.extend(faults.diagnostics)
    bag.extend(pattern_faults(tree, shape.patterns))
    bag.extend(option_faults(tree, shape))
    return leaves


def pattern_faults(tree: Node, paths: Iterable[Path]) -> Iterator[Diagnostic]:
    """Give what is wrong with the patterns that stand under some paths, each at its own characters."""
    for path in sorted(paths, key=str):
        node = find(tree, path)
        assert isinstance(node, Scalar)
        try:
            search(node.text)
        except PatternError as fault:
            at = places(node)
            end = at[min(max(fault.start + 1, fault.end), len(at) - 1)]
            span = Span(source=node.span.source, start=at[fault.start], end=end)
            advice = "patterns are searched in bounded time; see `matches` in the language reference"
            yield Diagnostic(code="P211", summary=fault.what, span=span, hint=advice)


def build(tree: Node, leaves: Leaves) -> Spec:
    """Build the Spec from a tree that the schema accepted and the leaves that were read from it."""
    return _CONVERTER.structure(_grown(tree, leaves, ()), Spec)


def settings_at(tree: Node, leaves: Leaves, key: str) -> Settings:
    """Give what stands under a key of a tree as the settings of a kind: amounts in base units."""
    return _settings(_grown(find(tree, (key,)), leaves, (key,)))  # type: ignore[no-any-return] # a map, as the schema says


def _grown(node: Node, leaves: Leaves, path: Path) -> Any:
    """Give a tree as plain data with its expressions and amounts in place."""
    match node:
        case Scalar(value=value):
            return leaves.get(path, value)
        case Sequence(items=items):
            return [_grown(each, leaves, (*path, place)) for place, each in enumerate(items)]
        case MapNode(entries=entries):
            return {key.text: _grown(value, leaves, (*path, key.text)) for key, value in entries}


def _settings(value: Any) -> Any:
    """Give settings as plain data: an amount counts in its base unit, whole where it is whole."""
    match value:
        case Quantity(base=base):
            return int(base) if base == base.to_integral_value() else base.normalize()
        case list():
            return [_settings(each) for each in value]
        case dict():
            return {key: _settings(each) for key, each in value.items()}
        case _:
            return value


_AGENT_KEYS = ("kind", "limits", "version", "model")


def _converter() -> Converter:
    """Make the converter: keys are field names without their trailing underscore, nothing is coerced."""
    converter = Converter(forbid_extra_keys=True, detailed_validation=False)

    def noun(cls: type[Any]) -> Any:
        renamed: dict[str, Any] = {
            name: override(rename=name[:-1]) for name in cls.__dataclass_fields__ if name.endswith("_")
        }
        return make_dict_structure_fn(cls, converter, **renamed)

    def choice(value: Any, _: Any) -> Choice:
        options = {key: _settings(each) for key, each in value.items() if key != "kind"}
        return Choice(kind=value["kind"], options=options)

    def agent(value: Any, cls: Any) -> Agent:
        said = {key: value[key] for key in _AGENT_KEYS if key in value}
        options = {key: each for key, each in value.items() if key not in _AGENT_KEYS}
        return noun(cls)({**said, "options": options}, cls)  # type: ignore[no-any-return] # cattrs does not say

    converter.register_structure_hook_factory(lambda cls: hasattr(cls, "__dataclass_fields__"), noun)
    converter.register_structure_hook_func(_is_leaf, lambda value, _: value)
    converter.register_structure_hook_func(lambda cls: cls is object, lambda value, _: _settings(value))
    converter.register_structure_hook(Choice, choice)
    converter.register_structure_hook(Agent, agent)
    converter.register_structure_hook_func(
        lambda cls: _is_union(cls) and set(get_args(cls)) == {Choice, Expression},
        lambda value, _: value if isinstance(value, Expression) else choice(value, None),
    )
    return converter


def _is_union(cls: Any) -> bool:
    return get_origin(cls) in (types.UnionType, Union)


def _is_leaf(cls: Any) -> bool:
    """Say whether a type's values are taken as they are: the schema has checked them."""
    if cls in (str, int, bool, Decimal, Quantity, Range, Expression) or get_origin(cls) is Literal:
        return True
    return _is_union(cls) and all(each in (int, str, bool) or get_origin(each) is Literal for each in get_args(cls))


_CONVERTER = _converter()
