"""An A/A arm, from its spec to the report: the same arm again, told apart from the arms that differ."""

from pathlib import Path

import pytest

from tests.prereg.conftest import Call
from tests.prereg.laying import SPEC, lay_experiment, run_by_hand

EDITS = (
    ("  baseline: {provider: {kind: none}}\n", "  again: {repeats: baseline}\n  baseline: {provider: {kind: none}}\n"),
    ("  profiles:\n", "  profiles:\n    again: {solve: 85 %, cost: {median: 0.42 USD}, time: {median: 210 s}}\n"),
)


@pytest.mark.parametrize("seeds", [1, 3])
def test_the_same_arm_again_is_the_noise_floor_of_the_report(tmp_path: Path, call: Call, seeds: int) -> None:
    text = SPEC.replace("seeds: 1", f"seeds: {seeds}")
    for old, new in EDITS:
        assert old in text
        text = text.replace(old, new)
    root = lay_experiment(tmp_path / "twice", text)
    said = call("compile", root, "--json")
    assert said.code == 0, said.err or said.out
    run = run_by_hand(root)
    assert call("analyze", run, "--json").code == 0
    rows = [
        line.split(" | ") for line in (run / "report.md").read_text().splitlines() if line.startswith("| a run of ")
    ]
    assert {row[0]: row[2].rstrip(" |") for row in rows} == {
        "| a run of baseline and one of again": "noise floor: both arms are the same",
        "| a run of baseline and one of guide": "between arms",
        "| a run of again and one of guide": "between arms",
    }
    assert "\nAgainst baseline: " in (run / "report.md").read_text()
    assert call("audit", run).code == 0
