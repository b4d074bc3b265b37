"""Text to Spec, on one page: read, parse strictly, hold against the schema, read expressions and amounts, build."""

from dataclasses import dataclass

from spec_lang.build import build, read_leaves
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.model import Spec
from spec_lang.schema import Kinds, extended_schema, judge
from spec_lang.span import Source
from spec_lang.spans import Spans
from spec_lang.text import read_source
from spec_lang.yaml_tree import read_tree

__all__ = ["Loaded", "Spans", "load", "read_source"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """A well-formed spec, and where each key path of it stands."""

    spec: Spec
    spans: Spans
    source: Source
    warnings: tuple[Diagnostic, ...] = ()


def load(source: Source, more: Kinds | None = None) -> Loaded:
    """Read a spec. What its names and units mean is not checked here but by ``compiler.checks``.

    ``more`` are kinds that other distributions bring, beside those of the catalogue.

    Raises SpecErrors with every fault of shape, amount and expression, in the order of the text; a fault of YAML comes alone.
    """
    bag = Bag()
    tree = read_tree(source)
    shape = judge(tree, extended_schema(more) if more else None)
    bag.extend(shape.faults)
    leaves = read_leaves(tree, shape, bag)
    if any(each.severity == "error" for each in bag.diagnostics):
        raise SpecErrors(sorted(bag.diagnostics, key=_place))
    return Loaded(spec=build(tree, leaves), spans=Spans(tree), source=source, warnings=bag.warnings)


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.span
    return (span.start.line, span.start.column) if span else (0, 0)
