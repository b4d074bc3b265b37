"""The twelve cases as an experiment of scripted agents: harvested once, then played right, and wrong in one way after the other."""

import copy
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from executor.attempt import Observed
from executor.measures import check_facts
from executor.ordering import Orders
from executor.trial import carry_out
from ledger.blobs import Blobs
from ledger.plain import Plain
from prereg import api
from prereg.kit import kit_for
from prereg.rules import plan_rules

CASES = Path(__file__).parents[2] / "specs" / "cost-per-correct-task"
RIGHT = CASES / "recordings" / "right"
SERVER = "{kind: mcp, files: {server.py: server.py}, servers: {warehouse: {run: [python3, '{files}/server.py']}}}"
SPEC = f"""
prereg: 1
id: twelve-cases
stage: exploratory
question: Is every case passed by who does it right, and failed by who does not?
foreknowledge: {{access: nothing-run, statement: Only scripted agents run.}}
tasks:
  cases:
    source: {{kind: folder, path: tasks}}
    draw: {{sort: id, take: all}}
    oracle: {{from: task}}
agent: {{kind: replay, recordings: recordings/right, model: recorded-model, limits: {{time: 2 min}}}}
arms:
  one: {{provider: {SERVER}}}
  other: {{provider: {SERVER}, flags: [--other]}}
single_difference: flags
trials: {{seeds: 1, order: {{kind: alternate}}}}
measures:
  solved: verdict == "pass"
missing:
  rules:
    - {{rule: harness_failure, when: not result_event, retry: 1}}
    - {{rule: impure, when: not environment_ok, retry: 1}}
  otherwise: no-verdict
endpoints:
  solved:
    role: primary
    measure: solved
    per_task: only
    compare: other - one
    statistic: mean
    interval: {{kind: newcombe-paired, level: 0.95}}
decision:
  claim: The other flag solves more
  supported_when: [solved.lower > 0 pp]
  wording: {{supported: more, not_supported: not more, no_verdict: nothing}}
sample_size: {{rationale: all-available}}
threats: [scripted agents]
does_not_show: Anything about an agent.
"""

_EDIT = """
import sys
from pathlib import Path
path, old, new = sys.argv[1:]
text = Path(path).read_text("utf-8")
assert old in text
Path(path).write_text(text.replace(old, new), "utf-8")
"""
Recording = dict[str, Any]
Wrong = Callable[[Recording], None]


def lay_out(root: Path) -> Path:
    """Make the experiment, harvest it, lock it."""
    shutil.copytree(CASES, root, ignore=shutil.ignore_patterns("pool", "registry", "runs", "spec.yaml"))
    (root / "spec.yaml").write_text(SPEC, "utf-8")
    harvested = api.harvest(root / "spec.yaml")
    dropped = {each.id: each.reasons for each in harvested.pool.candidates if each.status == "dropped"}
    assert dropped == {}
    return root


class Stage:
    """Plays recordings of the cases, one attempt each, as a run does."""

    def __init__(self, root: Path, scratch: Path) -> None:
        locked = api.compile_(root / "spec.yaml")
        self.scratch, self.plan = scratch, locked.compiled.plan.run
        registered = next((root / "registry").iterdir())
        self.orders = Orders(
            plan=self.plan,
            pool=Blobs(root / "pool" / "blobs"),
            inputs=Blobs(registered / "inputs"),
            artefacts=Blobs(scratch / "blobs"),
            kit=kit_for(self.plan, root.resolve()),
            scratch=scratch,
        )
        self.trials = {each.task: each for each in self.plan.trials if each.arm == "one"}
        self.rules = plan_rules(self.plan)

    def play(self, case: str, wrong: Wrong | None = None, *, only: str | None = None) -> Observed:
        """Play a case right, or wrong in one way; ``only`` names the one check that is made."""
        recording = json.loads((RIGHT / f"{case}.json").read_bytes())
        if wrong is not None:
            before = copy.deepcopy(recording)
            wrong(recording)
            assert recording != before, "nothing is wrong with it"
        folder = self.scratch / "recordings"
        folder.mkdir(exist_ok=True)
        (folder / f"{case}.json").write_text(json.dumps(recording), "utf-8")
        order = self.orders.order(self.trials[case], 1)
        if only is not None:
            order = replace(order, checks={only: order.checks[only]})
        agent = replace(order.arm.agent, options={**order.arm.agent.options, "recordings": str(folder)})
        observed = carry_out(replace(order, arm=replace(order.arm, agent=agent)))
        assert observed.kind == "graded", f"{observed.step}: {observed.detail} {observed.expected} {observed.got}"
        return observed

    def verdict(self, case: str, observed: Observed) -> Literal["pass", "partial", "fail"]:
        """Judge by the case's own conditions."""
        oracle = next(each.oracle for each in self.plan.tasks if each.id == case)
        return self.rules.verdict(oracle, check_facts(observed.checks))

    def detail(self, observed: Observed, check: str) -> str:
        """Give what a check said."""
        kept = observed.blobs.get(f"{check}.detail")
        return "" if kept is None else Blobs(self.scratch / "blobs").get(kept).decode("utf-8")


# --- ways of going wrong ---


def turn(recording: Recording, number: int = -1) -> Recording:
    """Give a turn of a recording; one of a single turn is that turn."""
    found: Recording = recording["turns"][number] if "turns" in recording else recording
    return found


def answers(text: str, number: int = -1) -> Wrong:
    """Another answer."""

    def wrong(recording: Recording) -> None:
        turn(recording, number)["answer"] = text

    return wrong


def adds(text: str, number: int = -1) -> Wrong:
    """A sentence more in the answer."""

    def wrong(recording: Recording) -> None:
        turn(recording, number)["answer"] += f" {text}"

    return wrong


def says(old: str, new: str, number: int = -1) -> Wrong:
    """Other words in the answer."""

    def wrong(recording: Recording) -> None:
        assert old in turn(recording, number)["answer"]
        turn(recording, number)["answer"] = turn(recording, number)["answer"].replace(old, new)

    return wrong


def also(*steps: Mapping[str, Plain], number: int = -1, first: bool = False) -> Wrong:
    """Steps more, at the end or at the beginning."""

    def wrong(recording: Recording) -> None:
        said = turn(recording, number)["steps"]
        said[0 if first else len(said) :] = [*steps, *(said if first else ())]

    return wrong


def without(act: str, number: int = -1) -> Wrong:
    """Without the steps of one kind."""

    def wrong(recording: Recording) -> None:
        turn(recording, number)["steps"] = [each for each in turn(recording, number)["steps"] if act not in each]

    return wrong


def changes(old: str, new: str, number: int = -1) -> Wrong:
    """Another text on the lines that its patches add."""

    def wrong(recording: Recording) -> None:
        patches = [each for each in turn(recording, number)["steps"] if "patch" in each]
        assert any(old in each["patch"] for each in patches), f"no patch has {old!r}"
        for each in patches:
            each["patch"] = each["patch"].replace(old, new)

    return wrong


def sets(key: str, value: Plain, number: int = 0) -> Wrong:
    """Another way of taking a cancel or a refusal."""

    def wrong(recording: Recording) -> None:
        turn(recording, number)[key] = value

    return wrong


def edits(path: str, old: str, new: str) -> dict[str, Plain]:
    """A step that puts other text into a file; it is told as an edit."""
    return {"run": ["python3", "-c", _EDIT, path, old, new], "name": "edit", "does": "edit"}


def both(*ways: Wrong) -> Wrong:
    """Several ways at once."""

    def wrong(recording: Recording) -> None:
        for each in ways:
            each(recording)

    return wrong
