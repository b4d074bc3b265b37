"""Types of expressions: every fault is found before anything runs, and said with its units at its place."""

from spec_lang.diagnostics import Diagnostic
from spec_lang.expr import ast, patterns
from spec_lang.expr.builtins import BY_NAME, Builtin
from spec_lang.expr.complaints import Complaints
from spec_lang.expr.scope import Scope
from spec_lang.expr.types import (
    BOOL,
    DIMENSIONS,
    FAULTY,
    NUMBER,
    TEXT,
    BoolType,
    ColumnType,
    DateType,
    FaultyType,
    ListType,
    NumberType,
    RangeType,
    TextType,
    Type,
    comparable,
    describe,
    product,
    total,
)
from spec_lang.expr.unparse import unparse
from spec_lang.expr.values import day
from spec_lang.expr.wording import aggregated, is_zero, literal
from spec_lang.nearest import hint


def check(expression: ast.Expression, scope: Scope, want: Type | None = None) -> tuple[Type, tuple[Diagnostic, ...]]:
    """Derive an expression's type in a scope, and collect its faults.

    ``want`` is the type its place needs (None: any). With faults the type may be FAULTY, which fits everywhere.
    An expression without faults never fails when it is evaluated.
    """
    checker = _Checker(expression, scope)
    kind = checker.type_of(expression.tree)
    if want is not None and not fits(kind, want):
        text = expression.text
        checker.fault("P234", expression.tree, f"`{text}` is {describe(kind)}; {describe(want)} is needed here")
    return kind, tuple(checker.faults)


def fits(kind: Type, want: Type) -> bool:
    """Say whether a value of one type may stand where another is needed."""
    if isinstance(kind, FaultyType):
        return True
    return comparable(kind, want)


