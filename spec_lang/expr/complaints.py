"""How faults of types and names are said: which text, what it is, what was needed, what was probably meant."""

from collections.abc import Mapping
from decimal import Decimal

from spec_lang.diagnostics import Diagnostic
from spec_lang.expr import ast, patterns
from spec_lang.expr.builtins import BY_NAME
from spec_lang.expr.scope import Scope
from spec_lang.expr.types import FAULTY, NUMBER, POINTS, SHARE, NumberType, Type, describe, unit_name
from spec_lang.expr.unparse import number_text, unparse
from spec_lang.expr.wording import fields, listed, shown, with_article, written
from spec_lang.nearest import hint

CODES: Mapping[str, str] = {
    "P230": "a name is not known at this place",
    "P231": "an endpoint, check or limit has no such field",
    "P232": "a name may not be read at this place",
    "P233": "two values cannot be compared, added or subtracted: their units or types differ",
    "P234": "a value has the wrong type for an operator, a function or a place",
    "P235": "a function is not known, may not be called here, or has the wrong number of arguments",
    "P236": "a range is empty",
    "P237": "a column stands outside of sum, mean, median, share or count",
    "P238": "text is compared with a value that never occurs",
    "P239": "a pattern of `matches` is refused",
    "P240": "a date is not a date",
}


_UNITS_TO_WRITE = {"s": "min", "bytes": "MB", "task": "tasks", "trial": "trials", "turn": "turns", "token": "tokens"}


class Complaints:
    """What is wrong with one expression in one scope, as it is found."""

    def __init__(self, expression: ast.Expression, scope: Scope) -> None:
        self.expression, self.scope = expression, scope
        self.faults: list[Diagnostic] = []

    def fault(self, code: str, node: ast.Node, summary: str, advice: str | None = None) -> Type:
        """Keep one fault at a node; its type fits everything from now on."""
        span = self.expression.where(node)
        self.faults.append(Diagnostic(code=code, summary=summary, span=span, hint=advice))
        return FAULTY

    def unknown_name(self, node: ast.Name) -> Type:
        """Say why a name cannot be read: it belongs elsewhere, lacks a field, or was spelt otherwise."""
        scope, head = self.scope, node.parts[0]
        if head in scope.foreign:
            return self.fault("P232", node, scope.foreign[head])
        if node.text in scope.absent:
            return self.fault("P231", node, f"`{head}` has no `{node.parts[-1]}`: {scope.absent[node.text]}")
        if node.text in scope.methods:
            return self.fault(
                "P231", node, f"`{node.text}` needs an arm", f"`{node.text}({scope.methods[node.text].takes[0]})`"
            )
        known_fields = fields(scope, head)
        if head in scope.owners and known_fields:
            if len(node.parts) == 1:
                what = f"`{head}` is {with_article(scope.owners[head])}; name a field"
                return self.fault("P231", node, what, listed(head, known_fields))
            field = ".".join(node.parts[1:])
            advice = hint(field, known_fields, what="fields")
            return self.fault("P231", node, f"no field `{field}` on {scope.owners[head]} `{head}`", advice)
        if head in BY_NAME and len(node.parts) == 1:
            return self.fault("P230", node, f"`{head}` is a function", f"call it: `{BY_NAME[head].signature}`")
        known = sorted({each.split(".")[0] for each in scope.names} | set(scope.names))
        return self.fault("P230", node, f"unknown name `{node.text}`", hint(node.text, known, what="names known here"))

    def pattern_fault(self, node: ast.Text, fault: patterns.PatternError) -> Diagnostic:
        """Show a pattern's fault at its own characters; an escaped character of the text counts twice."""
        widths = [2 if each in '"\\' else 1 for each in node.value]
        start = node.at[0] + 1 + sum(widths[: fault.start])
        end = max(start + 1, node.at[0] + 1 + sum(widths[: fault.end]))
        span = ast.between(self.expression.span, self.expression.places, start, end)
        advice = "patterns are searched in bounded time; see `matches` in the language reference"
        return Diagnostic(code="P239", summary=fault.what, span=span, hint=advice)

    def differ(self, node: ast.Arithmetic | ast.Comparison | ast.Range, sign: str, left: Type, right: Type) -> Type:
        """Say that two sides do not go together, with the unit that was probably forgotten."""
        one, other = (node.low, node.high) if isinstance(node, ast.Range) else (node.left, node.right)
        for side, kind, facing, partner in ((other, right, left, one), (one, left, right, other)):
            amount = written(side)
            if amount is None or kind not in (NUMBER, SHARE) or not isinstance(facing, NumberType):
                continue
            if facing == POINTS and kind == SHARE:
                what = f"`%` is a share, `{shown(partner)}` is a difference of shares"
                return self.fault("P233", side, what, f"write `{amount} pp`")
            if facing == POINTS:
                advice = f"write `{number_text(Decimal(amount) * 100)} pp`"
                return self.fault("P233", side, "a difference of shares needs a unit", advice)
            if facing.units and kind == NUMBER:
                unit = _UNITS_TO_WRITE.get(unit_name(facing), unit_name(facing))
                what = f"`{unparse(partner)}` is {describe(facing)}, `{amount}` has no unit"
                return self.fault("P233", side, what, f"write `{amount} {unit}`")
        verb = {"+": "added", "-": "subtracted", "..": "put in one range"}.get(sign, "compared")
        summary = (
            f"`{unparse(one)}` is {describe(left)}, `{unparse(other)}` is {describe(right)}; they cannot be {verb}"
        )
        return self.fault("P233", node, summary)
