"""Seconds and memory of ``prereg analyze`` over 60,000 outcomes, beside a pass that only parses and hashes the ledger.

Usage: python benchmarks/analyze.py [--shape TASKSxSEEDS]…   (2000x15 and 10000x3 where none is given)

Two arms, so that tasks x seeds x 2 outcomes are judged. A run is laid out without an executor in a temporary folder, which takes
a while; then the verb is timed as a process of its own, and each of its parts again in this one. The physical limit is what any
reader of a chained ledger must do: read the file, hash every line, parse every line.
"""

import argparse
import contextlib
import gc
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from analyzer.verdict_file import decode, encode
from ledger.canonical import canonical, digest
from ledger.chain import encode as encode_line
from ledger.records import KINDS, Claimed, Closed, Line, Outcome
from ledger.store import Ledger, read
from prereg.case import Case
from prereg.cli import main as verb
from prereg.executing import begin, registration_at
from prereg.experiment import RunFolder
from prereg.rendering import rendered
from tests.prereg.laying import SPEC, lay_pool

AT = "2026-11-29T10:00:00Z"
KIND_OF = {noun: kind for kind, noun in KINDS.items()}


def lay(root: Path, tasks: int, seeds: int) -> RunFolder:
    """Compile the experiment of the tests over so many tasks and seeds, and write a closed run of it."""
    spec = SPEC.replace("take: 8", f"take: {tasks}").replace("seeds: 1", f"seeds: {seeds}")
    root.mkdir()
    (root / "spec.yaml").write_text(spec.replace("total: 60 USD", "total: 1000000 USD"))
    (root / "guide.md").write_text("Look in src first.\n")
    ids = [hashlib.sha1(str(number).encode()).hexdigest()[:12] for number in range(tasks + 1)]
    (root / "prompts.yaml").write_text("".join(f'"{each}": Something is wrong.\n' for each in ids))
    lay_pool(root, ids)
    quietly("compile", str(root))
    entry, experiment = registration_at(root)
    folder, plan = experiment.run("one"), entry.plan().run
    with Ledger.open(folder.root, entry.digest, lambda: AT) as ledger:
        begin(folder, entry, ledger, simulated=True)
        seq, head = 1, ledger.head
    with folder.ledger.open("ab") as out:
        # Without the writer, which makes every line safe on the disk: that is what takes long, and not what is timed.
        for record in records(plan.trials):
            seq += 1
            line = encode_line(Line(seq=seq, prev=head, kind=KIND_OF[type(record)], at=AT, record=record))
            out.write(line + b"\n")
            head = digest(line)
    (folder.root / "head.json").write_bytes(canonical({"seq": seq, "head": head}))
    return folder


def records(trials: Any) -> Any:
    """Give a claim and an outcome a trial, as large as a real agent's, and the close."""
    for trial in trials:
        place = {"trial": trial.id, "task": trial.task, "arm": trial.arm, "seed": trial.seed, "machine": "here"}
        number = int.from_bytes(hashlib.sha256(trial.id.encode()).digest()[:4], "big") % 1_000_000
        cost = 400_000 + number * 7 % 300_000 - (3_000 if trial.arm == "guide" else 0)
        yield Claimed(**place, attempt=1)
        yield Outcome(
            **place,
            attempt=1,
            verdict="pass" if number % 5 else "fail",
            ended="finished",
            measures={
                "cost": f"0.{cost:06d}".rstrip("0"),
                "time": f"{100 + number % 200}.{1 + number % 9}",
                "turns": 4 + number % 20,
                "tokens": 10_000 + number,
                "input_tokens": 9_000 + number,
                "output_tokens": 1_000,
                "tool_calls": None,
                "tool_errors": number % 3,
                "files_changed": 1 + number % 4,
                "terminal_reason": "completed",
                "result_event": True,
                "environment_ok": True,
            },
            reasons={"tool_calls": "the agent does not count them"},
            checks={"fixed": {"ok": bool(number % 5), "passed": number % 5, "failed": 0}},
            versions={"agent": "1", "python": "3.11.7"},
            blobs={"transcript": digest(trial.id.encode())},
            simulated=True,
        )
    yield Closed(outcomes=len(trials), attempts=len(trials))


def quietly(*arguments: str) -> None:
    """Call a verb; say what went wrong, if anything did."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = verb([*arguments, "--json"])
    if code:
        raise SystemExit(said.getvalue()[:2000])


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Give a result with the seconds of processor time and of the clock that it took."""
    used, start = time.process_time(), time.perf_counter()
    found = work()
    return found, time.process_time() - used, time.perf_counter() - start


def parse_and_hash(path: Path) -> int:
    """Do the least that any reader of a chained ledger must."""
    lines = path.read_bytes().splitlines()
    return sum(len(hashlib.sha256(line).hexdigest()) + json.loads(line)["seq"] for line in lines)


def analyzed(run: RunFolder) -> tuple[float, float, float]:
    """Analyze as a user does; give the seconds of processor time and of the clock, and the most memory in megabytes."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "prereg", "analyze", str(run.root), "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=Path(__file__).parents[1]) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"prereg analyze ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024


def measured(tasks: int, seeds: int) -> str:
    """Lay a run out, analyze it, and say what it took."""
    with tempfile.TemporaryDirectory() as folder:
        run = lay(Path(folder) / "experiment", tasks, seeds)
        megabytes = run.ledger.stat().st_size / 1e6
        _, least, _ = timed(lambda: parse_and_hash(run.ledger))
        whole, clock, memory = analyzed(run)
        gc.disable()  # as the verb does
        case = Case(run)
        _, planned, _ = timed(lambda: (case.registered_files, case.plan, case.warnings))
        _, reading, _ = timed(lambda: read(run.root, case.entry.digest))
        _ = case.opened
        verdict, judging, _ = timed(lambda: case.judged)
        made, encoding, _ = timed(lambda: encode(verdict))
        _, rendering, _ = timed(lambda: rendered(case, decode(made), digest(made)))
        gc.enable()
    return (
        f"{tasks} tasks x 2 arms x {seeds} seeds, ledger {megabytes:.0f} MB: prereg analyze {whole:.2f} s of processor time "
        f"({clock:.2f} s by the clock) in {memory:.0f} MB; reading, parsing and hashing alone {least:.2f} s, ratio {whole / least:.1f}\n"
        f"  registration and plan {planned:.2f} s, verifying the ledger {reading:.2f} s, judging {judging:.2f} s, "
        f"encoding {encoding:.2f} s, rendering {rendering:.2f} s; verdict.json {len(made) / 1e6:.1f} MB, {verdict.status}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", action="append", metavar="TASKSxSEEDS")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for shape in parser.parse_args().shape or ["2000x15", "10000x3"]:
        tasks, seeds = map(int, shape.split("x"))
        print(measured(tasks, seeds), flush=True)


if __name__ == "__main__":
    main()
