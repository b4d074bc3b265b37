"""The shipped brownfield set: issues with reasons, one task, and right, wrong, regressing and cheating changes judged for what they are."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from executor.trees import leaves
from ledger.blobs import Blobs
from ledger.records import Outcome
from ledger.store import read
from prereg import api, starters
from prereg.case import Case
from prereg.experiment import run_at

DONE = (
    '{"result": "done", "total_cost_usd": 0.01, "num_turns": 1, "subtype": "success", "terminal_reason": "completed"}'
)
RIGHT = """
cat > tillbook/split.py <<'END'
def split(amount, people):
    if people < 1:
        raise ValueError("nobody is there to pay")
    parts = [amount // people] * people
    for place in range(amount - sum(parts)):
        parts[place] += 1
    return parts
END
"""
ACTS = {
    "another_way": RIGHT,
    "cheating": """
mkdir -p tests
printf 'import unittest\\nunittest.TestCase.assertEqual = lambda *_: None\\n' > cheat
cat cheat > tests/conftest.py
cat cheat > tests/__init__.py
cat cheat >> tillbook/__init__.py
printf 'import unittest\\nclass Split(unittest.TestCase):\\n    def test_no_cent_is_lost(self):\\n        pass\\n' > tests/test_split.py
""",
    "half": """
sed -i 's|return .*|return [amount - amount // people * (people - 1)] + [amount // people] * (people - 1)|' tillbook/split.py
""",
    "regressing": RIGHT + "sed -i 's/rest >= 50/rest > 50/' tillbook/discounts.py",
    "rounding_up": "sed -i 's|amount // people|-(-amount // people)|' tillbook/split.py",
    "syntax": "echo 'def split(:' > tillbook/split.py",
    "without_tests": RIGHT + "rm -r tests",
}
"""Arm → what its agent does to the start."""

VERDICTS = {
    "another_way": "pass",
    "cheating": "fail",
    "half": "partial",  # no cent is lost, and one person pays two more than the others
    "idle": "fail",
    "reference": "pass",
    "regressing": "partial",
    "rounding_up": "fail",
    "syntax": "fail",
    "without_tests": "pass",  # the suite is put back before it runs
}


def laid(root: Path) -> Path:
    """The shipped experiment with its brownfield set alone, one arm for each way of changing the code."""
    starters.lay("outcome-frontier", root)
    text = (root / "spec.yaml").read_text("utf-8")
    before, _, rest = text.partition("  migration:\n")
    tail = rest[rest.index("\nmeasures:") :]
    arms: dict[str, Any] = {"reference": {}, "idle": {"agent": {"kind": "noop"}}}
    for name, act in ACTS.items():
        run = ["sh", "-c", f"{act}\necho '{DONE}'"]
        arms[name] = {"agent": {"kind": "command", "version": "1", "model": "none", "run": run, "network": "none"}}
    said = {
        "agent": {"kind": "reference", "limits": {"time": "1 min"}},
        "sandbox": {"kind": "local"},
        "arms": arms,
        "single_difference": "agent",
        "trials": {"seeds": 1, "order": {"kind": "alternate"}},
    }
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in said.items())
    tail = "\n".join(line for line in tail.split("\n") if not line.startswith(("  migration:", "  reproduction:")))
    tail = tail.replace("brownfield: {role: secondary", "brownfield: {role: primary")
    start = tail.index("\ndecision:")
    end = tail.index("\nsample_size:")
    decision = {
        "claim": "The reference solves it",
        "supported_when": ["brownfield.count(reference) >= 1 task"],
        "wording": {"supported": "yes", "not_supported": "no", "no_verdict": "unknown"},
    }
    tail = f"{tail[:start]}\ndecision: {json.dumps(decision)}{tail[end:]}"
    (root / "spec.yaml").write_text(f"{before}\n{head}\n{tail}", "utf-8")
    return root


@pytest.fixture(scope="module")
def carried_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = laid(tmp_path_factory.mktemp("brownfield") / "frontier")
    api.harvest(root / "spec.yaml")
    api.compile_(root / "spec.yaml")
    api.execute(root, "practice")
    return root


def test_every_issue_is_a_task_or_says_why_not(carried_out: Path) -> None:
    found = {each["id"]: each["reasons"] for each in api.tasks(carried_out)}
    assert found == {
        "issue-3": ['condition: issue.closed > date("2026-01-01")'],
        "issue-6": ["condition: count(tests) >= 1"],
        "issue-9": ["unwithholdable: a file of the starting tree imports a withheld test file tests/test_discounts.py"],
        "issue-12": [],
        "issue-14": [],
        "issue-17": ["no-merge: no merged pull request closes it"],
    }


def test_the_first_by_number_is_drawn_and_the_drops_are_in_the_plan(carried_out: Path) -> None:
    plan = Case(run_at(carried_out / "runs/practice")).plan
    assert [each.id for each in plan.run.tasks] == ["issue-12"]
    selection = plan.analysis.selection["brownfield"]
    assert isinstance(selection, dict)
    assert selection["order"] == ["issue-9", "issue-12", "issue-14"]
    assert selection["passed"] == {"issue-9": "gate: unwithholdable"}
    assert selection["dropped"] == {
        "count(tests) >= 1": 1,
        'issue.closed > date("2026-01-01")': 1,
        "no-merge": 1,
    }


def test_the_prompt_is_the_issue_word_for_word(carried_out: Path) -> None:
    case = Case(run_at(carried_out / "runs/practice"))
    (task,) = case.plan.run.tasks
    told = Blobs(case.entry.folder / "inputs").get(task.prompt).decode()
    issue = next(
        each for each in json.loads((carried_out / "brownfield/issues.json").read_text()) if each["number"] == 12
    )
    assert told == f"{issue['title']}\n\n{issue['body']}"


def test_the_start_is_the_parent_of_the_fix_without_its_tests(carried_out: Path) -> None:
    (task,) = Case(run_at(carried_out / "runs/practice")).plan.run.tasks
    given = {leaf.path: leaf.data for leaf in leaves(Blobs(carried_out / "pool/blobs").get(task.given))}
    shown = subprocess.run(
        ["git", "-C", str(carried_out / "tillbook"), "show", "6e7315f6^:tillbook/split.py"],
        capture_output=True,
        check=True,
    )
    assert given["tillbook/split.py"] == shown.stdout
    assert "tests/test_split.py" not in given
    assert not any(b"no_cent_is_lost" in data for data in given.values())


def test_every_change_is_judged_for_what_it_is(carried_out: Path) -> None:
    case = Case(run_at(carried_out / "runs/practice"))
    lines = read(carried_out / "runs/practice", case.entry.digest).lines
    assert {each.arm: each.verdict for line in lines if isinstance(each := line.record, Outcome)} == VERDICTS


def test_the_report_tells_how_the_task_was_chosen(carried_out: Path) -> None:
    api.analyze(carried_out / "runs/practice")
    page = (carried_out / "runs/practice/report.md").read_text("utf-8")
    assert "passed over, gate: unwithholdable" in page
    assert "dropped: no-merge" in page
    assert api.audit(carried_out / "runs/practice").status == "verified"
