"""Smoke, pilot, confirmatory run in one folder: each change on record, nothing pooled, no task used twice."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from prereg.experiment import RunFolder
from prereg.run_record import read
from tests.prereg.conftest import Call
from tests.prereg.laying import lay_experiment, lay_pool, run_by_hand
from tests.prereg.test_compile import edit


@pytest.fixture
def staged(tmp_path: Path, call: Call) -> Path:
    """An experiment of four of twelve tasks, after its smoke run and its pilot."""
    root = lay_experiment(tmp_path / "small")
    spec = root / "spec.yaml"
    ids = [hashlib.sha1(str(number).encode()).hexdigest()[:12] for number in range(13)]
    lay_pool(root, ids)
    (root / "prompts.yaml").write_text("".join(f'"{each}": Something is wrong with {each[:3]}.\n' for each in ids))
    edit(spec, "take: 8", "take: 4")
    edit(spec, "cost.p < 0.05", "cost.p < 0.1")
    edit(spec, "stage: pilot", "stage: smoke")
    edit(
        spec,
        "{rationale: pilot}",
        "{rationale: pilot, next: {formula: wilcoxon-are, endpoint: change, effect: 15 %, alpha: 0.05, power: 0.8}}",
    )
    change = "  change:\n    role: effect\n    measure: cost\n    per_task: mean\n"
    change += "    compare: guide / baseline - 1\n    statistic: median\n"
    edit(spec, "\ndecision:", f"{change}\ndecision:")
    assert call("compile", root).code == 0
    run_by_hand(root, "smoke")
    edit(spec, "stage: smoke", "stage: pilot")
    assert call("amend", root, "--reason", "the harness works, the pilot begins").code == 0
    run_by_hand(root, "pilot")
    return root


def digest_of(root: Path, number: int) -> str:
    entry = next((root / "registry").glob(f"{number:04d}-*"))
    return f"sha256:{hashlib.sha256((entry / 'registration.json').read_bytes()).hexdigest()}"


def test_a_smoke_run_decides_nothing_and_is_in_no_number_of_the_pilot(staged: Path, call: Call) -> None:
    smoke, pilot = staged / "runs" / "smoke", staged / "runs" / "pilot"
    said = call("analyze", smoke, "--json")
    assert (said.code, said.json["status"]) == (0, "no_verdict")
    sentence = "A smoke run decides nothing"
    for page in (*((smoke / name).read_text() for name in ("report.md", "report.html")), call("analyze", smoke).out):
        assert "SMOKE TEST" in page
        assert sentence in page
        assert not re.search(r"^\s*\w+ +false$|`false`|>false<", page, re.MULTILINE)
    with_smoke = call("analyze", pilot, "--json").json
    (smoke / "ledger.jsonl").rename(staged / "ledger.aside")
    without = call("analyze", pilot, "--json").json
    assert with_smoke == without
    assert call("analyze", pilot).code == 0
    assert sentence not in (pilot / "report.md").read_text()
    (staged / "ledger.aside").rename(smoke / "ledger.jsonl")
    assert read(RunFolder(root=smoke)).registration != read(RunFolder(root=pilot)).registration
    said = call("audit", pilot, "--json")
    assert said.code == 0, said.out
    assert any("smoke" in each for each in said.json["warnings"])


def test_a_confirmatory_run_uses_no_task_of_the_pilot_and_its_change_log_says_what_was_seen(
    staged: Path, call: Call
) -> None:
    assert call("analyze", staged / "runs" / "pilot").code == 0
    assert "PILOT" in (staged / "runs" / "pilot" / "report.md").read_text()
    spec, pilot = staged / "spec.yaml", digest_of(staged, 2)
    edit(spec, "stage: pilot", "stage: confirmatory")
    edit(spec, "take: 4", "take: 6")  # four tasks carry no comparison
    edit(spec, "    draw: {sort", f'    disjoint_from: ["{pilot}"]\n    draw: {{sort')
    said = call("amend", staged, "--reason", "confirm on new tasks", "--json")
    assert said.code == 0, said.out
    run = run_by_hand(staged, "final")
    assert call("analyze", run).code == 0
    outcomes = [
        {line.split("/")[0] for line in _trials(staged / "runs" / name)} for name in ("smoke", "pilot", "final")
    ]
    assert outcomes[0] == outcomes[1]
    assert not outcomes[1] & outcomes[2]
    report = (run / "report.md").read_text()
    log = [line for line in report.splitlines() if line.startswith(("| 0001-", "| 0002-", "| 0003-"))]
    for line, seen, reason, change in zip(
        log,
        ("nothing-run", "runs-not-opened", "outcomes-seen"),
        ("first registration", "the harness works, the pilot begins", "confirm on new tasks"),
        ("none", '"smoke" became "pilot"', '"pilot" became "confirmatory"'),
        strict=True,
    ):
        name, at, access, why, what = (each.strip() for each in line.strip("| ").split(" | "))
        assert (access, why) == (seen, reason), name
        assert at.startswith("20")
        assert change in what
    assert call("audit", run).code == 0
    assert call("audit", staged / "runs" / "pilot").code == 0


def test_a_registration_that_the_folder_does_not_know_is_told_how_to_find_one(staged: Path, call: Call) -> None:
    edit(staged / "spec.yaml", "    draw: {sort", f'    disjoint_from: ["sha256:{"0" * 64}"]\n    draw: {{sort')
    said = call("check", staged, "--json")
    assert said.code == 1
    assert said.codes == ["P398"]
    assert "registration.json" in said.json["reasons"][0]["hint"]


def test_the_pilots_spread_sizes_the_next_run(staged: Path, call: Call) -> None:
    run = staged / "runs" / "pilot"
    assert call("analyze", run).code == 0
    report = (run / "report.md").read_text()
    assert "## Size of the next run" in report
    assert "No formula for a next run is registered" not in report


def _trials(run: Path) -> list[str]:
    lines = [json.loads(each) for each in (run / "ledger.jsonl").read_text().splitlines()]
    return [each["trial"] for each in lines if each["kind"] == "outcome"]
