"""Lays out a small experiment whose pool and ledger are written by hand, so that the face is tested without an executor."""

import hashlib
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

from compiler.harvest_plan import harvest_digest, harvest_plan
from compiler.plan import TrialPlan
from compiler.pool import Pool, PoolHead
from compiler.pool_file import write
from compiler.task import Candidate, Material, Reason, TestPlan
from ledger.blobs import Blobs
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.records import Claimed, Closed, Infrastructure, Outcome
from ledger.store import Ledger
from prereg.executing import begin, registration_at
from prereg.experiment import RunFolder
from spec_lang.load import load, read_source

SPEC = """\
prereg: 1
id: small
stage: pilot
question: Does the guide lower the cost of a task?
foreknowledge:
  access: nothing-run
  statement: Nobody has run anything.

tasks:
  fixes:
    source:
      kind: git-history
      repository: somewhere
      at: "0123456789abcdef0123456789abcdef01234567"
      tests: {run: [python, -m, unittest], report: unittest, timeout: 60 s, each_timeout: 10 s}
      test_files: ["tests/test_*.py"]
      walk: {refs: at, merges: skip, duplicates: first, missing_blobs: drop}
    where:
      - count(fail_to_pass) >= 1
    draw: {sort: commit-hash, shuffle: {kind: python-random-v1, seed: 7}, take: 8}
    prompts: {file: prompts.yaml}
    oracle:
      checks:
        fixed: {kind: tests, of: fail-to-pass}
      pass: [fixed.ok]

agent:
  kind: simulated
  version: "1"
  model: simulated-model
  limits: {time: 20 min, cost: 2 USD, turns: 60}
  seed: 7
  profiles:
    baseline: {solve: 85 %, cost: {median: 0.42 USD, spread: 0.35}, time: {median: 210 s, spread: 0.4}, turns: 18, tool_calls: 31}
    guide: {solve: 86 %, cost: {median: 0.36 USD, spread: 0.35}, time: {median: 180 s, spread: 0.4}, turns: 15, tool_calls: 24}

arms:
  baseline: {provider: {kind: none}}
  guide: {provider: {kind: files, write: {GUIDE.md: guide.md}}}
single_difference: provider

trials: {seeds: 1, order: {kind: interleave, seed: 7}, concurrency: 1, budget: {total: 60 USD}}

measures:
  solved: verdict == "pass"

missing:
  rules:
    - {rule: harness_failure, when: not result_event, retry: 2}
  otherwise: no-verdict

endpoints:
  cost:
    role: primary
    measure: cost
    per_task: mean
    compare: guide - baseline
    test: {kind: wilcoxon-signed-rank, alternative: less, zeros: wilcox}
  solved:
    role: secondary
    measure: solved
    per_task: majority
    compare: guide - baseline
    interval: {kind: newcombe-paired, level: 0.95}

decision:
  claim: The guide lowers the cost of a task
  supported_when:
    - cost.p < 0.05
  wording:
    supported: The guide lowered the cost of a task
    not_supported: No difference shown
    no_verdict: The run is incomplete

sample_size: {rationale: pilot}
threats:
  - The agent is simulated
does_not_show: Anything about a real agent.
"""


