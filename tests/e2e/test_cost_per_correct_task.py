"""The twelve cases: who does each right passes, and every way of doing it wrong is caught by the check that is meant for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.acted import CASES, RIGHT, Stage, lay_out
from tests.e2e.clever_ways import CLEVER
from tests.e2e.wrong_ways import WRONG

NAMES = sorted(each.name for each in (CASES / "tasks").iterdir())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("cases") / "cases")


@pytest.fixture(scope="module")
def stage(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(root, tmp_path_factory.mktemp("stage"))


def test_there_are_twelve_cases_a_recording_of_each_and_ways_of_failing_it() -> None:
    assert len(NAMES) == 12
    assert sorted(WRONG) == NAMES
    assert set(NAMES) <= {each.stem for each in RIGHT.iterdir()}


def test_the_large_fixtures_are_those_of_their_seed() -> None:
    ran = subprocess.run(
        [sys.executable, "-B", "generate.py", "--check"], cwd=CASES, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "all as generated\n")
    almanac = (CASES / "tasks/middle-file/repo/almanac.txt").read_text("utf-8").splitlines()
    assert len(almanac) == 2000
    assert [number for number, line in enumerate(almanac, 1) if line.endswith(" [marker kestrel-58]")] == [1013]
    subprocess.run(["sha256sum", "--quiet", "-c", "fixtures.sha256"], cwd=CASES, check=True)


def test_the_copies_of_what_asks_functions_do_not_drift() -> None:
    """A task's folder stands alone, so each brings its own."""
    copies = [each.read_bytes() for each in CASES.glob("*/*/hidden/checks/asking.py")]
    assert len(copies) > 1
    assert len(set(copies)) == 1


@pytest.mark.parametrize("case", NAMES)
def test_who_does_a_case_right_passes(stage: Stage, case: str) -> None:
    observed = stage.play(case)
    failed = {name: stage.detail(observed, name) for name, facts in observed.checks.items() if facts["ok"] is not True}
    assert failed == {}
    assert stage.verdict(case, observed) == "pass"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "way"), [(case, way) for ways in (WRONG, CLEVER) for case in ways for way in ways[case]]
)
def test_who_does_it_wrong_is_caught(stage: Stage, case: str, way: str) -> None:
    wrong, check = {**WRONG[case], **CLEVER.get(case, {})}[way]
    observed = stage.play(case, wrong, only=check)
    assert observed.checks[check]["ok"] is not True, stage.detail(observed, check)
    assert stage.verdict(case, observed) == "fail"
