"""Burning a task of a public set: it is walked past, its registration is refused, and nothing half-written is left."""

from pathlib import Path

import pytest

from compiler.burned import BURNED, burned
from prereg.case import Case
from prereg.experiment import run_at
from tests.prereg.conftest import Call


def drawn(experiment: Path) -> list[str]:
    return [task.id for task in Case(run_at(experiment / "runs/one")).plan.run.tasks]


def test_a_burned_task_is_walked_past_and_its_registration_refused(experiment: Path, call: Call) -> None:
    first = drawn(experiment)[0]
    said = call("tasks", "burn", first, "--reason", "printed in a paper", experiment)
    assert said.code == 0
    assert f"{first} is burned in" in said.out
    assert burned((experiment / BURNED).read_bytes()) == {first: "printed in a paper"}
    (listed,) = [each for each in call("tasks", experiment, "--json").json["tasks"] if each["id"] == first]
    assert listed["burned"] == "printed in a paper"
    assert "burned" in call("tasks", experiment).out
    refused = call("execute", experiment, "--run", "two", "--json")
    assert (refused.code, refused.codes) == (1, ["P950"])
    assert "prereg amend" in refused.json["reasons"][0]["hint"]
    assert call("compile", experiment, "--json").codes == ["P934"]
    analyzed = call("analyze", experiment / "runs/one", "--json")
    assert analyzed.code == 4
    assert "burned.yaml" in analyzed.out
    assert call("amend", experiment, "--reason", "a task leaked").code == 0
    assert call("analyze", experiment / "runs/one").code == 0


@pytest.mark.parametrize("reason", ["tab\there", 'with "quotes" \\ and {braces}: # [x]', "größer als 日本"])
def test_a_reason_is_kept_as_it_was_said(experiment: Path, call: Call, reason: str) -> None:
    first = drawn(experiment)[0]
    assert call("tasks", "burn", first, "--reason", reason, experiment).code == 0
    assert burned((experiment / BURNED).read_bytes()) == {first: reason}


@pytest.mark.parametrize(
    ("task", "reason", "code"),
    [
        ("nobody", "x", "P950"),
        ("FIRST", "", "P317"),
        ("FIRST", "  ", "P317"),
        ("FIRST", "two\nlines", "P317"),
        ("FIRST", "bell \x07", "P106"),
    ],
)
def test_what_cannot_be_burned_leaves_no_file(experiment: Path, call: Call, task: str, reason: str, code: str) -> None:
    name = drawn(experiment)[0] if task == "FIRST" else task
    said = call("tasks", "burn", name, "--reason", reason, experiment, "--json")
    assert (said.code, said.codes) == (1, [code])
    assert not (experiment / BURNED).exists()


def test_twice_is_once_too_often(experiment: Path, call: Call) -> None:
    first = drawn(experiment)[0]
    assert call("tasks", "burn", first, "--reason", "x", experiment).code == 0
    before = (experiment / BURNED).read_bytes()
    assert call("tasks", "burn", first, "--reason", "y", experiment, "--json").codes == ["P950"]
    assert (experiment / BURNED).read_bytes() == before


def test_a_public_task_is_resolved_from_the_pool(experiment: Path, call: Call) -> None:
    first = drawn(experiment)[0]
    assert call("tasks", "resolve", first, experiment, "--json").json["id"] == first
    assert first in call("tasks", "resolve", first, experiment).out


def test_tasks_lists_where_no_other_word_follows(experiment: Path, call: Call) -> None:
    listed = call("tasks", experiment, "--json")
    assert listed.json == call("tasks", "list", experiment, "--json").json
    assert call("tasks", "--help").code == 0
    assert call("tasks", "burn", "x", experiment).code == 2
