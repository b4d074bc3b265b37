"""The starter with a program of one's own: it runs as it is laid out, and what it does wrong is seen."""

import json
import os
from pathlib import Path

import pytest

from prereg import api
from prereg.cli import main

BOTH, NUMBERS_ALONE = {"discount", "weekend"}, {"clock", "dozens", "initials", "last-item", "pages", "share"}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment as its README says, up to the verdict."""
    root = tmp_path_factory.mktemp("own") / "own"
    api.init(root, "own-agent")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}")
        for verb in ("harvest", "compile"):
            assert main([verb, str(root), "--json"]) == 0
        assert main(["execute", str(root), "--run", "first", "--json"]) == 0
    assert main(["analyze", str(root / "runs" / "first"), "--json"]) == 0
    return root


def test_each_arm_solves_what_it_can(own: Path) -> None:
    lines = [json.loads(each) for each in (own / "runs/first/ledger.jsonl").read_text().splitlines()]
    outcomes = [each for each in lines if each["kind"] == "outcome"]
    solved = {(each["arm"], each["task"]) for each in outcomes if each["verdict"] == "pass"}
    numbers = {("numbers", task) for task in BOTH | NUMBERS_ALONE}
    assert solved == numbers | {("operators", task) for task in BOTH}
    found = {(each["arm"], each["task"]): each for each in outcomes}
    fitted, left = found["numbers", "square"], found["numbers", "between"]
    assert (fitted["measures"]["files_changed"], left["measures"]["files_changed"]) == (1, 0)
    assert left["measures"]["turns"] == left["measures"]["tool_calls"] / 2 > 0
    idle = found["operators", "share"]["measures"]
    assert (idle["turns"], idle["tool_calls"], idle["calls_before_first_edit"]) == (0, 0, None), (
        "nothing to try is no call"
    )
    assert all(each["versions"]["program tinker"].startswith("sha256:") for each in outcomes)


def test_the_verdict_is_evidence_and_audits(own: Path) -> None:
    verdict = json.loads((own / "runs/first/verdict.json").read_bytes())
    assert verdict["status"] == "supported"
    assert "SIMULATED" not in (own / "runs/first/report.md").read_text()
    assert main(["audit", str(own / "runs" / "first"), "--json"]) == 0


def test_without_its_folder_on_path_it_is_said_what_to_do(own: Path, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    assert main(["execute", str(own), "--run", "second", "--json"]) == 3
    said = json.loads(capfd.readouterr().out)
    assert said["reasons"][0]["code"] == "program-missing"
    assert "put it on PATH" in said["reasons"][0]["hint"]
