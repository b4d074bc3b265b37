"""The whole road with a real program as the agent: hostile ones, one that is logged out, one that changes under the run."""

import json
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from executor.sandboxes.bubblewrap import BubblewrapSandbox
from prereg.cli import main
from tests.needs import require
from tests.prereg.conftest import Call
from tests.prereg.history import lay_history
from tests.prereg.test_compile import edit

DONE = (
    '{"result": "done", "total_cost_usd": 0.01, "num_turns": 1, "subtype": "success", "terminal_reason": "completed"}'
)
LOGGED_OUT = '{"result": "Not logged in", "total_cost_usd": 0, "subtype": "success", "terminal_reason": "api_error"}'
MARK = "7919.104729"
"""What processes of hostile agents carry, so that one left behind is found."""

MEND = """
sed -i 's/a - b/a + b/' kit/add.py
printf 'def double(a, b=1):\\n    return a * 2\\n' > kit/double.py
printf 'def negative(a, b=1):\\n    return -a\\n' > kit/negative.py
"""
FRAMEWORK = """
printf 'import unittest\\nunittest.TestCase.assertEqual = lambda *_: None\\n' >> kit/__init__.py
printf 'import os\\nos._exit(0)\\n' | tee conftest.py sitecustomize.py usercustomize.py unittest.py tests/__init__.py > tests/test_add.py
printf '[pytest]\\naddopts = --co\\n' > pytest.ini
"""
REPOSITORY = """
mkdir -p .git/hooks
for hook in post-index-change pre-commit fsmonitor-watchman reference-transaction; do
    printf '#!/bin/sh\\ncp -r kit-right/* kit/\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook
done
git config core.fsmonitor .git/hooks/fsmonitor-watchman; git config core.hooksPath .git/hooks
git config filter.evil.smudge 'touch kit/evil'; echo '* filter=evil eol=crlf' > .gitattributes
rm -rf .git/objects; ln -s / .git/objects
"""
LINKS = """
rm -rf tests kit/double.py; ln -s / root; ln -s /etc tests; ln -s /proc/self/environ kit/double.py; ln -s loop loop; mkfifo pipe
touch -- "$(printf 'new\\nline.py')" "$(printf '\\377\\376.py')" '-rf' "kit/$(printf '%0200d' 0)"
mkdir -p shut/inner; chmod 000 shut kit/add.py; chmod 500 kit
"""
DAEMONS = f"""
(setsid nohup sh -c 'sleep {MARK}' > /dev/null 2>&1 &)
(setsid nohup sh -c 'trap "" TERM INT HUP; while :; do echo "import os; os._exit(0)" > kit/add.py; done; : {MARK}' > /dev/null 2>&1 &)
sleep 0.3
"""
SPIES = """
for place in ~root/.ssh /var/run/docker.sock /proc/1/r''oot/etc/shadow; do cat "$place"; done > seen 2> /dev/null
find / -name registration.json -o -name ledger.jsonl -o -name 'plan.json' 2> /dev/null >> seen
{ echo > /dev/tcp/1.1.1.1/53; } 2> /dev/null && echo network >> seen
env | grep -c SECRET_OF_THE_HOST= >> seen
"""
"""Held-out files are never in sight: what is found is what the outcome's change shows."""


@pytest.fixture(scope="session")
def harvested_kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A harvested history without a registration."""
    root = lay_history(tmp_path_factory.mktemp("command") / "road")
    assert main(["harvest", str(root), "--json"]) == 0
    return root


@pytest.fixture
def road(harvested_kit: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(harvested_kit, tmp_path / "road")
    return tmp_path / "road"


def hand_to(root: Path, program: list[str], *, sandbox: str, retry: int = 1) -> None:
    """Let a program be the agent of the experiment."""
    spec = root / "spec.yaml"
    text = spec.read_text()
    agent, arms = text.index("agent:\n"), text.index("arms:\n")
    said = {
        "kind": "command",
        "version": "1",
        "model": "none",
        "run": program,
        "network": "none",
        "limits": {"time": "30 s", "cost": "2 USD"},
    }
    text = f"{text[:agent]}agent: {json.dumps(said, indent=1)}\nsandbox: {{kind: {sandbox}}}\n{text[arms:]}"
    spec.write_text(text)
    edit(
        spec,
        "when: not result_event, retry: 2",
        f'when: not result_event or terminal_reason == "api_error", retry: {retry}',
    )


def records(run: Path, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(each) for each in (run / "ledger.jsonl").read_text().splitlines()]
    return [each for each in lines if each["kind"] == kind]


def chosen(acts: Mapping[str, str]) -> str:
    """A script that does another thing at each trial: a task is known by what is broken in it, an arm by its guide."""
    cases = "\n".join(f"    {name}) {act}\n    ;;" for name, act in acts.items())
    return f"""
