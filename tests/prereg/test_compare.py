"""``prereg compare``: the noise floor of two runs, or of one run's halves, and what cannot be compared."""

import json
import shutil
from pathlib import Path

import pytest

from prereg.cli import main
from tests.prereg.conftest import Call
from tests.prereg.laying import lay_experiment, run_by_hand
from tests.prereg.test_compile import edit


@pytest.fixture(scope="session")
def twins(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with two closed runs of one registration."""
    root = tmp_path_factory.mktemp("twins") / "small"
    shutil.copytree(made, root)
    run_by_hand(root, "two")
    return root / "runs"


def test_two_runs_that_came_out_alike_have_no_noise_to_show(twins: Path, call: Call) -> None:
    said = call("compare", twins / "one", twins / "two", "--json")
    assert said.code == 0, said.err
    document = said.json
    assert document["simulated"] is True
    assert set(document) == {"one", "other", "simulated", "notes", "arms"}
    assert document["notes"] == []
    for arm in document["arms"].values():
        assert set(arm) == {"tasks", "solved", "flips", "disagreement", "measures", "left_out"}
        assert arm["flips"]["count"] == arm["flips"]["rate"] == 0
        assert arm["flips"]["upper"] > 0, "no flip among few tasks is not a rate of zero"
        assert arm["disagreement"] == {
            "between": {"chance": 0.0, "lower": 0.0, "upper": arm["flips"]["upper"]},
            "within_one": None,
            "within_other": None,
        }
        assert arm["measures"]["cost"]["ratio"] == {"lower": 1.0, "median": 1.0, "upper": 1.0}
    text = call("compare", twins / "one", twins / "two", "--arm", "baseline").out
    assert text.startswith("SIMULATED")
    assert "baseline: 8 tasks compared" in text
    assert "flips          0 of 8" in text


def test_a_run_beside_itself_is_no_noise_floor(twins: Path, tmp_path: Path, call: Call) -> None:
    """Not even as a copy elsewhere: it would read as agents that never disagree with themselves."""
    shutil.copytree(twins.parent, tmp_path / "copy")
    for other in (twins / "one", tmp_path / "copy" / "runs" / "one"):
        said = call("compare", twins / "one", other)
        assert said.code == 5
        assert "compared with itself" in said.err


def test_usage(twins: Path, call: Call) -> None:
    assert call("compare", twins / "one").code == 2
    assert call("compare", twins / "one", twins / "two", "--halves").code == 2
    said = call("compare", twins / "one", twins / "two", "--arm", "nobody", "--json")
    assert (said.code, said.codes) == (5, ["not-comparable"])


def test_halves_need_repeats_and_open_runs_are_not_looked_at(experiment: Path, call: Call) -> None:
    document = json.loads((next((experiment / "registry").iterdir()) / "plan.json").read_bytes())
    said = call("compare", experiment / "runs" / "one", "--halves", "--json")
    assert said.code == (0 if document["analysis"]["seeds"] > 1 else 5), said.err
    run_by_hand(experiment, "open", close=False)
    said = call("compare", experiment / "runs" / "one", experiment / "runs" / "open", "--json")
    assert said.code == 5
    assert said.codes[0] == "open"


def test_another_agent_under_the_same_name_is_refused_with_the_difference(
    experiment: Path, tmp_path: Path, call: Call
) -> None:
    other = lay_experiment(tmp_path / "other")
    edit(other / "spec.yaml", "turns: 60", "turns: 61")
    assert main(["compile", str(other), "--json"]) == 0
    run_by_hand(other)
    said = call("compare", experiment / "runs" / "one", other / "runs" / "one", "--json")
    assert said.code == 5
    reason = said.json["reasons"][0]
    assert reason["code"] == "not-comparable"
    assert "agent" in reason["what"]
    assert "60" in reason["expected"]
    assert "at limits.turns" in reason["what"]
    assert (reason["expected"], reason["got"]) == ("60", "61")
    assert "61" in reason["got"]


def test_a_tampered_run_is_no_side_of_a_comparison(twins: Path, tmp_path: Path, call: Call) -> None:
    shutil.copytree(twins.parent, tmp_path / "copy")
    ledger = tmp_path / "copy" / "runs" / "two" / "ledger.jsonl"
    edit(ledger, '"turns":4', '"turns":5')
    assert call("compare", twins / "one", tmp_path / "copy" / "runs" / "two").code == 4


def test_halves_are_of_one_size(tmp_path: Path, call: Call) -> None:
    root = lay_experiment(tmp_path / "repeated")
    edit(root / "spec.yaml", "seeds: 1", "seeds: 3")
    spec = (root / "spec.yaml").read_text()
    (root / "spec.yaml").write_text(spec.replace("per_task: only", "per_task: majority"))
    assert main(["compile", str(root), "--json"]) == 0
    run = run_by_hand(root)
    said = call("compare", run, "--halves", "--json")
    assert said.code == 0, said.err
    assert said.json["one"].endswith("seed 1")
    assert said.json["other"].endswith("seed 2")
    assert all(arm["flips"]["count"] == 0 and arm["tasks"] == 8 for arm in said.json["arms"].values())