def lay_experiment(root: Path, spec: str = SPEC) -> Path:
    """Write spec, inputs and a pool of nine kept candidates and a dropped one; gives the folder."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "spec.yaml").write_text(spec)
    (root / "guide.md").write_text("Look in src first.\n")
    ids = [f"{hashlib.sha1(str(number).encode()).hexdigest()[:12]}" for number in range(10)]
    (root / "prompts.yaml").write_text(
        "".join(f'"{each}": Something is wrong with number {each[:3]}.\n' for each in ids)
    )
    lay_pool(root, ids)
    return root


def lay_pool(root: Path, ids: list[str]) -> None:
    """Write a pool that fits the spec of the folder."""
    blobs = Blobs(root / "pool" / "blobs")
    kept = [_candidate(blobs, each, number) for number, each in enumerate(ids[:-1])]
    lost = Candidate(
        id=ids[-1],
        set="fixes",
        status="dropped",
        facts={"hash": ids[-1] * 3, "subject": "docs", "fail_to_pass": []},
        reasons=(Reason(code="condition", what="count(fail_to_pass) >= 1"),),
    )
    plan = harvest_plan(load(read_source(root / "spec.yaml")))
    head = PoolHead(harvest=harvest_digest(plan), origin={"fixes": "somewhere@0123456"})
    (root / "pool" / "candidates.jsonl").write_bytes(write(Pool(head=head, candidates=(*kept, lost))))


def _candidate(blobs: Blobs, task: str, number: int) -> Candidate:
    wrong, right = f"value = {number}\n", f"value = {number + 1}\n"
    test = f"import module\nassert module.value == {number + 1}\n"
    plan = TestPlan(
        run=("python", "-m", "unittest"),
        report="unittest",
        files=("tests/test_module.py",),
        fail_to_pass=("tests.test_module.Test.test_value",),
        pass_to_pass=(),
        restore=("tests/test_module.py",),
    )
    return Candidate(
        id=task,
        set="fixes",
        status="kept",
        facts={
            "hash": task * 3,
            "subject": f"fix: value {number}",
            "fail_to_pass": ["tests.test_module.Test.test_value"],
        },
        gold_files=("module.py",),
        material=Material(
            given=blobs.put(_tar({"module.py": wrong})),
            held_out=blobs.put(_tar({"tests/test_module.py": test})),
            tests=blobs.put(canonical(to_plain(plan))),
            reference=blobs.put(f"--- a/module.py\n+++ b/module.py\n@@ -1 +1 @@\n-{wrong}+{right}".encode()),
        ),
    )


def _tar(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, text in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def run_by_hand(
    root: Path,
    name: str = "one",
    *,
    close: bool = True,
    upto: int | None = None,
    versions: Callable[[TrialPlan], dict[str, str]] = lambda _: {},
) -> Path:
    """Write the ledger of a run as an executor would: one attempt a trial, the first trial after a lost attempt."""
    entry, experiment = registration_at(root)
    folder: RunFolder = experiment.run(name)
    plan = entry.plan().run
    blobs = Blobs(folder.root / "blobs")
    times = iter(range(10_000))
    attempts = 0
    with Ledger.open(folder.root, entry.digest, lambda: f"2026-11-29T10:00:{next(times) % 60:02d}Z") as ledger:
        begin(folder, entry, ledger, simulated=True)
        for place, trial in enumerate(plan.trials[:upto]):
            claim = {"trial": trial.id, "task": trial.task, "arm": trial.arm, "seed": trial.seed, "machine": "here"}
            if place == 0:
                ledger.append(Claimed(**claim, attempt=1))
                ledger.append(
                    Infrastructure(
                        trial=trial.id, attempt=1, rule="harness_failure", step="agent", detail="no result event"
                    )
                )
                attempts += 1
            attempt = 2 if place == 0 else 1
            attempts += 1
            ledger.append(Claimed(**claim, attempt=attempt))
            number = int(trial.task[:2], 16)
            cost = 400 + number if trial.arm == "baseline" else 300 + number // 2
            ledger.append(
                Outcome(
                    **claim,
                    attempt=attempt,
                    verdict="pass" if number % 3 else "fail",
                    ended="finished",
                    measures={
                        "cost": f"0.{cost}".rstrip("0"),
                        "time": "12.5",
                        "turns": 4,
                        "result_event": True,
                        "environment_ok": True,
                        "tool_calls": None,
                    },
                    reasons={"tool_calls": "the agent does not count them"},
                    checks={"fixed": {"ok": bool(number % 3)}},
                    versions=versions(trial),
                    blobs={"transcript": blobs.put(f"transcript of {trial.id}".encode())},
                    simulated=True,
                )
            )
        if close:
            ledger.append(Closed(outcomes=len(plan.trials), attempts=attempts))
    return folder.root
