"""A private task set in a store of its own, and an experiment that names nothing but the variable that leads there."""

import json
from pathlib import Path

from tests.executor.sources.histories import History
from tests.spec_lang.exports import issue, pull

ENV = "PREREG_TEST_STORE"
SECRET = "zanzibar"
"""A word in everything that a private set must hide: titles, files, tests, names, messages of the agent and of its tests."""

_TESTS = """import unittest

from zanzibar.{name} import {name}


class {title}(unittest.TestCase):
    def test_it_is_there(self):
        self.assertTrue(callable({name}))
{more}"""
_CASE = """
    def test_zanzibar_{name}(self):
        self.assertEqual({expected}, "zanzibar is wrong")
"""
FIXES = (
    ("add", "a - b", "a + b", "add(2, 3), 5"),
    ("double", "a", "a * 2", "double(4), 8"),
    ("negative", "a", "-a", "negative(4), -4"),
)

SPEC = """\
prereg: 1
id: hidden
stage: smoke
question: Does the reference solve what nobody has seen?
foreknowledge:
  access: nothing-run
  statement: Nobody has run anything.
  model_cutoffs: {none: "2026-07-01"}

tasks:
  hidden:
    source: {kind: issues, private: {store_env: PREREG_TEST_STORE}, withhold: files}
    where:
      - issue.closed > models.latest_cutoff
      - count(sources) >= 1
      - count(tests) >= 1
    stability: {harvests: 1}
    draw: {sort: issue.number, take: 2}
    oracle:
      checks:
        restored: {kind: tests, of: held-out}
        suite: {kind: tests, of: baseline}
      pass: [restored.ok, suite.ok]

agent: {kind: reference, limits: {time: 30 s}}
sandbox: {kind: local}
arms:
  idle: {agent: {kind: noop}}
  reference: {}
  talking:
    agent:
      kind: command
      version: "1"
      model: none
      network: none
      run:
        - sh
        - -c
        - |
          word=$(ls | grep ^z)
          cat */*.py
          git log > $word.txt
          echo "{\\"result\\": \\"$word\\", \\"terminal_reason\\": \\"no $word today\\", \\"subtype\\": \\"success\\"}"
single_difference: agent
trials: {seeds: 1, order: {kind: alternate}}
measures:
  solved: verdict == "pass"
missing:
  rules:
    - {rule: limit, when: 'stop in ["timeout", "limit"]', value: {solved: "false"}}
  otherwise: no-verdict
endpoints:
  solved: {role: primary, measure: solved, per_task: only}
decision:
  claim: The reference solves both
  supported_when: [solved.count(reference) >= 1 task]
  wording: {supported: "yes", not_supported: "no", no_verdict: unknown}
sample_size: {rationale: all-available}
threats: [none that a test has]
does_not_show: Anything.
"""


def lay_store(root: Path) -> Path:
    """Make the store: a key, a history of three fixes, and an export of five issues."""
    history = History(root / "zanzibar-repo")
    start: dict[str, str | bytes | None] = {"zanzibar/__init__.py": '"""Zanzibar."""\n', "tests/__init__.py": ""}
    for name, wrong, _, _ in FIXES:
        start[f"zanzibar/{name}.py"] = f"def {name}(a, b=1):\n    return {wrong}\n"
        start[f"tests/test_{name}.py"] = _TESTS.format(name=name, title=name.title(), more="")
    history.commit("Zanzibar begins", start)
    commits = []
    for name, wrong, right, expected in FIXES:
        case = _CASE.format(name=name, expected=expected)
        files: dict[str, str | bytes | None] = {
            f"zanzibar/{name}.py": f"def {name}(a, b=1):\n    return {right}\n",
            f"tests/test_{name}.py": _TESTS.format(name=name, title=name.title(), more=case),
        }
        commits.append(history.commit(f"Zanzibar: {name} ({wrong})", files))
    lone = history.commit("Zanzibar without a test", {"zanzibar/more.py": "x = 1\n"})
    issues = [issue(40 + at, title=f"Zanzibar: {name} is wrong") for at, (name, *_) in enumerate(FIXES)]
    issues += [
        issue(50, title="Zanzibar has no test"),
        issue(60, title="Zanzibar?"),
        issue(39, closed="2026-06-01T00:00:00Z"),
    ]
    pulls = [pull(70 + at, [40 + at], commit, files=2) for at, commit in enumerate(commits)]
    pulls += [pull(80, [50], lone), pull(81, [39], commits[0], files=2)]
    (root / "issues.json").write_text(json.dumps(issues))
    (root / "pulls.json").write_text(json.dumps(pulls))
    said = {
        "repository": "zanzibar-repo",
        "at": history.git("rev-parse", "HEAD"),
        "issues": "issues.json",
        "pulls": "pulls.json",
        "tests": {"run": ["python", "-m", "unittest"], "report": "unittest", "timeout": "60 s", "each_timeout": "10 s"},
        "test_files": ["tests/test_*.py"],
    }
    (root / "store.json").write_text(json.dumps(said))
    (root / "key").write_text("5e" * 32 + "\n")
    return root


def lay_experiment(root: Path) -> Path:
    """Make the experiment folder: a spec."""
    root.mkdir()
    (root / "spec.yaml").write_text(SPEC)
    return root


def secrets_of(store: Path) -> list[bytes]:
    """Give what must be nowhere: the word, and every commit id."""
    history = History.__new__(History)
    history.folder, history._moment = store / "zanzibar-repo", 0
    return [SECRET.encode(), *(each.encode() for each in history.git("log", "--format=%H").split())]
