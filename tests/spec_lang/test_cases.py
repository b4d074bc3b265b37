"""Every text case of the language: wrong YAML, wrong specs, wrong expressions, each with its code, place and words."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from spec_lang.assumptions_file import read_assumptions
from spec_lang.codes import CODES_BY_MODULE, collected
from spec_lang.diagnostics import Diagnostic, SpecErrors, render
from spec_lang.expr import scope as scopes
from spec_lang.expr.check import check
from spec_lang.expr.parse import parse
from spec_lang.expr.types import BOOL, MONEY, NUMBER, POINTS, SHARE, TIME
from spec_lang.judgments_file import read_judgments
from spec_lang.load import load
from spec_lang.span import Position, Source, Span
from spec_lang.task_file import read_task
from spec_lang.text import source_of
from spec_lang.yaml_tree import read_tree
from tests.spec_lang.cases import FOLDER, Case, read_cases

MINIMAL = Path(__file__).parents[1] / "fixtures" / "minimal.yaml"
FILES = sorted(FOLDER.glob("language_*.yaml"))
CASES = [case for file in FILES for case in read_cases(file)]
ARMS = ("baseline", "neuralmind")

SCOPES = {
    "selection": scopes.selection("git-history", endpoints=["cost", "solved"], measures=["hooks_ran"], arms=ARMS),
    "oracle": scopes.oracle({"fixed": "tests", "kept": "tests", "both": "condition"}),
    "trial": scopes.trial(ARMS, {"hooks": "count", "note": "text"}, {"solved": BOOL}),
    "compare": scopes.compare(ARMS, MONEY),
    "per_arm": scopes.per_arm({"solved": BOOL, "net": TIME}),
    "decision": scopes.decision(
        {
            "cost": scopes.EndpointShape(value=MONEY, estimate=MONEY, test=True, interval=True),
            "solved": scopes.EndpointShape(value=SHARE, estimate=POINTS, test=True, interval=True, counts=True),
            "relative_cost": scopes.EndpointShape(value=MONEY, estimate=NUMBER, interval=True),
            "per_solved": scopes.EndpointShape(value=MONEY),
        },
        ARMS,
    ),
}


def found_in(case: Case) -> list[tuple[int, Diagnostic]]:
    """Give what a case makes the language say, each with its line in the case."""
    kind, _, scope = case.kind.partition(" ")
    if kind == "expression":
        return [
            found for number, line in enumerate(case.text.split("\n"), 1) for found in in_scope(line, number, scope)
        ]
    try:
        if kind == "bytes":
            read_tree(source_of(case.text.encode("latin-1").decode("unicode_escape").encode("latin-1"), "case.yaml"))
        elif kind == "yaml":
            read_tree(source_of(case.text.encode(), "case.yaml"))
        elif kind == "assumptions":
            read_assumptions(source_of(case.text.encode(), "assumptions.yaml"))
        elif kind == "judgments":
            read_judgments(source_of(case.text.encode(), "judgments.yaml"))
        elif kind in ("task", "taskjson"):
            name = "task.json" if kind == "taskjson" else "task.yaml"
            read_task(source_of(case.text.encode(), name), "add-a-flag")
        else:
            load(source_of(over_minimal(case.text).encode(), "case.yaml"))
    except SpecErrors as errors:
        lines = case.text.split("\n")
        return [(line_of(each, lines, kind), each) for each in errors.diagnostics]
    return []


def in_scope(line: str, number: int, scope: str) -> list[tuple[int, Diagnostic]]:
    if not line.strip():
        return []
    source = Source(name="case", text=line)
    span = Span(source=source, start=Position(line=1, column=1), end=Position(line=1, column=len(line) + 1))
    try:
        _, faults = check(parse(line, span), SCOPES[scope])
    except SpecErrors as errors:
        faults = errors.diagnostics
    return [(number, each) for each in faults]


def over_minimal(text: str) -> str:
    """Put the sections of a case in the place of those of the minimal spec; new ones come last."""
    sections = dict(sections_of(MINIMAL.read_text(encoding="utf-8")))
    sections |= dict(sections_of(text))
    return "\n".join(sections.values()) + "\n"


def sections_of(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in text.rstrip("\n").split("\n"):
        key = re.match(r"([a-z_]+):", line)
        if key:
            found.append((key[1], line))
        else:
            found[-1] = (found[-1][0], found[-1][1] + "\n" + line)
    return found


def line_of(diagnostic: Diagnostic, lines: list[str], kind: str) -> int:
    """Give the line of the case at which a diagnostic stands; of a composed spec by the line's text."""
    if diagnostic.span is None:
        return 1
    if kind in ("yaml", "bytes", "task", "taskjson", "assumptions", "judgments"):
        return diagnostic.span.start.line
    text = diagnostic.span.source.line(diagnostic.span.start.line)
    return lines.index(text) + 1 if text in lines else 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    found: dict[int, list[Diagnostic]] = defaultdict(list)
    for line, diagnostic in found_in(case):
        found[line].append(diagnostic)
    shown = "\n".join(render(each) for line in sorted(found) for each in found[line])
    assert sorted(found) == sorted(case.expected), shown
    for line, expected in case.expected.items():
        assert sorted(each.code for each in found[line]) == sorted(code for code, _ in expected), shown
        for code, pattern in expected:
            messages = [render(each) for each in found[line] if each.code == code]
            assert any(re.search(pattern, message) for message in messages), f"{pattern}\nnot in\n{shown}"


def test_every_code_of_the_language_has_a_case() -> None:
    used = {code for case in CASES for each in case.expected.values() for code, _ in each}
    untried = set(collected(CODES_BY_MODULE)) - used
    # Files that cannot be read and sizes are tried in test_text.py and test_yaml_tree.py, exports in test_issue_export.py.
    assert untried == {"P101", "P109", "P120", "P121"}