task=add
grep -q 'a - b' kit/add.py || task=double
grep -q 'a \\* 2' kit/double.py && task=negative
arm=baseline
test -e GUIDE.md && arm=guide
case $task-$arm in
{cases}
esac
echo '{DONE}'
"""


@pytest.mark.bubblewrap
def test_hostile_agents_get_what_they_earned_and_leave_nothing(
    road: Path, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(BubblewrapSandbox().unavailable())
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    acts = {
        "add-baseline": FRAMEWORK,
        "add-guide": MEND
        + FRAMEWORK.partition("\n")[2].partition("\n")[2]
        + DAEMONS.replace("import os; os._exit(0)", "broken("),
        "double-baseline": REPOSITORY,
        "double-guide": MEND + REPOSITORY + "rm -rf tests\n",
        "negative-baseline": MEND + LINKS,
        "negative-guide": SPIES,
    }
    hand_to(road, ["/bin/bash", "-c", chosen(acts)], sandbox="bubblewrap")
    assert call("compile", road, "--json").code == 0
    said = call("execute", road, "--run", "one", "--json")
    assert said.code == 0, said.out
    run = road / "runs" / "one"
    came = {trial_kind(road, each): each["verdict"] for each in records(run, "outcome")}
    assert came == {
        "add-baseline": "fail",
        "add-guide": "fail",  # a daemon wrote over its own fix while the agent still ran; afterwards it was dead
        "double-baseline": "fail",
        "double-guide": "pass",
        "negative-baseline": "pass",
        "negative-guide": "fail",
    }
    spied = next(each for each in records(run, "outcome") if trial_kind(road, each) == "negative-guide")
    change = (run / "blobs" / spied["blobs"]["change"].removeprefix("sha256:")).read_text()
    assert [line for line in change.splitlines() if line.startswith("+") and "seen" not in line] == ["+0"]
    assert not [each for each in psutil.process_iter(["cmdline"]) if MARK in " ".join(each.info["cmdline"] or ())]
    assert [each for each in (tmp_path / "scratch").rglob("*") if not each.is_dir()] == []
    assert str(tmp_path / "scratch") not in Path("/proc/self/mountinfo").read_text()
    assert call("analyze", run).code == 0
    assert call("audit", run).code == 0


def trial_kind(root: Path, outcome: dict[str, Any]) -> str:
    """Name a trial by what its task is about, and its arm."""
    pool = [json.loads(each) for each in (root / "pool" / "candidates.jsonl").read_text().splitlines()[1:]]
    subject = next(each["facts"]["subject"] for each in pool if each["id"] == outcome["task"])
    return f"{subject.split()[1]}-{outcome['arm']}"


def test_success_on_an_api_error_is_retried_and_never_an_outcome(road: Path, call: Call, tmp_path: Path) -> None:
    script = f"n=$(ls {tmp_path} | grep -c turn); touch {tmp_path}/turn$n; test $n -ge 2 && echo '{DONE}' || echo '{LOGGED_OUT}'"
    edit(road / "spec.yaml", "concurrency: 2", "concurrency: 1")
    hand_to(road, ["/bin/sh", "-c", script], sandbox="local", retry=2)
    assert call("compile", road, "--json").code == 0
    said = call("execute", road, "--run", "one", "--json")
    assert said.code == 0, said.out
    assert (said.json["outcomes"], said.json["attempts"], said.json["retried"]) == (6, 8, 2)
    lost = records(road / "runs" / "one", "infrastructure")
    assert [(each["rule"], each["attempt"]) for each in lost] == [("harness_failure", 1), ("harness_failure", 2)]
    assert call("analyze", road / "runs" / "one", "--json").json["status"] != "no_verdict"
    report = (road / "runs" / "one" / "report.md").read_text()
    assert "harness_failure" in report


def test_an_agent_that_stays_logged_out_gives_no_verdict(road: Path, call: Call) -> None:
    hand_to(road, ["/bin/sh", "-c", f"echo '{LOGGED_OUT}'"], sandbox="local")
    assert call("compile", road, "--json").code == 0
    said = call("execute", road, "--run", "one", "--json")
    assert said.code == 0, said.out
    assert (said.json["outcomes"], said.json["gaps"], said.json["attempts"]) == (0, 6, 12)
    run = road / "runs" / "one"
    said = call("analyze", run, "--json")
    assert (said.code, said.json["status"]) == (0, "no_verdict")
    assert call("audit", run).code == 0
    assert Counter(each["rule"] for each in records(run, "infrastructure")) == {"harness_failure": 12}


def test_an_agent_that_changed_since_is_not_mixed_into_the_run(road: Path, call: Call, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    first = f"#!/bin/sh\nrm -- {program}\necho '{DONE}'\n"
    edit(road / "spec.yaml", "concurrency: 2", "concurrency: 1")
    hand_to(road, [str(program)], sandbox="local")
    assert call("compile", road, "--json").code == 0

    def execute(text: str) -> tuple[int, list[str]]:
        program.write_text(text)
        program.chmod(0o755)
        said = call("execute", road, "--run", "one", "--json")
        return said.code, said.codes if said.code else []

    assert execute(first) == (3, ["program-missing"])
    ledger = road / "runs" / "one" / "ledger.jsonl"
    before = ledger.read_bytes()
    other = first.replace("rm -- ", ": ")
    assert execute(other) == (3, ["versions-mixed"])
    assert ledger.read_bytes().startswith(before)
    assert len(records(road / "runs" / "one", "outcome")) == 1
    for _ in range(5):
        code, _codes = execute(first)
    assert code in (0, 3)
    assert len({json.dumps(each["versions"]) for each in records(road / "runs" / "one", "outcome")}) == 1
    assert len(records(road / "runs" / "one", "outcome")) == 6


LOGS = """
mkdir -p .layer && printf '{"hook": "prompt"}\\n{"hook": "edit"}\\n{"hook": "prompt"}\\n{"hook": "pro' > .layer/hooks.jsonl
"""


def test_a_log_of_json_lines_is_the_manipulation_check_at_every_level(road: Path, call: Call) -> None:
    logged = f'if [ -f GUIDE.md ] && [ "$1" != silent ]; then {LOGS.strip()}; fi; echo {shlex.quote(DONE)}'
    hand_to(road, ["sh", "-c", logged, "sh", "{model}"], sandbox="local", retry=1)
    spec = road / "spec.yaml"
    edit(
        spec,
        "single_difference: provider\n",
        "across: {model: {loud: {model: loud}, silent: {model: silent}}}\nsingle_difference: provider\n"
        "collect: {prompts: {file: .layer/hooks.jsonl, lines: count, where: {hook: prompt}, type: count}}\n",
    )
    edit(spec, "measures:\n", "measures:\n  ran: known(prompts) and prompts >= 1\n")
    edit(spec, "  rules:\n", '  rules:\n    - {rule: not_manipulated, when: arm == "guide" and not ran, retry: 1}\n')
    edit(spec, "solved.count(guide) >= solved.count(baseline) - 1 task", "solved.loud.lower > 0 pp")
    edit(spec, "\ndecision:\n", "  manipulated: {role: manipulation-check, per_arm: count(ran)}\n\ndecision:\n")
    assert call("compile", road, "--json").code == 0, call("compile", road).err
    assert call("execute", road, "--run", "one", "--json").code == 0
    outcomes = records(road / "runs/one", "outcome")
    found = Counter((each["arm"], each["measures"]["prompts"]) for each in outcomes)
    assert found == {("baseline_loud", None): 3, ("baseline_silent", None): 3, ("guide_loud", 2): 3}
    lost = [each for each in records(road / "runs/one", "infrastructure") if each["rule"] == "not_manipulated"]
    assert {each["trial"].split("/")[1] for each in lost} == {"guide_silent"}
    assert len(lost) == 3 * 2
    said = call("analyze", road / "runs/one", "--json")
    assert (said.code, said.json["status"]) == (0, "no_verdict"), said.out
    assert said.json["endpoints"]["manipulated"]["arms"] == {
        "baseline_loud": 0,
        "baseline_silent": 0,
        "guide_loud": 3,
        "guide_silent": None,
    }
