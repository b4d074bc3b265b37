"""Text to tree, with faults shown at the character of the source where they stand."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive, v_args

from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.expr import ast
from spec_lang.expr.unparse import unparse
from spec_lang.nearest import hint
from spec_lang.quantity import UNITS, Quantity
from spec_lang.span import Position, Source, Span

CODES: Mapping[str, str] = {
    "P220": "an expression cannot be read: something else was expected at this place",
    "P221": "text in an expression has no closing quote",
    "P222": "a parenthesis or bracket has no partner",
    "P223": 'a date stands without date("…")',
    "P224": "a unit is not known",
    "P225": "a number is written in a way that is refused (exponent, underscore, leading zero, too many digits)",
    "P226": "an expression is too long or too deep",
}

LONGEST, DEEPEST, MOST_DIGITS = 4_000, 40, 15
"""Bounds of one expression: characters, nesting, digits of a number (what a double can show again)."""

_UNITS = {unit.name: unit for unit in UNITS}
_STRING = re.compile(r'"(?:\\["\\]|[^"\\\n])*"')
_DATE = re.compile(r"(?<![\w.])\d{4}-\d{2}-\d{2}(?![\w.])")

# What people write who come from another language: (what stands at the fault, code, summary, hint).
_HABITS: tuple[tuple[re.Pattern[str], str, str, str], ...] = tuple(
    (re.compile(pattern), code, summary, advice)
    for pattern, code, summary, advice in (
        (r"=(?!=)", "P220", "`=` does not compare", "write `==`"),
        (r"&&?", "P220", "`&` is not a word of this language", "write `and`"),
        (r"\|\|?", "P220", "`|` is not a word of this language", "write `or`"),
        (r"!(?!=)", "P220", "`!` is not a word of this language", "write `not`"),
        (r"'", "P220", "text stands in double quotes", 'write `"…"`'),
        (r"(?<=\*)\*|\^", "P220", "there are no powers", "multiply"),
        (r"\d+(\.\d+)?[eE][-+]?\d", "P225", "a number with an exponent", "write it out: `0.001`"),
        (r"\d[\d]*_\d", "P225", "a number with an underscore", "write its digits only"),
        (r"0\d", "P225", "a number with a leading zero", "write it without"),
        (
            r"\d+(\.\d+)?(?=[A-Za-z%])",
            "P220",
            "a number and its unit stand apart",
            "put a space between them: `20 min`",
        ),
    )
)


@cache
def _grammar() -> Lark:
    text = (Path(__file__).parent / "grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", propagate_positions=True, maybe_placeholders=False)


def parse(text: str, span: Span | None = None, places: Sequence[Position] | None = None) -> ast.Expression:
    """Read an expression.

    ``span`` is where the text stands in a source; ``places`` gives the position of each of its characters and of its
    end (needed where the source is quoted, folded or a block). Without them the text is a source of its own.
    Raises SpecErrors with every fault found, each at its character.
    """
    if span is None:
        whole = Source(name="expression", text=text)
        places = _positions(text, Position(line=1, column=1)) if places is None else places
        span = Span(source=whole, start=places[0], end=places[-1])
    elif places is None:
        places = _positions(text, span.start)
    reading = _Reading(text, span, tuple(places))
    reading.refuse_before_parsing()
    tree = reading.parse()
    return ast.Expression(text=unparse(tree), tree=tree, span=span, places=reading.places)


def _positions(text: str, start: Position) -> tuple[Position, ...]:
    """Give the position of each character of ``text`` and of its end, when it stands in the source as it is."""
    found, line, column = [], start.line, start.column
    for character in text:
        found.append(Position(line=line, column=column))
        line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
    return (*found, Position(line=line, column=column))


class _Reading:
    """One text on its way to a tree."""

    def __init__(self, text: str, span: Span, places: tuple[Position, ...]) -> None:
        self.text, self.span, self.places = text, span, places
        self.blank = _STRING.sub(lambda found: '"' + " " * (len(found[0]) - 2) + '"', text)
        """The text with the content of its strings blanked out."""

    def fault(self, code: str, summary: str, start: int, end: int, advice: str | None = None) -> Diagnostic:
        span = ast.between(self.span, self.places, start, end)
        return Diagnostic(code=code, summary=summary, span=span, hint=advice)

    def refuse_before_parsing(self) -> None:
        """Refuse what would parse as something else, or could exhaust the parser."""
        if len(self.text) > LONGEST:
            raise SpecErrors([self.fault("P226", f"an expression longer than {LONGEST} characters", 0, LONGEST)])
        found = [
            self.fault("P223", f'a date is written date("{date[0]}")', date.start(), date.end())
            for date in _DATE.finditer(self.blank)
        ]
        found += [
            self.fault("P225", f"a number with more than {MOST_DIGITS} digits", number.start(), number.end())
            for number in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?", self.blank)
            if len(number[0].replace(".", "").lstrip("0")) > MOST_DIGITS
        ]
        if found:
            raise SpecErrors(found)

    def parse(self) -> ast.Node:
        try:
            read = _grammar().parse(self.text)
        except UnexpectedInput as fault:
            raise SpecErrors([self.explain(fault)]) from None
        builder = _Builder(self)
        tree: ast.Node = builder.transform(read)
        if builder.faults:
            raise SpecErrors(builder.faults)
        if _depth(tree) > DEEPEST:
            raise SpecErrors([self.fault("P226", f"an expression nested deeper than {DEEPEST}", *tree.at)])
        return tree

    def explain(self, fault: UnexpectedInput) -> Diagnostic:
        """Say in the author's words what the parser stumbled over."""
        at = fault.pos_in_stream
        if isinstance(fault, UnexpectedEOF) or at is None or at < 0 or _at_end(fault):
            at = len(self.text.rstrip())
        quote = self.open_quote()
        if quote is not None:
            return self.fault("P221", "text without a closing quote", quote, len(self.text), self.cut_hint())
        if self.text[at : at + 1] == '"':
            advice = "an expression cannot go on after this text: join with `and`, `or` or an operator"
            return self.fault("P220", "unexpected text", at, at + 1, advice)
        for pattern, code, summary, advice in _HABITS:
            found = pattern.match(self.blank, at)
            if found is not None:
                return self.fault(code, summary, at, found.end(), advice)
        lonely = self.lonely_bracket()
        if lonely is not None:
            advice = (
                "in a YAML list `[a, b]` a comma ends an item, in a YAML map too: "
                "write the condition on a line of its own, or in single quotes"
            )
            return self.fault("P222", f"`{self.text[lonely]}` has no partner", lonely, lonely + 1, advice)
        if isinstance(fault, UnexpectedToken) and fault.token.type == "COMPARE":
            summary = f"comparisons do not chain: a second `{fault.token}`"
            return self.fault("P220", summary, at, at + len(fault.token), "write `a < b and b < c`")
        if at >= len(self.text.rstrip()):
            return self.fault("P220", "the expression ends too early", max(0, at - 1), at, _expected(fault))
        word = re.match(r"\w+|.", self.text[at:], re.DOTALL)
        shown = word[0] if word else self.text[at]
        return self.fault("P220", f"unexpected `{shown}`", at, at + len(shown), _expected(fault))

    def open_quote(self) -> int | None:
        """Find a quote that is never closed."""
        rest = _STRING.sub(lambda found: " " * len(found[0]), self.text)
        at = rest.find('"')
        return at if at >= 0 else None

    def cut_hint(self) -> str:
        """Say why a text may have lost its end: YAML cuts a plain scalar at `` #``."""
        end = self.places[-1]
        rest = self.span.source.line(end.line)[end.column - 1 :]
        if rest.lstrip().startswith("#") and rest.startswith(" "):
            return "YAML took ` #` for the start of a comment: put the whole expression in single quotes"
        return 'only `\\"` and `\\\\` are escapes'

    def lonely_bracket(self) -> int | None:
        """Find the first bracket without a partner."""
        opened: list[int] = []
        for at, character in enumerate(self.blank):
            if character in "([":
                opened.append(at)
            elif character in ")]":
                if not opened or self.blank[opened[-1]] + character not in ("()", "[]"):
                    return at
                opened.pop()
        return opened[0] if opened else None


