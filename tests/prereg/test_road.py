"""The whole road for real: harvest, compile, execute with interruptions, analyze, audit; from a small git history."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.pool_file import read as read_pool
from compiler.task import Reason
from prereg.cli import main
from prereg.harvesting import compare
from tests.needs import require
from tests.prereg.conftest import Call
from tests.prereg.history import commit, lay_history
from tests.prereg.test_cli import ENVIRONMENT, PREREG
from tests.prereg.test_compile import edit
from tests.prereg.test_judging import bytes_of


@pytest.fixture(scope="session")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history's experiment: harvested, compiled, and carried out as run ``whole``."""
    root = lay_history(tmp_path_factory.mktemp("road") / "road")
    assert main(["harvest", str(root), "--json"]) == 0
    assert main(["compile", str(root), "--json"]) == 0
    assert main(["execute", str(root), "--run", "whole", "--json"]) == 0
    return root


@pytest.fixture
def road(harvested: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(harvested, tmp_path / "road")
    return tmp_path / "road"


def start(root: Path, name: str = "one") -> subprocess.Popen[str]:
    """Start an executor of its own process group."""
    return subprocess.Popen(
        [*PREREG, "execute", str(root), "--run", name, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )


def wait_for_lines(root: Path, count: int) -> None:
    ledger = root / "runs" / "one" / "ledger.jsonl"
    deadline = time.monotonic() + 60
    while not ledger.is_file() or ledger.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline, "the executor did not get on"
        time.sleep(0.01)


def test_the_road_from_a_history_to_an_audited_verdict(road: Path, call: Call) -> None:
    run = road / "runs" / "whole"
    again = bytes_of(run)
    said = call("execute", road, "--run", "whole", "--json")
    assert said.code == 0, said.err + said.out
    assert (said.json["planned"], said.json["outcomes"], said.json["gaps"]) == (6, 6, 0)
    assert bytes_of(run) == again
    said = call("analyze", run, "--json")
    assert said.code == 0, said.out
    assert said.json["simulated"] is True
    said = call("audit", run, "--json")
    assert said.code == 0, said.out
    assert said.json["status"] == "verified"
    assert "SIMULATED" in (run / "report.md").read_text()
    commands = call("audit", run, "--print-commands").out
    assert subprocess.run(["sh", "-c", commands], capture_output=True, check=False).returncode == 0


def test_a_dirty_repository_is_3_and_the_pool_stays(road: Path, call: Call) -> None:
    before = bytes_of(road / "pool")
    (road / "kit" / "kit" / "add.py").write_text("broken(\n")
    said = call("harvest", road, "--json")
    assert said.code == 3
    assert said.codes == ["dirty"]
    assert said.json["reasons"][0]["hint"]
    assert bytes_of(road / "pool") == before


def test_validate_proves_the_pool_afresh_and_writes_nothing(road: Path, call: Call) -> None:
    before = bytes_of(road)
    said = call("validate", road, "--json")
    assert said.code == 0, said.out
    assert (len(said.json["tasks"]), said.json["as_in_pool"]) == (3, True)
    assert bytes_of(road) == before


def test_a_task_that_proves_something_else_is_named(harvested: Path) -> None:
    pool = read_pool((harvested / "pool" / "candidates.jsonl").read_bytes(), where="pool")
    kept = next(each for each in pool.candidates if each.status == "kept")
    assert compare(kept, kept) is None
    dropped = replace(kept, status="dropped", reasons=(Reason(code="flaky", what="two harvests differ"),))
    for now, word in (
        (None, "no longer found"),
        (dropped, "two harvests differ"),
        (replace(kept, evidence={}), "else"),
    ):
        found = compare(kept, now)
        assert found is not None
        assert word in found.summary
        assert found.hint


def test_a_repository_that_is_not_there_is_3(road: Path, call: Call) -> None:
    shutil.move(road / "kit", road / "elsewhere")
    said = call("harvest", road, "--json")
    assert said.code == 3
    assert said.json["reasons"][0]["hint"] or said.json["reasons"][0]["where"]
    assert (road / "pool" / "candidates.jsonl").is_file()


def test_a_commit_that_is_not_there_is_told(road: Path, call: Call) -> None:
    edit(road / "spec.yaml", 'at: "', 'at: "0000')
    text = (road / "spec.yaml").read_text()
    at = text.index('at: "') + 5
    (road / "spec.yaml").write_text(text[: at + 40] + text[at + 44 :])
    said = call("harvest", road, "--json")
    assert said.code in (1, 3)
    assert "0000" in said.out


def test_a_second_executor_is_3_and_ctrl_c_is_3_and_the_run_resumes_to_the_same_verdict(road: Path, call: Call) -> None:
    process = start(road)
    wait_for_lines(road, 3)
    second = call("execute", road, "--run", "one", "--json")
    assert second.code == 3
    assert second.codes == ["locked"]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    document = json.loads(out)
    assert document["status"] == "fault"
    assert document["reasons"][0]["code"] == "stopped"
    assert "--run one" in document["reasons"][0]["hint"]
    assert "Traceback" not in err
    run = road / "runs" / "one"
    assert call("analyze", run).code == 5
    assert call("audit", run).code == 5
    resumed = call("execute", road, "--run", "one", "--json")
    assert resumed.code == 0, resumed.out
    assert (resumed.json["outcomes"], resumed.json["gaps"]) == (6, 0)
    verdicts = [call("analyze", road / "runs" / each, "--json").json for each in ("one", "whole")]
    for each in verdicts:
        each.pop("ledger_head")
    again = verdicts[0]["warnings"].pop(2)  # behind what simulation and stage say
    assert again.startswith("RETRY EXPERIMENT: this is run 2 of 0001-"), again
    assert verdicts[0] == verdicts[1]
    assert call("audit", run).code == 0


def kill(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


def interrupt_twice(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert json.loads(out)["status"] == "fault"
    assert "Traceback" not in err


@pytest.mark.parametrize("end", [kill, interrupt_twice], ids=["kill -9", "Ctrl-C twice"])
def test_an_executor_that_ends_at_once_loses_no_outcome(
    road: Path, call: Call, end: Callable[[subprocess.Popen[str]], None]
) -> None:
    process = start(road)
    wait_for_lines(road, 5)
    end(process)
    ledger = road / "runs" / "one" / "ledger.jsonl"
    before = ledger.read_bytes()
    said = call("execute", road, "--run", "one", "--json")
    assert said.code == 0, said.out
    assert said.json["outcomes"] == 6
    whole = before[: before.rfind(b"\n") + 1]
    assert ledger.read_bytes().startswith(whole)
    assert call("analyze", road / "runs" / "one").code == 0
    assert call("audit", road / "runs" / "one").code == 0


def test_a_disk_that_fills_up_is_3_and_the_run_resumes(road: Path, tmp_path: Path) -> None:
    call = " ".join(f"'{each}'" for each in PREREG)
    script = f"""
        set -e
        mkdir {tmp_path}/small
        mount -t tmpfs -o size=3m tmpfs {tmp_path}/small
        cd {tmp_path}/small
        rm -rf {road}/kit
        cp -r {road} road
        free=$(df --output=avail -k . | tail -1)
        head -c $(((free - 60) * 1024)) /dev/zero > filled
        {call} execute road --run one --json > {tmp_path}/first.json || echo $? >&2
        {call} status road/runs/one > again.json || echo $? >&2
        cat {tmp_path}/first.json >&2
        rm filled
        {call} execute road --run one --json > again.json
        {call} analyze road/runs/one > /dev/null
        {call} audit road/runs/one > /dev/null
        cat again.json
    """
    tried = subprocess.run(
        ["unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True, check=False
    )
    require(None if tried.returncode == 0 else f"no mounts here: {tried.stderr}")
    told = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", script], capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    assert told.returncode == 0, told.stderr
    code, *_, document = told.stderr.strip().splitlines()
    assert code == "3", told.stderr
    assert "Traceback" not in told.stderr
    assert json.loads(document)["reasons"][0]["code"] == "disk-full"
    assert json.loads(told.stdout)["outcomes"] == 6


def test_an_amended_plan_is_a_new_run(road: Path, call: Call) -> None:
    edit(road / "spec.yaml", "seeds: 1", "seeds: 2")
    said = call("amend", road, "--reason", "more seeds", "--json")
    assert said.code == 0, said.out
    assert said.json["trials"] == 12
    said = call("execute", road, "--run", "whole", "--json")
    assert said.code == 4
    assert said.codes == ["foreign-run"]
    first = min((road / "registry").iterdir())
    assert f"registry/{first.name}" in said.json["reasons"][0]["hint"]
    assert call("execute", first, "--run", "whole").code == 0


def test_a_spec_that_was_edited_since_is_warned_of_and_the_registered_plan_stands(road: Path, call: Call) -> None:
    edit(road / "spec.yaml", "- 1 task", "- 2 tasks")
    said = call("execute", road, "--run", "whole")
    assert said.code == 0
    assert said.err.startswith("warning: ")
    assert "analyze will refuse" in said.err
    assert call("analyze", road / "runs" / "whole").code == 4


def test_a_new_commit_in_the_history_changes_nothing_registered(road: Path, call: Call) -> None:
    (road / "kit" / "kit" / "add.py").write_text("def add(a, b=1):\n    return 0\n")
    commit(road / "kit", "fix: nothing")
    assert call("compile", road, "--json").json["new"] is False


def test_execute_needs_a_registration(tmp_path: Path, call: Call) -> None:
    said = call("execute", tmp_path, "--run", "one", "--json")
    assert said.code == 3
    assert said.codes == ["no-registration"]
    assert "prereg compile" in said.json["reasons"][0]["hint"]
    assert call("execute", tmp_path, "--run", "../one").code == 2
