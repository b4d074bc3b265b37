"""The drop list of every set stands in what compile says."""

from pathlib import Path

from prereg.selection_views import selection_json, selection_lines
from tests.prereg.conftest import Call

SELECTION = {
    "issues": {
        "found": 6,
        "dropped": {"no-merge": 1, "count(tests) >= 1": 2},
        "passed": {"a": "gate: unwithholdable", "b": "burned: quoted", "c": "gate: unwithholdable"},
        "burned": {"b": "quoted"},
        "drawn": ["d"],
        "order": ["a", "b", "c", "d"],
    }
}


def test_every_reason_is_counted() -> None:
    assert selection_lines(SELECTION) == [
        "  set    issues: 6 found, 1 drawn",
        "         dropped 2: count(tests) >= 1",
        "         dropped 1: no-merge",
        "         passed over 1: burned: quoted",
        "         passed over 2: gate: unwithholdable",
    ]
    assert selection_json(SELECTION)["issues"]["burned"] == {"b": "quoted"}


def test_compile_tells_it(experiment: Path, call: Call) -> None:
    said = call("compile", experiment, "--json").json["selection"]
    assert said["fixes"]["drawn"]
    assert f"{said['fixes']['found']} found" in call("compile", experiment).out