class _Checker(Complaints):
    """One walk over one expression."""

    def __init__(self, expression: ast.Expression, scope: Scope) -> None:
        super().__init__(expression, scope)
        self.aggregating = False

    def type_of(self, node: ast.Node) -> Type:  # noqa: C901 # one case a kind of node
        match node:
            case ast.Number():
                return NUMBER
            case ast.Amount(quantity=quantity):
                return DIMENSIONS[quantity.unit.dimension]
            case ast.Text(value=value):
                return TextType(values=(value,))
            case ast.Truth():
                return BOOL
            case ast.Name():
                return self.name(node)
            case ast.Items(items=items):
                return self.items(items)
            case ast.Call():
                return self.call(node)
            case ast.Not(operand=operand):
                return self.truth(operand, "not")
            case ast.Junction(items=items, word=word):
                for each in items:
                    self.truth(each, word)
                return BOOL
            case ast.Negation(operand=operand):
                return self.number(operand, "a minus")
            case ast.Range():
                return self.range(node)
            case ast.Arithmetic():
                return self.arithmetic(node)
            case ast.Comparison():
                return self.comparison(node)

    def truth(self, node: ast.Node, word: str) -> Type:
        kind = self.type_of(node)
        if not isinstance(kind, BoolType | FaultyType):
            self.fault("P234", node, f"`{word}` takes what is true or false; `{unparse(node)}` is {describe(kind)}")
        return BOOL

    def number(self, node: ast.Node, what: str) -> NumberType | FaultyType:
        kind = self.type_of(node)
        if isinstance(kind, NumberType | FaultyType):
            return kind
        self.fault("P234", node, f"{what} needs a number; `{unparse(node)}` is {describe(kind)}")
        return FAULTY

    # --- names ---

    def name(self, node: ast.Name) -> Type:
        kind = self.scope.names.get(node.text)
        if kind is None:
            return self.unknown_name(node)
        if not isinstance(kind, ColumnType):
            return kind
        if self.aggregating:
            return kind.of
        example = aggregated(self.expression.tree, self.scope)
        return self.fault("P237", node, f"`{node.text}` is a column", f"aggregate it: {example}")

    # --- lists and ranges ---

    def items(self, items: tuple[ast.Node, ...]) -> Type:
        kinds = [self.type_of(each) for each in items]
        if not kinds:
            return ListType(item=None)
        for each, kind in zip(items[1:], kinds[1:], strict=True):
            if not comparable(kinds[0], kind):
                what = f"a list holds one type: `{unparse(items[0])}` is {describe(kinds[0])}, `{unparse(each)}` is {describe(kind)}"
                self.fault("P234", each, what)
        if all(isinstance(kind, TextType) for kind in kinds):
            return ListType(item=TEXT)
        return ListType(item=kinds[0])

    def range(self, node: ast.Range) -> Type:
        low, high = self.number(node.low, "a range"), self.number(node.high, "a range")
        if isinstance(low, FaultyType) or isinstance(high, FaultyType):
            return FAULTY
        zeros = is_zero(node.low), is_zero(node.high)
        if not comparable(low, high) and not any(zeros):
            return self.differ(node, "..", low, high)
        first, last = literal(node.low), literal(node.high)
        if first is not None and last is not None and first > last:
            return self.fault("P236", node, f"empty range: {unparse(node.low)} is above {unparse(node.high)}")
        return RangeType(of=high if zeros[0] else low)

    # --- operators ---

    def arithmetic(self, node: ast.Arithmetic) -> Type:
        what = f"`{node.sign}`"
        left, right = self.number(node.left, what), self.number(node.right, what)
        if isinstance(left, FaultyType) or isinstance(right, FaultyType):
            return FAULTY
        if node.sign in ("*", "/"):
            return product(left, right, "*" if node.sign == "*" else "/")
        if is_zero(node.right):
            return left
        if is_zero(node.left):
            return right
        sign = "+" if node.sign == "+" else "-"
        kind = total(left, right, "+" if sign == "+" else "-")
        return self.differ(node, sign, left, right) if kind is None else kind

    def comparison(self, node: ast.Comparison) -> Type:
        left, right = self.type_of(node.left), self.type_of(node.right)
        if isinstance(left, FaultyType) or isinstance(right, FaultyType):
            return BOOL
        match node.sign:
            case "in":
                self.membership(node, left, right)
            case "startswith" | "matches":
                self.text_comparison(node, left, right)
            case sign:
                numbers = isinstance(left, NumberType) and isinstance(right, NumberType)
                if numbers and (is_zero(node.left) or is_zero(node.right)):
                    return BOOL
                if not comparable(left, right):
                    self.differ(node, sign, left, right)
                elif sign in ("==", "!="):
                    self.occurs(node, left, node.right)
                    self.occurs(node, right, node.left)
                elif not isinstance(left, NumberType | DateType):
                    self.fault(
                        "P234", node, f"`{sign}` puts in order; {describe(left)} has no order", "use `==`, `!=` or `in`"
                    )
        return BOOL

    def text_comparison(self, node: ast.Comparison, left: Type, right: Type) -> None:
        for side, kind in ((node.left, left), (node.right, right)):
            if not isinstance(kind, TextType):
                self.fault("P234", side, f"`{node.sign}` compares text; `{unparse(side)}` is {describe(kind)}")
        if node.sign != "matches" or not isinstance(right, TextType):
            return
        if not isinstance(node.right, ast.Text):
            self.fault("P239", node.right, "`matches` needs its pattern written out")
            return
        try:
            patterns.search(node.right.value)
        except patterns.PatternError as fault:
            self.faults.append(self.pattern_fault(node.right, fault))

    def membership(self, node: ast.Comparison, left: Type, right: Type) -> None:
        if isinstance(right, RangeType):
            if not isinstance(left, NumberType):
                what = f"`in` {unparse(node.right)} needs a number; `{unparse(node.left)}` is {describe(left)}"
                self.fault("P234", node.left, what)
            elif not comparable(left, right.of):
                self.differ(node, "in", left, right.of)
        elif not isinstance(right, ListType):
            self.fault(
                "P234", node.right, f"`in` needs a list or a range; `{unparse(node.right)}` is {describe(right)}"
            )
        elif right.item is not None and not comparable(left, right.item):
            self.differ(node, "in", left, right.item)
        elif isinstance(node.right, ast.Items):
            for each in node.right.items:
                self.occurs(node, left, each)

    def occurs(self, node: ast.Comparison, kind: Type, literal: ast.Node) -> None:
        """Refuse text that its partner can never be."""
        if not isinstance(kind, TextType) or not kind.values or not isinstance(literal, ast.Text):
            return
        other = node.left if literal is not node.left else node.right
        if literal.value not in kind.values and not isinstance(other, ast.Text):
            advice = hint(literal.value, kind.values, what="values")
            self.fault("P238", literal, f'`{unparse(other)}` is never "{literal.value}"', advice)

    # --- calls ---

    def call(self, node: ast.Call) -> Type:
        name, scope = node.name.text, self.scope
        if len(node.name.parts) > 1:
            return self.method(node)
        builtin = BY_NAME.get(name)
        if builtin is None:
            return self.fault(
                "P235", node.name, f"unknown function `{name}`", hint(name, scope.calls, what="functions")
            )
        if scope.title not in builtin.scopes:
            where = ", ".join(builtin.scopes)
            return self.fault("P235", node.name, f"`{name}` cannot be called here", f"it belongs to: {where}")
        if len(node.arguments) != builtin.arity:
            return self.fault(
                "P235", node, f"`{name}` takes {builtin.arity}, not {len(node.arguments)}", f"`{builtin.signature}`"
            )
        return self.builtin(node, builtin)

    def builtin(self, node: ast.Call, builtin: Builtin) -> Type:
        arguments = node.arguments
        if builtin.literal and not isinstance(arguments[0], ast.Text):
            return self.fault("P234", arguments[0], f"`{builtin.name}` takes text in quotes", f"`{builtin.signature}`")
        if builtin.name == "date":
            return self.date(arguments[0])
        aggregates = builtin.aggregate and self.scope.title == "per_arm"
        if aggregates and self.aggregating:
            return self.fault("P237", node, f"`{builtin.name}` inside another aggregate")
        before, self.aggregating = self.aggregating, self.aggregating or aggregates
        kinds = [self.type_of(each) for each in arguments]
        self.aggregating = before
        if any(isinstance(kind, FaultyType) for kind in kinds):
            return FAULTY
        if aggregates and not any(name in self.scope.names for name in ast.reads(arguments[0])):
            return self.fault(
                "P237", arguments[0], f"`{builtin.name}` needs a column; `{unparse(arguments[0])}` reads none"
            )
        result = builtin.result(*kinds)
        if isinstance(result, str):
            shown = [f"`{unparse(each)}`" for each in arguments]
            return self.fault(
                "P234", arguments[0], f"`{builtin.name}` {result.format(*shown)}", f"`{builtin.signature}`"
            )
        return result

    def date(self, argument: ast.Node) -> Type:
        text = argument.value if isinstance(argument, ast.Text) else ""
        try:
            if len(text) != len("2026-07-01"):
                raise ValueError(text)
            day(text)
        except ValueError:
            self.fault("P240", argument, f'"{text}" is not a day', 'write date("2026-07-01")')
        return DateType()

    def method(self, node: ast.Call) -> Type:
        name, method = node.name.text, self.scope.methods.get(node.name.text)
        if method is None:
            if name in self.scope.names:
                return self.fault("P231", node, f"`{name}` is a field, not a call", f"write `{name}`")
            return self.unknown_name(node.name)
        if len(node.arguments) != 1 or not isinstance(node.arguments[0], ast.Name):
            return self.fault("P235", node, f"`{name}` takes one {method.what}", f"`{name}({method.takes[0]})`")
        word = node.arguments[0]
        if word.text not in method.takes:
            advice = hint(word.text, method.takes, what=f"{method.what}s")
            self.fault(
                "P230", word, f"no {method.what} `{word.text}`", advice or f"{method.what}s: {', '.join(method.takes)}"
            )
        return method.result
