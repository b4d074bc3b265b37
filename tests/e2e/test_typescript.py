"""TypeScript by vitest, packages installed from a lock at harvest: a fix of a history and an injected defect, to a verdict and an audit."""

import json
from pathlib import Path

import pytest

from tests.executor.node_world import asked, cache, packages
from tests.prereg.conftest import Call, call
from tests.prereg.history import commit, git

__all__ = ["call"]

SPEC = """\
prereg: 1
id: typescript
stage: exploratory
question: Are tasks in TypeScript proved without a network?
foreknowledge: {access: nothing-run, statement: Only scripted solvers run here.}
tasks:
  fixes:
    source:
      kind: git-history
      repository: words
      at: "COMMIT"
      tests: &
      test_files: ["test/*.test.ts"]
      walk: {refs: at, merges: skip, duplicates: first, missing_blobs: drop}
    where:
      - subject startswith "fix"
      - count(fail_to_pass) == 1
    environment: {kind: npm, lock: package-lock.json}
    stability: {harvests: 1}
    draw: {sort: id, take: all}
    prompts: {file: prompts.yaml}
    oracle: {checks: {fixed: {kind: tests, of: fail-to-pass}, kept: {kind: tests, of: pass-to-pass}}, pass: [fixed.ok, kept.ok]}
  defects:
    source:
      kind: defects
      path: tasks
      repositories:
        words:
          path: words
          at: "COMMIT"
          tests: &
          test_files: ["test/*.test.ts"]
    where:
      - broken == declared and repaired
    environment: {kind: npm, lock: package-lock.json}
    stability: {harvests: 1}
    draw: {sort: id, take: all}
    oracle: {checks: {fixed: {kind: tests, of: fail-to-pass}, kept: {kind: tests, of: pass-to-pass}}, pass: [fixed.ok, kept.ok]}
agent: {kind: reference, limits: {time: 5 min}}
arms:
  idle: {agent: {kind: noop}}
  reference: {}
single_difference: agent
trials: {seeds: 1, order: {kind: alternate}}
measures:
  solved: verdict == "pass"
endpoints:
  solved: {role: primary, per_arm: count(solved)}
decision:
  claim: The reference solves both
  supported_when: [solved.arm(reference) == 2]
  wording: {supported: both are solved, not_supported: they are not, no_verdict: nobody knows}
sample_size: {rationale: all-available}
threats: [two tasks]
does_not_show: Anything about an agent.
"""
TESTS = '{run: [vitest, run, --reporter=junit, "--outputFile={report}"], report: junit, timeout: 2 min}'
SUITE = """\
import { expect, it } from "vitest";
import { slug } from "../src/slug";

it("joins words", () => expect(slug("Two Words")).toBe("two-words"));
"""
WRONG = 'export function slug(text: string): string {\n  return text.toLowerCase().replace(" ", "-");\n}\n'
RIGHT = WRONG.replace('replace(" "', 'replaceAll(" "')
DEFECT = """\
--- a/src/slug.ts
+++ b/src/slug.ts
@@ -1,3 +1,3 @@
 export function slug(text: string): string {
-  return text.toLowerCase().replaceAll(" ", "-");
+  return text.replaceAll(" ", "-");
 }
"""
TASK = """\
id: capitals
title: Capitals stay
repository: words
category: single-file
prompt: Titles in addresses keep their capitals. Please fix that.
fails: ["test/slug.test.ts::joins words", "test/slug.test.ts::joins all words"]
"""


def laid(root: Path) -> Path:
    words = root / "words"
    for folder in ("src", "test"):
        (words / folder).mkdir(parents=True)
    git(words, "init", "-q", "-b", "main")
    (words / "package.json").write_text('{"name": "words", "private": true, "type": "module"}\n')
    (words / "src/slug.ts").write_text(WRONG)
    (words / "test/slug.test.ts").write_text(SUITE)
    commit(words, "slugs")
    (words / "src/slug.ts").write_text(RIGHT)
    more = 'it("joins all words", () => expect(slug("Two More Words")).toBe("two-more-words"));\n'
    (words / "test/slug.test.ts").write_text(SUITE + more)
    commit(words, "fix: only the first blank became a hyphen")
    head = git(words, "rev-parse", "HEAD").strip()
    (root / "spec.yaml").write_text(SPEC.replace("COMMIT", head).replace("&", TESTS))
    (root / "prompts.yaml").write_text(f'"{head[:12]}": Blanks are left in addresses of long titles.\n')
    (root / "tasks/capitals").mkdir(parents=True)
    (root / "tasks/capitals/task.yaml").write_text(TASK)
    (root / "tasks/capitals/defect.patch").write_text("diff --git a/src/slug.ts b/src/slug.ts\n" + DEFECT)
    asked("vitest", root)
    return root


@pytest.mark.slow
def test_a_fix_and_a_defect_to_a_clean_audit(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    packages("vitest", tmp_path)
    monkeypatch.setenv("PREREG_CACHE", str(cache()))
    root = laid(tmp_path / "typescript")
    for words in (("harvest", root), ("compile", root), ("execute", root, "--run", "one")):
        said = call(*words, "--json")
        assert said.code == 0, said.out + said.err
    run = root / "runs/one"
    said = call("analyze", run, "--json")
    assert (said.code, said.json["status"]) == (0, "supported"), said.out
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    outcomes = [each for each in lines if each["kind"] == "outcome"]
    assert {(each["arm"], each["verdict"]) for each in outcomes} == {("idle", "fail"), ("reference", "pass")}
    assert len(outcomes) == 4
    assert {len(each["versions"]["node"].split(".")) for each in outcomes} == {3}
    assert call("audit", run).code == 0
    for file in (root / "pool").rglob("*"):
        assert not file.is_file() or b"node_modules" not in file.read_bytes(), "packages are no part of a tree"
