"""A ledger with every kind of record holds no line of a prompt, a file, an answer, or what was said: contents live in blobs."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from executor.own_words import LEAST
from executor.progress import Progress
from ledger.errors import WorldFault
from ledger.records import KINDS
from prereg import api
from prereg.task_files import read_tasks
from spec_lang.judgments_file import Entry
from tests.e2e.acted import lay_out

EVIDENCE = "I read the diff line by line and found it to be right."
RUN = "measured"


def telling(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST)


def strings(value: Any, *, keys: bool = True) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value if keys else ()
        for inner in value.values():
            yield from strings(inner, keys=keys)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each, keys=keys)


def texts(root: Path) -> set[str]:
    """Every line that must not be in a ledger: prompts and steps, given and held-out files, references, all that recordings say."""
    found = set(telling(EVIDENCE))
    for task in (root / "tasks").iterdir():
        said: Any = read_tasks([task / "task.yaml"])[0]
        for words in strings([said["prompt"], said.get("steps", [])]):
            found.update(telling(words))
        for file in task.rglob("*"):
            if file.is_file() and file.name != "task.yaml":
                found.update(telling(file.read_text("utf-8")))
    for file in (root / "recordings").rglob("*.json"):
        played = {key: value for key, value in json.loads(file.read_bytes()).items() if key != "session"}
        for words in strings(played, keys=False):
            found.update(telling(words))
            found.update(telling("\n".join(line[1:] for line in words.splitlines() if line.startswith(("+", "-")))))
    return found


def goes_wrong(root: Path, case: str, **recording: Any) -> None:
    """Let the other arm play something that comes to nothing."""
    place = root / "recordings/right" / case / "other.json"
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps({"steps": [], **recording}), "utf-8")


def interrupted(root: Path) -> None:
    """Carry the run out until somebody stops it."""
    enough = threading.Event()

    def report(progress: Progress) -> None:
        if progress.outcomes >= 2:
            enough.set()

    with pytest.raises(WorldFault, match="not finished"):
        api.execute(root, RUN, stop=enough, report=report)


def finished(root: Path) -> None:
    """Carry the rest out; the world may stop it on the way, as it does after three failures in a row."""
    for _ in range(20):
        try:
            api.execute(root, RUN)
        except WorldFault:
            continue
        return
    raise AssertionError("it does not come to an end")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The twelve cases: done right in one arm, in the other with attempts that come to nothing; then looked at, judged and analysed."""
    root = lay_out(tmp_path_factory.mktemp("cases") / "cases")
    api.compile_(root / "spec.yaml")
    goes_wrong(root, "delivery", steps=[{"read": "practice.py", "text": "something else"}])
    goes_wrong(root, "explain", steps=[{"run": ["sh", "-c", "cat practice.py; cat practice.py >&2; exit 3"]}])
    goes_wrong(
        root,
        "long-task",
        steps=[{"read": "parcels.py"}, {"patch": "--- a/parcels.py\n+++ b/parcels.py\n@@ -1 +1 @@\n-x\n+y\n"}],
    )
    goes_wrong(root, "quantities", answer="There was nothing to do here.", session={"model": "another-model"})
    interrupted(root)
    run = root / "runs" / RUN
    api.look(run, "to see whether it works")
    finished(root)
    (root / "evidence.txt").write_text(EVIDENCE, "utf-8")
    judged = Entry(trial="names/one/1", judgment="success", who="ada", evidence=str(root / "evidence.txt"))
    api.judge_trial(run, judged)
    api.analyze(run)
    return root


@pytest.mark.slow
def test_no_line_of_any_text_is_in_the_ledger(root: Path) -> None:
    lines = (root / "runs" / RUN / "ledger.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    # A deviation is written where workspaces have to be copied, or a tool changes under a run; it has no room for a text of these.
    assert {each["kind"] for each in records} >= set(KINDS) - {"deviation"}
    forbidden = texts(root)
    assert len(forbidden) > 5000
    for record in records:
        for said in strings(record):
            if len(said) >= LEAST:
                found = [line for line in forbidden if line in said]
                assert not found, f"{record['kind']}: {found[0]!r} in {said!r}"


@pytest.mark.slow
def test_every_case_has_its_outcome_in_the_arm_that_does_it_right(root: Path) -> None:
    lines = (root / "runs" / RUN / "ledger.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    verdicts = {each["task"]: each["verdict"] for each in records if each["kind"] == "outcome" and each["arm"] == "one"}
    assert verdicts == {each.name: "pass" for each in (root / "tasks").iterdir()}
    failed = {
        each["trial"].split("/")[0] for each in records if each["kind"] in ("infrastructure", "invalid_environment")
    }
    assert failed == {"delivery", "explain", "long-task", "quantities"}
