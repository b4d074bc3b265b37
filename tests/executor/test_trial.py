"""One attempt: what an adversarial agent, a careless provider or a failing world can do to it, and what is kept of it."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest

from compiler.plan import Chosen, CollectPlan, RunPlan
from compiler.steps import CancelPlan, StepPlan
from executor.agents.jobs import run_job
from executor.agents.scripted import ReferenceAgent
from executor.attempt import TrialOrder
from executor.ordering import Orders
from executor.ports import AgentOrder, GradeOrder, Prepared, ProviderOrder, Sandbox
from executor.providers.fixture import FixtureProvider
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.trees import Leaf
from executor.trial import carry_out
from executor.turns import FAMILIES, Steps, Turn
from ledger.blobs import Blobs
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.errors import Fault, WorldFault
from tests.executor.worlds import (
    GIVEN,
    HELD_OUT,
    AnyAgent,
    Sleeping,
    TextGrader,
    World,
    arm,
    finished,
    left_behind,
    mend,
    world,
)
from tests.needs import require

DIGEST = "sha256:" + "1" * 64


@pytest.fixture(params=[LocalSandbox, pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    made: Sandbox = request.param()
    require(made.unavailable())
    return made


def order(there: World, trial: int = 0) -> TrialOrder:
    plan: RunPlan = there.plan
    orders = Orders(
        plan=plan,
        pool=Blobs(there.root / "pool"),
        inputs=Blobs(there.root / "inputs"),
        artefacts=Blobs(there.root / "blobs"),
        kit=there.kit,
        scratch=there.root / "scratch",
        rules=there.rules,
    )
    return orders.order(plan.trials[trial], 1)


def observe(tmp_path: Path, act: Any, **changes: Any) -> Any:
    there = world(tmp_path, agent=AnyAgent(act=act), **changes)
    seen = carry_out(order(there))
    assert left_behind(tmp_path) == []
    return seen


# --- what the agent is given, and what is kept of it ---


def test_the_agent_gets_its_task_and_nothing_held_out(tmp_path: Path) -> None:
    def act(asked: AgentOrder) -> None:
        assert asked.prompt == "Please mend the tool, number 1."
        assert asked.reference is None
        assert sorted(each.name for each in asked.workspace.iterdir()) == [".git", "number.txt", "tests", "tool.py"]
        assert (asked.workspace / "tests/test_tool.py").read_bytes() == GIVEN[1].data
        assert list(asked.home.iterdir()) == []
        mend(asked)

    seen = observe(tmp_path, act)
    assert (seen.kind, seen.checks["fixed"]["ok"]) == ("graded", True)
    assert (seen.measures["files_changed"], seen.measures["touched_gold"]) == (1, True)
    assert Decimal(str(seen.measures["time"])) >= 0


def test_an_order_and_what_was_observed_travel_by_pickle(tmp_path: Path) -> None:
    there = world(tmp_path, agent=ReferenceAgent())
    travelled = pickle.loads(pickle.dumps(order(there)))
    seen = carry_out(travelled)
    assert seen.checks["fixed"]["ok"] is True
    assert pickle.loads(pickle.dumps(seen)) == seen


def test_facts_are_collected_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text('{"n": 1}')

    def act(asked: AgentOrder) -> None:
        (asked.workspace / "facts.json").write_text(
            '{"hooks": {"prompts": 3, "rate": 0.5, "on": true, "list": [1, 2]}}'
        )
        (asked.workspace / "link.json").symlink_to(tmp_path / "outside.json")
        (asked.workspace / "dir").symlink_to(tmp_path)
        os.mkfifo(asked.workspace / "fifo.json")

    def plan(file: str, path: str, kind: Any = "count") -> CollectPlan:
        return CollectPlan(file=file, path=path, type=kind)

    wanted = {
        "prompts": plan("facts.json", "hooks.prompts"),
        "on": plan("facts.json", "hooks.on", "bool"),
        "size": plan("facts.json", "hooks.list.length"),
        "rate": plan("facts.json", "hooks.rate"),
        "none": plan("facts.json", "hooks.none"),
        "missing": plan("missing.json", "n"),
        "link": plan("link.json", "n"),
        "dir": plan("dir/outside.json", "n"),
        "fifo": plan("fifo.json", "n"),
        "up": plan("../../x.json", "n"),
    }
    seen = observe(tmp_path, act, collect=wanted)
    assert {name: seen.measures[name] for name in wanted} == {
        "prompts": 3,
        "on": True,
        "size": 2,
        **dict.fromkeys(("rate", "none", "missing", "link", "dir", "fifo", "up")),
    }
    assert {"rate", "none", "missing", "link", "dir", "fifo", "up"} <= set(seen.reasons)
    assert "facts.json" in seen.reasons["rate"]


def test_text_that_no_document_can_hold_is_written_out(tmp_path: Path) -> None:
    odd = "odd \ud800 \udcff \0"

    def act(asked: AgentOrder) -> Any:
        (asked.workspace / "hooks.json").write_text(json.dumps({"said": odd}))
        (asked.workspace / os.fsdecode(b"\xff\n.py")).symlink_to("/" + os.fsdecode(b"\xfe"))
        return {"answer": odd, "terminal_reason": odd, "versions": {"agent": odd}, "session": {odd: [odd, {"a": odd}]}}

    there = world(tmp_path, agent=AnyAgent(act=act))
    collected = {"said": CollectPlan(file="hooks.json", path="said", type="text")}
    seen = carry_out(replace(order(there), collect=collected))
    assert canonical(to_plain(seen))
    assert Blobs(tmp_path / "blobs").get(seen.blobs["answer"]) == b"odd \\ud800 \\udcff \0"
    assert seen.measures["said"] == seen.measures["terminal_reason"] == "odd \\ud800 \\udcff \0"


def test_secrets_do_not_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", 'very"secret/value')
    token = "ghp_" + "a1B2" * 9

    def act(asked: AgentOrder) -> Any:
        assert asked.env["MODEL_KEY"] == 'very"secret/value'
        (asked.workspace / "notes.txt").write_text(f"key={asked.env['MODEL_KEY']} {token}\n")
        said = asked.artefacts / "said.json"
        said.write_text(json.dumps({"env": dict(asked.env), "token": token}))
        (asked.workspace / "c.json").write_text(json.dumps({"t": asked.env["MODEL_KEY"]}))
        return {"answer": f"it is {asked.env['MODEL_KEY']}", "artefacts": {"transcript": said}}

    arms = (arm("base", "any", options={"pass_env": ["MODEL_KEY"]}),)
    there = world(
        tmp_path, agent=AnyAgent(act=act), arms=arms, collect={"t": CollectPlan(file="c.json", path="t", type="text")}
    )
    seen = carry_out(order(there))
    assert {"change", "answer", "transcript"} <= set(seen.blobs)
    for digest in seen.blobs.values():
        data = there.blob(digest)
        assert b"very" not in data
        assert token.encode() not in data
    assert b"[redacted: MODEL_KEY]" in there.blob(seen.blobs["transcript"])
    assert seen.measures["t"] == "[redacted: MODEL_KEY]"


# --- an adversarial agent (X7) ---


def test_tampered_test_infrastructure_is_put_back(tmp_path: Path) -> None:
    def act(asked: AgentOrder) -> None:
        root = asked.workspace
        (root / "tests/test_tool.py").write_text("assert True\n")
        (root / "tests/extra.py").write_text("cheat = True\n")
        (root / "conftest.py").write_text("def pytest_runtest_makereport(): return 'passed'\n")
        (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-p cheat'\n")

    class Looking(TextGrader):
        kind: ClassVar[str] = "text"

        def grade(self, asked: GradeOrder) -> Any:
            seen = sorted(
                str(each.relative_to(asked.root)) for each in asked.root.rglob("*") if ".git" not in each.parts
            )
            assert seen == ["number.txt", "tests", "tests/test_tool.py", "tool.py"]
            assert (asked.root / "tests/test_tool.py").read_bytes() == HELD_OUT[0].data
            assert asked.changed == ("conftest.py", "pyproject.toml", "tests/extra.py", "tests/test_tool.py")
            return super().grade(asked)

    there = world(tmp_path, agent=AnyAgent(act=act))
    there.kit = replace(there.kit, graders={"text": Looking()})
    assert carry_out(order(there)).checks["fixed"]["ok"] is False


def test_deleting_or_redirecting_the_tests_helps_nobody(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()

    def act(asked: AgentOrder) -> None:
        (asked.workspace / "tests/test_tool.py").unlink()
        (asked.workspace / "tests").rmdir()
        (asked.workspace / "tests").symlink_to(outside)
        mend(asked)

    seen = observe(tmp_path, act)
    assert seen.checks["fixed"]["ok"] is True
    assert list(outside.iterdir()) == []
    assert any("link out of the workspace" in note for note in seen.notes)


def test_the_agents_git_is_never_run(tmp_path: Path) -> None:
    alarm = tmp_path / "alarm"

    def act(asked: AgentOrder) -> None:
        root = asked.workspace
        for name in ("post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction"):
            (root / ".git/hooks").mkdir(exist_ok=True)
            (root / ".git/hooks" / name).write_text(f"#!/bin/sh\ntouch {alarm}\n")
            (root / ".git/hooks" / name).chmod(0o755)
        settings = f"\n[core]\n\tfsmonitor = {root}/.git/hooks/fsmonitor-watchman\n\thooksPath = {root}/.git/hooks\n"
        settings += f'[filter "evil"]\n\tclean = touch {alarm}\n\tsmudge = touch {alarm}\n[diff "evil"]\n\ttextconv = touch {alarm}\n'
        with (root / ".git/config").open("a") as config:
            config.write(settings)
        (root / ".gitattributes").write_text("* filter=evil diff=evil\n")
        (root / ".gitignore").write_text("tool.py\n*\n")
        subprocess.run(["git", "-C", str(root), "update-index", "--assume-unchanged", "tool.py"], check=False)
        alarm.unlink(missing_ok=True)
        mend(asked)

    seen = observe(tmp_path, act)
    assert not alarm.exists()
    assert seen.checks["fixed"]["ok"] is True
    assert seen.measures["files_changed"] == 3


def test_what_the_agent_leaves_running_is_dead_before_grading(tmp_path: Path, sandbox: Sandbox) -> None:
    marker = f"7{time.time_ns() % 10**8}"

    def act(asked: AgentOrder) -> Any:
        script = f"(setsid nohup sh -c 'sleep {marker}; echo 41 > tool.py' >/dev/null 2>&1 &) ; sed -i s/41/42/ tool.py"
        return {"measures": {"left_running": run_job(asked, ("sh", "-c", script), name="a").end.left_running}}

    seen = observe(tmp_path, act, sandbox=sandbox)
    assert seen.checks["fixed"]["ok"] is True
    assert seen.measures["left_running"] == 2
    assert not [
        each for each in psutil.process_iter(["cmdline"]) if any(marker in a for a in each.info["cmdline"] or ())
    ]


def test_a_nested_repository_hides_nothing(tmp_path: Path) -> None:
    def act(asked: AgentOrder) -> None:
        mend(asked)
        (asked.workspace / "lib").mkdir()
        (asked.workspace / "lib/part.py").write_text("x = 1\n")
        subprocess.run(["git", "init", "-q", str(asked.workspace / "lib")], check=True)

    seen = observe(tmp_path, act)
    assert seen.measures["files_changed"] == 2
    assert any("repository inside the repository" in note for note in seen.notes)


def test_a_huge_file_is_left_out_and_said(tmp_path: Path) -> None:
    def act(asked: AgentOrder) -> None:
        mend(asked)
        with (asked.workspace / "huge.bin").open("wb") as sparse:
            sparse.truncate(1 << 42)

    seen = observe(tmp_path, act)
    assert seen.checks["fixed"]["ok"] is True
    assert seen.notes == ("huge.bin: 4398046511104 bytes are too many; left out",)
    assert Blobs(tmp_path / "blobs").get(seen.blobs["notes"]).decode() == seen.notes[0]


# --- providers ---


class Careless:
    """A provider that does what a test says."""

    kind: ClassVar[str] = "careless"

    def __init__(self, act: Any) -> None:
        self.act = act

    def declares(self, options: Any) -> tuple[str, ...]:
        return ("docs/**", "GUIDE.md")

    def prepare(self, asked: ProviderOrder) -> Prepared:
        return self.act(asked) or Prepared(versions={"guide": "1"}, env={"GUIDE": "yes"})


def with_provider(tmp_path: Path, act: Any, agent: Any = None) -> Any:
    arms = (arm("base", "any", provider=Chosen(kind="careless")),)
    there = world(tmp_path, agent=AnyAgent(act=agent or mend), arms=arms, providers=(Careless(act),))
    return carry_out(order(there))


def test_a_provider_may_touch_what_it_declares_and_that_is_no_change_of_the_agent(tmp_path: Path) -> None:
    def act(asked: ProviderOrder) -> None:
        (asked.workspace / "docs/deep").mkdir(parents=True)
        (asked.workspace / "docs/deep/a.md").write_text("a")
        (asked.workspace / "GUIDE.md").write_text("read me")

    def agent(asked: AgentOrder) -> None:
        assert asked.env["GUIDE"] == "yes"
        (asked.workspace / "GUIDE.md").write_text("changed by the agent")
        mend(asked)

    seen = with_provider(tmp_path, act, agent)
    assert seen.kind == "graded"
    assert seen.measures["files_changed"] == 1
    assert seen.versions["guide"] == "1"


def test_a_provider_that_touches_more_is_an_invalid_environment(tmp_path: Path) -> None:
    seen = with_provider(tmp_path, lambda asked: (asked.workspace / "tool.py").write_text("x") and None)
    assert (seen.kind, seen.got) == ("invalid", {"files": ["tool.py"]})
    assert seen.measures["environment_ok"] is False
    assert seen.measures["cost"] == "0"


def test_a_treatment_that_brings_the_answer_along_is_an_invalid_environment(tmp_path: Path) -> None:
    answer = "    return 42  # the answer to everything, as the issue says\n"
    for n, write in enumerate((
        lambda asked: (asked.home / "site.py").write_text(f"def f():\n{answer}"),
        lambda asked: (asked.home / "index.json").write_text(json.dumps({"chunk": f"x\n{answer}"})),
        lambda asked: (asked.workspace / "GUIDE.md").write_text(answer),
    )):  # fmt: skip
        seen = with_provider(tmp_path / str(n), lambda asked, write=write: write(asked) and None)
        assert seen.kind == "invalid", n
        assert "lines of the answer" in seen.detail
    fine = with_provider(
        tmp_path / "fine", lambda asked: (asked.home / "own.py").write_text(GIVEN[0].data.decode()) and None
    )
    assert fine.kind == "graded"


def test_programs_are_hidden_from_the_host_but_not_from_the_treatment(tmp_path: Path, sandbox: Sandbox) -> None:
    def act(asked: AgentOrder) -> Any:
        ran = run_job(asked, ("sh", "-c", "command -v env || echo hidden; command -v ls"), name="look")
        return {"answer": ran.stdout.read_text()}

    arms = (arm("base", "any", hide_from_path=("env", "no-such")),)
    there = world(tmp_path, agent=AnyAgent(act=act), arms=arms, sandbox=sandbox)
    answer = there.blob(carry_out(order(there)).blobs["answer"]).decode().splitlines()
    assert answer[0] == "hidden"
    assert answer[1].endswith("/ls")

    def own(asked: ProviderOrder) -> Prepared:
        (asked.home / "bin").mkdir()
        (asked.home / "bin/env").write_text("#!/bin/sh\n")
        (asked.home / "bin/env").chmod(0o755)
        return Prepared(path=(str(asked.home / "bin"),))

    arms = (arm("base", "any", hide_from_path=("env",), provider=Chosen(kind="careless")),)
    there = world(tmp_path / "own", agent=AnyAgent(act=act), arms=arms, providers=(Careless(own),), sandbox=sandbox)
    answer = there.blob(carry_out(order(there)).blobs["answer"]).decode().splitlines()
    assert answer[0].endswith("/home/bin/env") or answer[0] == "/home/agent/bin/env"


# --- a failing world ---


def test_a_fault_at_any_step_is_told_by_its_step(tmp_path: Path) -> None:
    fault = WorldFault(Fault(code="boom", what="it broke", got="badly"))

    def fail(*_: Any) -> Any:
        raise fault

    seen = observe(tmp_path / "agent", fail)
    assert (seen.kind, seen.step, seen.code, seen.detail) == ("failed", "agent", "boom", "it broke: badly")
    assert seen.measures["cost"] is None
    assert seen.reasons["cost"]

    seen = with_provider(tmp_path / "provider", fail)
    assert (seen.kind, seen.step, seen.measures["cost"]) == ("failed", "provider", "0")

    class Failing(TextGrader):
        kind: ClassVar[str] = "text"
        grade = fail

    there = world(tmp_path / "grader", agent=AnyAgent())
    there.kit = replace(there.kit, graders={"text": Failing()})
    seen = carry_out(order(there))
    assert (seen.kind, seen.step, seen.ended, seen.measures["cost"]) == ("failed", "grading", "finished", "0.25")

    seen = observe(tmp_path / "said", lambda _: finished(failed=("api", "401"), result_event=False, ended="error"))
    assert (seen.kind, seen.step, seen.detail, seen.ended) == ("failed", "api", "401", "error")


def test_model_and_version_are_asserted_where_the_agent_says_them(tmp_path: Path) -> None:
    arms = (arm("base", "any", model="m-1", version="2.0"),)

    def said(**session: Any) -> Any:
        return observe(tmp_path / str(len(list(tmp_path.iterdir()))), lambda _: {"session": session}, arms=arms)

    tmp_path.mkdir(exist_ok=True)
    assert said(model="m-1", version="2.0").kind == "graded"
    assert said(model="m-2").got == {"model": "m-2"}
    assert said(version="2.1").expected == {"version": "2.0"}
    assert said().kind == "graded"


def test_a_tree_of_one_file_without_tests_is_graded_with_its_held_out_files(tmp_path: Path) -> None:
    seen = observe(tmp_path, mend, given=(Leaf(path="tool.py", data=b"41\n"),), tests=None)
    assert seen.checks["fixed"]["ok"] is True


def test_a_killed_worker_leaves_nothing_that_the_next_start_does_not_sweep(tmp_path: Path) -> None:
    there = world(tmp_path, agent=AnyAgent(act=mend))
    script = (
        "import pickle, sys, time; from executor.trial import carry_out\n"
        "order = pickle.loads(open(sys.argv[1], 'rb').read())\n"
        "carry_out(order)"
    )
    sleeping = replace(order(there), agent=Sleeping())
    (tmp_path / "order").write_bytes(pickle.dumps(sleeping))
    root = Path(__file__).parents[2]
    held = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "order")], env={**os.environ, "PYTHONPATH": str(root)}, cwd=root
    )
    until = time.monotonic() + 20
    while not (tmp_path / "up").exists():
        assert time.monotonic() < until
        assert held.poll() is None
        time.sleep(0.01)
    held.send_signal(signal.SIGKILL)
    held.wait()
    assert left_behind(tmp_path) != []
    assert there.run().outcomes == 2
    assert left_behind(tmp_path) == []


def test_turns_and_fixture_reach_their_readers_and_no_one_else(tmp_path: Path) -> None:
    told: list[AgentOrder] = []
    here = world(tmp_path, agent=AnyAgent(act=told.append), providers=(FixtureProvider(),))
    inputs = Blobs(tmp_path / "inputs")
    steps = tuple(StepPlan(say=inputs.put(text.encode())) for text in ("And now?", "Thanks, go on."))
    task = replace(here.plan.tasks[0], steps=steps, fixture=inputs.put(b"What holds here.\n"))
    arms = (here.plan.arms[0], replace(here.plan.arms[1], provider=Chosen(kind="fixture", options={"to": "CLAUDE.md"})))
    here.plan = replace(here.plan, tasks=(task,), arms=arms)
    seen = []
    for number in (0, 1):
        observed = carry_out(order(here, number))
        assert observed.kind == "graded", observed
        seen.append((told[-1].arm, told[-1].prompt, told[-1].turns))
    prompt, turns = "Please mend the tool, number 1.", (Turn(prompt="And now?"), Turn(prompt="Thanks, go on."))
    assert seen == [(arm.name, prompt, turns) for arm in here.plan.arms]


def test_a_fixture_is_seen_by_its_arm_and_is_no_part_of_the_change(tmp_path: Path) -> None:
    seen: dict[str, bool] = {}

    def look(order: AgentOrder) -> None:
        seen[order.arm] = (order.workspace / "CLAUDE.md").is_file()
        mend(order)

    here = world(tmp_path, agent=AnyAgent(act=look), providers=(FixtureProvider(),))
    task = replace(here.plan.tasks[0], fixture=Blobs(tmp_path / "inputs").put(b"What holds here.\n"))
    arms = (here.plan.arms[0], replace(here.plan.arms[1], provider=Chosen(kind="fixture", options={"to": "CLAUDE.md"})))
    here.plan = replace(here.plan, tasks=(task,), arms=arms)
    changes = [here.blob(carry_out(order(here, number)).blobs["change"]) for number in (0, 1)]
    assert seen == {"base": False, "more": True}
    assert changes[0] == changes[1]


@pytest.mark.parametrize(
    ("can", "step"),
    [
        (Steps(), {"say": DIGEST}),
        (Steps(say=True), {"new_run": DIGEST}),
        (Steps(new_run=True), {"say": DIGEST}),
        (Steps(say=True, cancel=frozenset({"shell"})), {"cancel": CancelPlan(after="read")}),
        (Steps(say=True), {"cancel": CancelPlan(after="tool_call")}),
        (Steps(say=True, cancel=FAMILIES, refuse=frozenset({"read"})), {"refuse": "shell"}),
    ],
)
def test_a_step_that_an_agent_cannot_be_taken_through_is_refused_before_anything_is_claimed(
    tmp_path: Path, can: Steps, step: Any
) -> None:
    class Unable(AnyAgent):
        steps: ClassVar[Steps] = can

    here = world(tmp_path, agent=Unable())
    step = StepPlan(**step)
    here.plan = replace(here.plan, tasks=(replace(here.plan.tasks[0], steps=(step,)),))
    with pytest.raises(WorldFault) as caught:
        here.run()
    assert caught.value.reasons[0].code == "turns"
    with here.ledger() as ledger:
        assert ledger.lines == ()
