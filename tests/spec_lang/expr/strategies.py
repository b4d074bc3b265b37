"""Random expressions: any tree that can be written, and trees that are well typed in a scope, with values for its names."""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st

from spec_lang.expr import ast
from spec_lang.expr.scope import Scope
from spec_lang.expr.types import (
    DIMENSIONS,
    BoolType,
    ColumnType,
    DateType,
    ListType,
    NumberType,
    TextType,
    Type,
    comparable,
)
from spec_lang.expr.values import UNKNOWN, Column, Value
from spec_lang.quantity import UNITS, Quantity

RESERVED = {"and", "or", "not", "in", "startswith", "matches", "true", "false"}

decimals = st.builds(lambda digits, places: Decimal(digits).scaleb(-places), st.integers(0, 10**9), st.integers(0, 6))
texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=8)
words = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,6}", fullmatch=True).filter(lambda word: word not in RESERVED)
names = st.lists(words, min_size=1, max_size=3).map(lambda parts: ast.Name(parts=tuple(parts)))
quantities = st.builds(lambda number, unit: Quantity(number=number, unit=unit), decimals, st.sampled_from(UNITS))

leaves = st.one_of(
    decimals.map(lambda value: ast.Number(value=value)),
    quantities.map(lambda quantity: ast.Amount(quantity=quantity)),
    texts.map(lambda value: ast.Text(value=value)),
    st.booleans().map(lambda value: ast.Truth(value=value)),
    names,
)


def _grown(inner: st.SearchStrategy[ast.Node]) -> st.SearchStrategy[ast.Node]:
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda items: ast.Items(items=tuple(items))),
        st.builds(lambda name, items: ast.Call(name=name, arguments=tuple(items)), names, st.lists(inner, max_size=3)),
        inner.map(lambda node: ast.Not(operand=node)),
        inner.map(lambda node: ast.Negation(operand=node)),
        st.builds(lambda low, high: ast.Range(low=low, high=high), inner, inner),
        st.builds(lambda s, a, b: ast.Arithmetic(sign=s, left=a, right=b), st.sampled_from("+-*/"), inner, inner),
        st.builds(
            lambda sign, left, right: ast.Comparison(sign=sign, left=left, right=right),
            st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "startswith", "matches"]),
            inner,
            inner,
        ),
        st.builds(
            lambda word, items: ast.Junction(word=word, items=tuple(items)),
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=2, max_size=3),
        ),
    )


trees = st.recursive(leaves, _grown, max_leaves=12)
"""Any tree, well typed or not."""


