"""Every number of a report comes out of its line for the calculator, exactly as it is printed."""

import math
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.accounting import AMOUNTS
from analyzer.derivation import SHORT, Derivation, commented
from analyzer.document import facts
from analyzer.rederive_amounts import SPREAD
from analyzer.report import page
from analyzer.sections import accounting
from analyzer.sections.again import derivations
from compiler.plan import AnalysisPlan, Chosen, EndpointPlan
from prereg.calculating import answer
from tests.analyzer.runs import Shot, cheaper, plan_of, records_of
from tests.analyzer.test_report import document

Shots = Callable[[str, str, int], Shot]


def numbers_of(plan: AnalysisPlan, shots: Shots = cheaper) -> tuple[Derivation, ...]:
    """The derivations of a report, each held against what the calculator makes of its line."""
    found = document(plan, records_of(plan, shots))
    lines = derivations(facts(found))
    assert page(found).numbers == tuple(each.line for each in lines)
    assert len({each.of for each in lines}) == len(lines), "a name stands once, or grep would find two"
    for each in lines:
        agrees(each)
    return lines


def agrees(each: Derivation) -> None:
    said = answer(each.line)
    assert "refuse" not in said, (each.of, said)
    assert said["of"] == each.of
    for key, value in each.gives.items():
        assert value is not None, (each.of, key)
        assert near(said[key], value), (each.of, key, said[key], value)


def near(got: Any, expected: Any) -> bool:
    if isinstance(expected, list):  # an unknown p of a family counts as 1, and shows none
        return len(got) == len(expected) and all(b is None or near(a, b) for a, b in zip(got, expected, strict=True))
    return bool(got == expected or math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-12))


def names(lines: Iterable[Derivation]) -> set[str]:
    return {each.of for each in lines}


def mixed(task: str, arm: str, seed: int) -> Shot:
    number = int(task[1:])
    cost = 40 + 7 * (number % 5) + 3 * seed - (9 + number % 3 if arm == "neuralmind" else 0)
    return Shot(cost=f"0.{cost}", solved=(number * seed + (arm == "neuralmind")) % 3 != 0)


def test_every_number_of_system_n_has_its_line() -> None:
    lines = names(numbers_of(plan_of(tasks=8), mixed))
    assert {"cost: differences", "cost: test", "solved: test", "solved: interval", "relative_cost: interval"} <= lines
    assert {"cost_per_solved: baseline", "cost_per_solved: neuralmind", "turns: differences"} <= lines
    assert {"relative_cost: interval by the exact law", "tasks of the next run"} <= lines
    assert {"pass@1 of baseline", "pass@2 and pass^2 of neuralmind", "two runs of baseline disagree"} <= lines
    assert any(name.startswith("imbalance: ") for name in lines)
    assert {"a run of baseline and one of neuralmind disagree", "spread of cost in baseline"} <= lines
    assert {"cost of all attempts of neuralmind", "turns of all attempts of baseline"} <= lines


