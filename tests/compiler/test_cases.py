"""Faulty specs as text: what was changed in the fixture, and what its author sees.

A chunk is a title, lines to take out (``- ``) and put in (``+ ``), and the whole message; chunks stand between ``====`` lines.
``@prompts``, ``@exclusions`` and the like change another input instead of the spec. With UPDATE_GOLDEN=1 the messages are
written anew, to be read as a diff.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from compiler.pipeline import Knowledge
from compiler.plan import ArmPlan
from spec_lang.diagnostics import SpecErrors, render
from tests.compiler import world

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted(CASES.glob("compile_*.txt"))
PRICES = b'currency: USD\nas_of: "2026-11-01"\nmodels: {other-model: {input: 3, output: 15}}\n'
COST_ROUTES = {
    "noop": frozenset({"price-table"}),
    "command": frozenset({"agent-result", "price-table"}),
    "codex": frozenset({"price-table", "provider-usage"}),
}
REPORTED = {"noop": frozenset({"time"}), "command": frozenset({"cost", "turns", "tokens", "tool_calls"})}
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


@dataclass(frozen=True)
class Case:
    file: Path
    title: str
    change: tuple[str, ...]
    shown: str


def chunks(file: Path) -> Iterator[Case]:
    for chunk in file.read_text("utf-8").split("\n====\n"):
        title, _, rest = chunk.strip("\n").partition("\n")
        change, _, shown = rest.partition("\n----")
        yield Case(file, title, tuple(change.split("\n")), shown.strip("\n"))


def target(case: Case) -> tuple[str, str]:
    """The file that a case changes, and its text after the change."""
    name = case.change[0][1:] if case.change[0].startswith("@") else "spec"
    text = {
        "spec": world.SPEC,
        "prompts": world.prompts_text(),
        "exclusions": (world.FIXTURE / "exclusions.yaml").read_text("utf-8"),
    }[name]
    out: list[str] = []
    into: list[str] = []
    for line in (*(each for each in case.change if not each.startswith("@")), "- "):
        if line.startswith("- ") and into:
            text = world.edited(("\n".join(out), "\n".join(into)), text=text)
            out, into = [], []
        if line.startswith("- ") and line != "- ":
            out.append(line[2:])
        elif line.startswith("+ ") or line == "+":
            into.append(line[2:])
    return name, text


def command_line(arm: ArmPlan) -> tuple[str, ...]:
    written = ("--notes", "yes") if arm.provider.kind == "files" else ()
    return (*arm.flags[:1], "agent", *written, "{prompt}", *arm.flags[1:])


def environment(arm: ArmPlan) -> dict[str, str]:
    """An agent that turns one of its flags into a variable."""
    return {**arm.env, **({"HEARD": "yes"} if "--heard" in arm.flags else {})}


def seen(case: Case) -> str:
    name, text = target(case)
    knowledge = Knowledge(
        command_line=command_line,
        environment=environment,
        untaken=lambda arm: frozenset({"mcp"}) if arm.provider.kind == "mcp" else frozenset(),
        cost_routes=lambda arm: COST_ROUTES.get(arm.agent.kind, frozenset({"agent-result"})),
        reported=lambda arm: REPORTED.get(arm.agent.kind),
    )
    changed = {} if name == "spec" else {name: text}
    more = {"prices.yaml": PRICES} if name == "spec" and "prices.yaml" in text else None
    try:
        done = world.compiled(text if name == "spec" else world.SPEC, knowledge=knowledge, more=more, **changed)
    except SpecErrors as found:
        return "\n\n".join(render(each) for each in found.diagnostics)
    return "\n\n".join(render(each) for each in done.warnings) or "nothing"


@pytest.mark.parametrize(
    "case", [each for file in FILES for each in chunks(file)], ids=lambda case: f"{case.file.stem[8:]}: {case.title}"
)
def test_shows(case: Case) -> None:
    assert seen(case) == case.shown


def test_every_case_says_where() -> None:
    unplaced = [each.title for file in FILES for each in chunks(file) if "-->" not in each.shown]
    assert unplaced == []


if UPDATE:
    for file in FILES:
        again = [replace(case, shown=seen(case)) for case in chunks(file)]
        parts = ["\n".join((case.title, *case.change, "----", case.shown)) for case in again]
        file.write_text("\n\n====\n".join(parts) + "\n", "utf-8")