def _at_end(fault: UnexpectedInput) -> bool:
    return isinstance(fault, UnexpectedToken) and fault.token.type == "$END"


def _expected(fault: UnexpectedInput) -> str | None:
    """Say what could have stood there: a value, or something that joins two."""
    accepted = fault.allowed if isinstance(fault, UnexpectedCharacters) else getattr(fault, "accepts", None)
    accepted = accepted or getattr(fault, "expected", None) or set()
    if {"NUMBER", "STRING"} & set(accepted):
        return "a value is expected here: a name, a number, text in double quotes, a list, a call"
    return "an operator is expected here, or the end"


def _depth(tree: ast.Node) -> int:
    """Measure the nesting without recursion."""
    deepest, waiting = 0, [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting.extend((each, depth + 1) for each in ast.children(node))
    return deepest


@v_args(meta=True)
class _Builder(Transformer_NonRecursive[Token, Any]):
    """Turns lark's tree into ours; one method a rule of the grammar."""

    def __init__(self, reading: _Reading) -> None:
        super().__init__()
        self.reading = reading
        self.faults: list[Diagnostic] = []

    def any_of(self, meta: Meta, parts: list[ast.Node]) -> ast.Node:
        return ast.Junction(word="or", items=tuple(parts), at=_at(meta))

    def all_of(self, meta: Meta, parts: list[ast.Node]) -> ast.Node:
        return ast.Junction(word="and", items=tuple(parts), at=_at(meta))

    def negated(self, meta: Meta, parts: list[ast.Node]) -> ast.Node:
        return ast.Not(operand=parts[0], at=_at(meta))

    def minus(self, meta: Meta, parts: list[ast.Node]) -> ast.Node:
        return ast.Negation(operand=parts[0], at=_at(meta))

    def compared(self, meta: Meta, parts: list[Any]) -> ast.Node:
        return ast.Comparison(left=parts[0], sign=str(parts[1]), right=parts[2], at=_at(meta))  # type: ignore[arg-type] # the grammar allows the signs only

    def arithmetic(self, meta: Meta, parts: list[Any]) -> ast.Node:
        return ast.Arithmetic(left=parts[0], sign=str(parts[1]), right=parts[2], at=_at(meta))  # type: ignore[arg-type] # as above

    def range(self, meta: Meta, parts: list[ast.Node]) -> ast.Node:
        return ast.Range(low=parts[0], high=parts[1], at=_at(meta))

    def number(self, meta: Meta, parts: list[Token]) -> ast.Node:
        return ast.Number(value=Decimal(parts[0]), at=_at(meta))

    def amount(self, meta: Meta, parts: list[Any]) -> ast.Node:
        written: Token = parts[1]
        unit = _UNITS.get(written)
        if unit is None:
            start = written.start_pos or 0
            advice = hint(written, _UNITS, what="units")
            fault = self.reading.fault("P224", f"unknown unit `{written}`", start, start + len(written), advice)
            self.faults.append(fault)
            unit = UNITS[0]
        return ast.Amount(quantity=Quantity(number=Decimal(parts[0]), unit=unit), at=_at(meta))

    def text(self, meta: Meta, parts: list[Token]) -> ast.Node:
        return ast.Text(value=re.sub(r"\\(.)", r"\1", parts[0][1:-1]), at=_at(meta))

    def truth(self, meta: Meta, parts: list[Token]) -> ast.Node:
        return ast.Truth(value=parts[0] == "true", at=_at(meta))

    def items(self, meta: Meta, parts: list[ast.Node]) -> ast.Node:
        return ast.Items(items=tuple(parts), at=_at(meta))

    def name(self, meta: Meta, parts: list[Token]) -> ast.Node:
        return ast.Name(parts=tuple(map(str, parts)), at=_at(meta))

    def call(self, meta: Meta, parts: list[Any]) -> ast.Node:
        return ast.Call(name=parts[0], arguments=tuple(parts[1:]), at=_at(meta))

    def unit(self, _meta: Meta, parts: list[Token]) -> Token:
        return parts[0]


def _at(meta: Meta) -> ast.Stretch:
    return (meta.start_pos, meta.end_pos)
