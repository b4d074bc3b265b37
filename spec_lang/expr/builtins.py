"""The builtins of the expression language, in one table: name, signature, meaning, where they may stand, and function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal, TypeAlias

from spec_lang.expr import globs
from spec_lang.expr.types import (
    BOOL,
    DATE,
    NUMBER,
    SHARE,
    TEXT,
    BoolType,
    ListType,
    NumberType,
    TextType,
    Type,
    comparable,
    describe,
)
from spec_lang.expr.values import Value

ScopeTitle = Literal["selection", "oracle", "trial", "compare", "per_arm", "decision"]
EVERYWHERE: tuple[ScopeTitle, ...] = ("selection", "oracle", "trial", "compare", "per_arm", "decision")

Typed: TypeAlias = Type | str
"""The type of a call, or why its arguments are at fault (said after the call's name: "takes two numbers, …")."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Builtin:
    """One function of the language.

    ``result`` derives the type from the arguments' types. ``function`` computes on known values only: a call with an
    unknown argument is unknown (``known`` apart). An ``aggregate`` sees all rows of a column at once.
    ``fact`` names the fact that is handed over before the arguments. A ``literal`` takes text written out, nothing computed.
    """

    name: str
    signature: str
    doc: str
    arity: int
    result: Callable[..., Typed]
    function: Callable[..., Value]
    scopes: tuple[ScopeTitle, ...] = EVERYWHERE
    aggregate: bool = False
    literal: bool = False
    fact: str | None = None


def _count_type(of: Type) -> Typed:
    if isinstance(of, ListType | BoolType):
        return NUMBER
    return f"takes a list or a bool column; {{0}} is {describe(of)}"


def _number_type(of: Type) -> Typed:
    advice = "; use count or share" if isinstance(of, BoolType) else ""
    return of if isinstance(of, NumberType) else f"takes numbers; {{0}} is {describe(of)}{advice}"


def _share_type(of: Type) -> Typed:
    return SHARE if isinstance(of, BoolType) else f"takes a bool column; {{0}} is {describe(of)}"


def _pair_type(one: Type, other: Type) -> Typed:
    for place, kind in enumerate((one, other)):
        if not isinstance(kind, NumberType):
            return f"takes two numbers; {{{place}}} is {describe(kind)}"
    if not comparable(one, other):
        return f"takes two numbers of one unit; {{0}} is {describe(one)}, {{1}} is {describe(other)}"
    # A share beside a plain number is a plain number: both are parts of 1.
    return one if one == other else NUMBER


def _text_type(result: Type) -> Callable[[Type], Typed]:
    return lambda of: result if isinstance(of, TextType) else f"takes text in quotes; {{0}} is {describe(of)}"


def _count(truths: tuple[bool, ...]) -> Value:
    """Count the true values of a column; of a list the evaluator takes the length."""
    return Fraction(sum(truths))


def _sum(numbers: tuple[Fraction, ...]) -> Value:
    return sum(numbers, Fraction(0))


def _mean(numbers: tuple[Fraction, ...]) -> Value:
    return sum(numbers, Fraction(0)) / len(numbers)


def _median(numbers: tuple[Fraction, ...]) -> Value:
    ordered, middle = sorted(numbers), len(numbers) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _share(truths: tuple[bool, ...]) -> Value:
    return Fraction(sum(truths), len(truths))


BUILTINS: tuple[Builtin, ...] = (
    Builtin(
        name="date",
        signature='date("YYYY-MM-DD") -> date',
        doc="A day (UTC), written out.",
        arity=1,
        result=_text_type(DATE),
        function=date.fromisoformat,
        literal=True,
    ),
    Builtin(
        name="known",
        signature="known(anything) -> bool",
        doc="Whether a value is known; never itself unknown. Guards a condition against what may be missing.",
        arity=1,
        result=lambda _of: BOOL,
        function=lambda _value: True,
    ),
    Builtin(
        name="count",
        signature="count(list) -> number, count(bool column) -> number",
        doc="How many items a list has; in a per-arm expression, for how many trials something holds.",
        arity=1,
        result=_count_type,
        function=_count,
        aggregate=True,
    ),
    Builtin(
        name="sum",
        signature="sum(column) -> its unit",
        doc="The sum over all trials of an arm; 0 over none.",
        arity=1,
        result=_number_type,
        function=_sum,
        scopes=("per_arm",),
        aggregate=True,
    ),
    Builtin(
        name="mean",
        signature="mean(column) -> its unit",
        doc="The mean over all trials of an arm; unknown over none.",
        arity=1,
        result=_number_type,
        function=_mean,
        scopes=("per_arm",),
        aggregate=True,
    ),
    Builtin(
        name="median",
        signature="median(column) -> its unit",
        doc="The median over all trials of an arm (of two middle values their mean); unknown over none.",
        arity=1,
        result=_number_type,
        function=_median,
        scopes=("per_arm",),
        aggregate=True,
    ),
    Builtin(
        name="share",
        signature="share(bool column) -> share",
        doc="The share of an arm's trials for which something holds; unknown over none.",
        arity=1,
        result=_share_type,
        function=_share,
        scopes=("per_arm",),
        aggregate=True,
    ),
    Builtin(
        name="min",
        signature="min(a, b) -> their unit",
        doc="The smaller of two numbers of one unit.",
        arity=2,
        result=_pair_type,
        function=min,
    ),
    Builtin(
        name="max",
        signature="max(a, b) -> their unit",
        doc="The larger of two numbers of one unit.",
        arity=2,
        result=_pair_type,
        function=max,
    ),
    Builtin(
        name="abs",
        signature="abs(a) -> its unit",
        doc="A number without its sign.",
        arity=1,
        result=_number_type,
        function=abs,
    ),
    Builtin(
        name="changed",
        signature='changed("glob") -> list of text',
        doc="The repository paths that a candidate's change touches and the glob matches; `**` crosses folders, `*` does not.",
        arity=1,
        result=_text_type(ListType(item=TEXT)),
        function=globs.matching,
        scopes=("selection",),
        literal=True,
        fact="changed",
    ),
)

BY_NAME: Mapping[str, Builtin] = {each.name: each for each in BUILTINS}


def table() -> str:
    """Show the builtins as rows of a Markdown table, for the reference."""
    rows = ["| builtin | meaning | where |", "|---|---|---|"]
    for each in BUILTINS:
        where = "everywhere" if each.scopes == EVERYWHERE else ", ".join(each.scopes)
        rows.append(f"| `{each.signature}` | {each.doc} | {where} |")
    return "\n".join(rows)