class Typed:
    """Well-typed trees of one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.columns = scope, scope.title == "per_arm"
        self.names: Mapping[str, Type] = {
            name: kind.of if isinstance(kind, ColumnType) else kind for name, kind in scope.names.items()
        }

    @cache  # noqa: B019 # the few scopes of the tests live as long as the tests
    def of(self, kind: Type, depth: int) -> st.SearchStrategy[ast.Node]:
        """Give trees of a type."""
        simple = self.leaf(kind)
        if depth == 0:
            return simple
        match kind:
            case BoolType():
                return st.one_of(simple, self.truths(depth - 1))
            case NumberType():
                return st.one_of(simple, self.numbers(kind, depth - 1))
            case _:
                return simple

    def leaf(self, kind: Type) -> st.SearchStrategy[ast.Node]:
        choices = [ast.Name(parts=tuple(name.split("."))) for name, of in self.names.items() if comparable(of, kind)]
        choices = [] if self.columns else choices
        named: list[st.SearchStrategy[ast.Node]] = [st.sampled_from(choices)] if choices else []
        match kind:
            case BoolType():
                return st.one_of(*named, st.booleans().map(lambda value: ast.Truth(value=value)))
            case NumberType():
                units = [unit for unit in UNITS if DIMENSIONS[unit.dimension] == kind]
                if units:
                    amounts = st.builds(
                        lambda n, u: ast.Amount(quantity=Quantity(number=n, unit=u)), decimals, st.sampled_from(units)
                    )
                    return st.one_of(*named, amounts)
                lists = [name for name, of in self.names.items() if isinstance(of, ListType)]
                counts = [
                    ast.Call(name=ast.Name(parts=("count",)), arguments=(ast.Name(parts=(each,)),)) for each in lists
                ]
                named += [st.sampled_from(counts)] if counts and kind == NumberType() else []
                return st.one_of(*named, decimals.map(lambda value: ast.Number(value=value)))
            case TextType():
                return (
                    st.one_of(*named, texts.map(lambda value: ast.Text(value=value))) if not kind.values else named[0]
                )
            case DateType():
                written = st.dates(date(2000, 1, 1), date(2030, 1, 1)).map(lambda day: ast.Text(value=day.isoformat()))
                calls = written.map(lambda text: ast.Call(name=ast.Name(parts=("date",)), arguments=(text,)))
                return st.one_of(*named, calls)
            case ListType():
                return named[0]
        raise AssertionError(kind)

    def dimension(self) -> st.SearchStrategy[NumberType]:
        found = {each for each in self.names.values() if isinstance(each, NumberType)} | {NumberType()}
        return st.sampled_from(sorted(found, key=repr))

    def numbers(self, kind: NumberType, depth: int) -> st.SearchStrategy[ast.Node]:
        inner = self.of(kind, depth)
        plain = self.of(NumberType(), depth)
        return st.one_of(
            inner.map(lambda node: ast.Negation(operand=node)),
            st.builds(lambda a, b: ast.Arithmetic(sign="*", left=a, right=b), inner, plain),
            st.builds(lambda a, b: ast.Arithmetic(sign="/", left=a, right=b), inner, plain),
            inner.map(lambda node: ast.Call(name=ast.Name(parts=("abs",)), arguments=(node,))),
            st.builds(
                lambda name, a, b: ast.Call(name=ast.Name(parts=(name,)), arguments=(a, b)),
                st.sampled_from(["min", "max"]),
                inner,
                inner,
            ),
        )

    def truths(self, depth: int) -> st.SearchStrategy[ast.Node]:
        inner = self.of(BoolType(), depth)
        signs = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
        compared = self.dimension().flatmap(
            lambda kind: st.builds(
                lambda sign, a, b: ast.Comparison(sign=sign, left=a, right=b),
                signs,
                self.of(kind, depth),
                self.of(kind, depth),
            )
        )
        ranged = self.dimension().flatmap(
            lambda kind: st.builds(
                lambda a, low, high: ast.Comparison(sign="in", left=a, right=ast.Range(low=low, high=high)),
                self.of(kind, depth),
                self.of(kind, 0),
                self.of(kind, 0).map(lambda node: ast.Arithmetic(sign="+", left=node, right=node)),
            )
        )
        text = self.leaf(TextType())
        return st.one_of(
            inner.map(lambda node: ast.Not(operand=node)),
            st.builds(
                lambda word, items: ast.Junction(word=word, items=tuple(items)),
                st.sampled_from(["and", "or"]),
                st.lists(inner, min_size=2, max_size=3),
            ),
            compared,
            ranged,
            st.builds(lambda a, b: ast.Comparison(sign="startswith", left=a, right=b), text, text),
            self.of(NumberType(), depth).map(lambda node: ast.Call(name=ast.Name(parts=("known",)), arguments=(node,))),
        )


def values(kind: Type, rows: int = 3) -> st.SearchStrategy[Value]:
    """Give values of a type, the unknown among them."""
    match kind:
        case NumberType():
            known: st.SearchStrategy[Value] = st.fractions(max_denominator=1000, min_value=-100, max_value=100)
        case BoolType():
            known = st.booleans()
        case TextType(values=possible):
            known = st.sampled_from(possible) if possible else texts
        case DateType():
            known = st.integers(0, 9999).map(lambda days: date(2000, 1, 1) + timedelta(days=days))
        case ListType(item=item) if item is not None:
            known = st.lists(values(item), max_size=3).map(tuple)
        case ColumnType(of=of):
            return st.lists(values(of), min_size=rows, max_size=rows).map(lambda each: Column(tuple(each)))
        case _:
            known = st.just(Fraction(0))
    return st.one_of(st.just(UNKNOWN), known)


def facts(scope: Scope) -> st.SearchStrategy[dict[str, Value]]:
    """Give a value for some of a scope's names; the rest is absent."""
    return st.integers(0, 4).flatmap(
        lambda rows: st.fixed_dictionaries(
            {}, optional={name: values(kind, rows) for name, kind in scope.names.items()}
        )
    )
