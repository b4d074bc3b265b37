"""Exactly one outcome a trial, and every lost attempt on record, through fifty kills at any moment (X8)."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from ledger.records import Claimed, Closed, Infrastructure, Outcome
from ledger.store import read
from tests.executor.drive_run import sixty
from tests.executor.worlds import GENESIS, left_behind, wait_until

ROOT = Path(__file__).parents[2]
KILLS = 50


@pytest.mark.slow
def test_a_run_survives_fifty_kills(tmp_path: Path) -> None:
    chance = random.Random(20261129)
    there = sixty(tmp_path)
    command = [sys.executable, str(ROOT / "tests/executor/drive_run.py"), str(tmp_path)]
    settings = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    ledger = tmp_path / "run" / "ledger.jsonl"
    kills = 0
    with subprocess.Popen(
        [*command, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        while kills < KILLS:
            print("run", file=server.stdin, flush=True)
            pid = int(server.stdout.readline())
            # By progress, not by the clock: a fast machine must not be finished before the last kill.
            before, more = written(ledger), chance.randrange(4)
            end = time.monotonic() + 5
            while written(ledger) < before + more and time.monotonic() < end:
                time.sleep(0.001)
            time.sleep(chance.uniform(0.0, 0.03))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            said = server.stdout.readline().strip()
            assert said != "failed"
            if said == "done":
                break
            kills += 1
        server.stdin.close()
    assert kills == KILLS, f"the run was finished after {kills} kills"
    finished = subprocess.run(command, capture_output=True, text=True, env=settings, check=False)
    assert finished.stdout == "60 True\n", finished.stderr

    records = [line.record for line in read(tmp_path / "run", GENESIS).lines]  # the chain holds
    outcomes = Counter(each.trial for each in records if isinstance(each, Outcome))
    assert outcomes == {trial.id: 1 for trial in there.plan.trials}
    claims = [(each.trial, each.attempt) for each in records if isinstance(each, Claimed)]
    ends = [(each.trial, each.attempt) for each in records if isinstance(each, Outcome | Infrastructure)]
    assert len(set(claims)) == len(claims)
    assert sorted(claims) == sorted(ends)
    rules = Counter(each.rule for each in records if isinstance(each, Infrastructure))
    assert rules["lost"] > KILLS / 4
    assert set(rules) <= {"lost", "harness_failure"}

    assert [each for each in records if isinstance(each, Closed)] == [Closed(outcomes=60, attempts=len(claims))]
    # The outcome of a trial is that of its last attempt.
    assert all(
        each.attempt == max(n for trial, n in claims if trial == each.trial)
        for each in records
        if isinstance(each, Outcome)
    )
    assert left_behind(tmp_path) == []
    wait_until(lambda: not _processes_of(tmp_path), seconds=5)

    # A run that nothing disturbed came to the same: what was lost on the way changes no outcome.
    calm = tmp_path / "calm"
    calm.mkdir()
    sixty(calm)
    command[-1] = str(calm)
    finished = subprocess.run(command, capture_output=True, text=True, env=settings, check=False)
    assert finished.stdout == "60 True\n", finished.stderr
    assert came_to(tmp_path / "run") == came_to(calm / "run")


def written(ledger: Path) -> int:
    return ledger.read_bytes().count(b"\n") if ledger.exists() else 0


def came_to(run: Path) -> dict[str, object]:
    lines = read(run, GENESIS).lines
    return {
        each.trial: (each.verdict, each.ended, each.measures, each.reasons, each.checks)
        for each in (line.record for line in lines)
        if isinstance(each, Outcome)
    }


def _processes_of(root: Path) -> list[int]:
    """Processes whose folder lies below a root."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(root):
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found