def test_the_amounts_are_those_that_a_report_adds_up_and_spreads() -> None:
    assert tuple(name for name, _, _ in accounting.USED) == AMOUNTS
    plan = plan_of(tasks=7, seeds=2)
    found = page(document(plan, records_of(plan, mixed)))
    tables = [table for section in found.sections for figure in section.figures for table in figure.tables]
    (spreads,) = [table for table in tables if table.caption == "Distributions"]
    assert tuple(each.replace(" ", "_") for each in spreads.columns[2:8]) == SPREAD
    shown = {(row[0].text, row[1].text): [float(cell.exact) for cell in row[2:8]] for row in spreads.rows}
    lines = {each.of: each for each in derivations(facts(document(plan, records_of(plan, mixed))))}
    for (name, arm), values in shown.items():
        assert list(lines[f"spread of {name} in {arm}"].gives.values()) == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize(
    ("correction", "members"), [("holm", ("cost", "solved")), ("fixed-sequence", ("solved", "cost"))]
)
def test_a_family_and_every_procedure(correction: str, members: tuple[str, ...]) -> None:
    plan = plan_of(tasks=12, seeds=1)
    cost, solved, relative = plan.endpoints[:3]

    def interval(kind: str, **options: object) -> Chosen:
        return Chosen(kind=kind, options={"level": "0.95", **options})

    wilson = interval("wilson")
    sides = {"alternative": "greater"}
    endpoints = (
        replace(cost, interval=interval("hodges-lehmann"), by=("category",)),
        replace(solved, by=("category",)),
        replace(solved, name="midp", test=Chosen(kind="mcnemar-midp", options=sides), interval=interval("tango-score")),
        replace(cost, name="flip", test=Chosen(kind="sign-flip", options={**sides, "resamples": 500, "seed": 3})),
        replace(cost, name="together", statistic="mean", interval=interval("clustered-t", by="category")),
        replace(relative, interval=interval("bootstrap-bca", resamples=500, seed=4, ties="strict"), statistic="mean"),
        EndpointPlan(
            name="share", role="secondary", unit="share", per_arm="share(solved)", interval=wilson, by=("category",)
        ),
        EndpointPlan(name="each", role="secondary", unit="share", measure="solved", per_task="only", interval=wilson),
        EndpointPlan(name="middle", role="secondary", unit="USD", per_arm="median(cost)"),
        EndpointPlan(name="thrice", role="secondary", unit="USD", measure="cost", per_task="mean", statistic="median"),
    )
    tasks = tuple(replace(task, category=("it's easy", "hard")[place < 5]) for place, task in enumerate(plan.tasks))
    tasks = tuple(replace(task, facts={"category": task.category}) for task in tasks)
    decision = replace(plan.decision, family=members, correction=correction)
    lines = numbers_of(replace(plan, endpoints=endpoints, tasks=tasks, decision=decision), mixed)
    assert {
        f"p adjusted: {', '.join(members)}",
        "cost (hard): test",
        "solved (it's easy): interval",
        "midp: interval",
        "flip: test",
        "together: interval",
        "share: interval of baseline",
        "share (hard): neuralmind",
        "each: interval of neuralmind",
        "middle: baseline",
        "pass@1 of baseline, hard: interval",
    } <= names(lines)


def test_an_unknown_value_has_no_line_and_counts_as_one_in_its_family() -> None:
    plan = plan_of(tasks=8, seeds=1)
    decision = replace(plan.decision, family=("cost", "solved"), correction="holm")

    def shots(task: str, arm: str, seed: int) -> Shot:
        return Shot(cost=None, solved=True) if task == "t03" else mixed(task, arm, seed)

    lines = numbers_of(replace(plan, decision=decision), shots)
    assert "cost: test" not in names(lines)
    family = next(each for each in lines if each.of.startswith("p adjusted"))
    assert family.inputs["p"][0] == 1
    assert family.gives["adjusted"][0] is None


def test_beyond_what_a_line_carries_the_file_is_named() -> None:
    lines = numbers_of(plan_of(tasks=99, seeds=2), mixed)
    long = next(each for each in lines if each.of == "cost: test")
    assert len(long.line) > SHORT
    said, command = long.command("runs/one/numbers.jsonl").split("\n")
    assert said.startswith("# cost: test: p ")
    assert command == """grep -F '{"of":"cost: test",' runs/one/numbers.jsonl | prereg stat"""
    short = next(each for each in lines if each.of == "solved: interval")
    said, command = short.command("runs/one/numbers.jsonl").split("\n")
    assert said.startswith("# solved: interval: lo ")
    assert command == f"echo '{short.line}' | prereg stat"


@given(st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_means_of_three_seeds_are_handed_over_exactly(seed: int) -> None:
    """A third has no short decimal; its line says 1/3, and ties stay ties."""

    def shots(task: str, arm: str, run: int) -> Shot:
        bits = seed >> (int(task[1:]) % 8) * 4 & 15
        return Shot(cost=f"0.{40 + (bits * run + (arm == 'neuralmind')) % 7}", solved=bool((bits + run) % 2))

    numbers_of(plan_of(tasks=6, seeds=3), shots)


def test_a_p_that_no_double_can_hold_is_told_as_on_the_page() -> None:
    assert commented("cost: test", {"p": 5e-324}, "…").startswith("# cost: test: p below 1e-300\n")


@pytest.mark.parametrize("name", ["hard\nrm -r x", "hard\r\nx", 'it\'s `x` $(y) "z"', "\u2028x", "[a]*"])
@pytest.mark.parametrize("short", [0, SHORT])
def test_a_name_from_a_task_tells_a_shell_nothing(
    name: str, short: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analyzer.derivation.SHORT", short)
    each = Derivation(of=f"solved ({name})", procedure="summary", inputs={"x": [1, "1/3"]}, gives={"n": 2})
    (tmp_path / "o'r n.jsonl").write_text(f"{each.line}\n")
    command = each.command("o'r n.jsonl").replace("| prereg stat", "| cat")
    assert len(command.splitlines()) == 2
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"{each.line}\n", "")
