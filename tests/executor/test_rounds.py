"""Repairs: graded, sent back and graded again within one attempt, which claims, costs and counts as one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from compiler.steps import RepairsPlan
from executor.agents.conversation import Told, converse
from executor.attempt import Observed
from executor.ports import AgentEnd, AgentEvent, AgentOrder
from executor.trial import carry_out
from executor.turns import Steps
from ledger.blobs import Blobs
from ledger.errors import Fault, WorldFault
from ledger.records import Claimed, Infrastructure, Outcome
from tests.executor.test_trial import order
from tests.executor.worlds import AnyAgent, World, finished, left_behind, mend, wait_until, world

SAY = b"It does not pass yet. Look again.\n"
Act = Callable[[AgentOrder], Any]


class Conversing(AnyAgent):
    """An agent that is told things one by one; ``acts`` are what it does each time."""

    acts: tuple[Act, ...] = ()

    def run(self, order: AgentOrder) -> AgentEnd:
        acts = iter(self.acts)

        def tell(asked: AgentOrder, before: Told | None, name: str) -> Told:
            given = next(acts)(asked)
            end = given if isinstance(given, AgentEnd) else finished(**(given or {}))
            said = AgentEvent(kind="message", data={"text": asked.prompt})
            return Told(end=replace(end, events=(*end.events, said)), seconds=Decimal("0.5"))

        return converse(order, tell)


def nothing(asked: AgentOrder) -> None:
    """Answer without having done anything."""


def spoil(asked: AgentOrder) -> None:
    (asked.workspace / "notes.txt").write_text("I looked.\n")


def sent_back(root: Path, *acts: Act, at_most: int = 2, can: Steps | None = None, **changes: Any) -> World:
    agent = Conversing()
    agent.acts = acts
    if can is not None:
        agent.steps = can  # type: ignore[misc]  # as if its kind said so
    there = world(root, agent=agent, **changes)
    digest = Blobs(root / "inputs").put(SAY)
    there.plan = replace(there.plan, repairs=RepairsPlan(at_most=at_most, say=digest))
    return there


def observe(there: World) -> Observed:
    seen = carry_out(order(there))
    assert left_behind(there.root) == []
    return seen


def rounds(there: World, seen: Observed) -> list[str]:
    return [each["verdict"] for each in json.loads(there.blob(seen.blobs["rounds"]))]


def test_an_agent_is_told_that_it_does_not_pass_until_it_does(tmp_path: Path) -> None:
    told: list[str] = []

    def look(asked: AgentOrder) -> None:
        told.append(asked.prompt)

    def mends(asked: AgentOrder) -> None:
        look(asked)
        mend(asked)

    there = sent_back(tmp_path, look, look, mends, at_most=5)
    seen = observe(there)
    assert (seen.kind, seen.ended, seen.checks["fixed"]["ok"]) == ("graded", "finished", True)
    assert (seen.measures["repairs"], seen.measures["first_verdict"]) == (2, "fail")
    assert seen.measures["cost"] == "0.75"
    assert told == ["Please mend the tool, number 1.", SAY.decode(), SAY.decode()]
    assert rounds(there, seen) == ["fail", "fail", "pass"]
    assert there.blob(seen.blobs["change"]) != b""
    assert there.blob(seen.blobs["rounds.1.change"]) == b""


def test_one_that_passes_at_once_is_not_sent_back(tmp_path: Path) -> None:
    there = sent_back(tmp_path, mend)
    seen = observe(there)
    assert (seen.measures["repairs"], seen.measures["first_verdict"], rounds(there, seen)) == (0, "pass", ["pass"])


def test_repairs_end_at_their_number_and_the_last_verdict_counts(tmp_path: Path) -> None:
    there = sent_back(tmp_path, nothing, spoil, at_most=1)
    seen = observe(there)
    assert (seen.checks["fixed"]["ok"], seen.measures["repairs"], rounds(there, seen)) == (False, 1, ["fail", "fail"])
    assert seen.measures["files_changed"] == 1


def test_what_a_repair_spoils_is_what_counts(tmp_path: Path) -> None:
    def undo(asked: AgentOrder) -> None:
        (asked.workspace / "tool.py").unlink()

    there = sent_back(tmp_path, nothing, undo, at_most=1)
    assert observe(there).measures["touched_gold"] is True


@pytest.mark.parametrize("ended", ["timeout", "limit", "error", "no-result"])
def test_one_that_did_not_come_to_its_end_is_not_sent_back(tmp_path: Path, ended: Any) -> None:
    there = sent_back(tmp_path, lambda asked: finished(ended=ended))
    seen = observe(there)
    assert (seen.kind, seen.ended, seen.measures["repairs"]) == ("graded", ended, 0)


def test_a_repair_that_runs_out_of_time_is_graded_as_it_stands(tmp_path: Path) -> None:
    def late(asked: AgentOrder) -> AgentEnd:
        mend(asked)
        return finished(ended="timeout", result_event=False)

    there = sent_back(tmp_path, nothing, late)
    seen = observe(there)
    assert (seen.ended, seen.checks["fixed"]["ok"], seen.measures["repairs"]) == ("timeout", True, 1)
    assert rounds(there, seen) == ["fail", "pass"]


def test_limits_and_time_are_of_the_whole_attempt(tmp_path: Path) -> None:
    left: list[tuple[Decimal, Decimal | None]] = []

    def look(asked: AgentOrder) -> None:
        left.append((asked.agent.limits.time_s, asked.agent.limits.cost_usd))

    observe(sent_back(tmp_path, look, look, look))
    assert left == [
        (Decimal(30), Decimal(2)),
        (Decimal("29.5"), Decimal("1.75")),
        (Decimal("29.0"), Decimal("1.50")),
    ]


def test_what_is_known_to_be_spent_is_taken_off_though_another_turn_does_not_tell(tmp_path: Path) -> None:
    left: list[Decimal | None] = []

    def look(asked: AgentOrder) -> None:
        left.append(asked.agent.limits.cost_usd)

    def silent(asked: AgentOrder) -> AgentEnd:
        look(asked)
        end = finished()
        return replace(end, measures={**end.measures, "cost": None}, reasons={"cost": "it does not say"})

    seen = observe(sent_back(tmp_path, look, silent, look))
    assert left == [Decimal(2), Decimal("1.75"), Decimal("1.75")]
    assert (seen.measures["cost"], seen.reasons["cost"]) == (None, "it does not say")


def test_an_agent_that_takes_no_conversation_up_is_run_anew(tmp_path: Path) -> None:
    homes: list[list[str]] = []

    def look(asked: AgentOrder) -> None:
        homes.append(sorted(each.name for each in asked.home.iterdir()))
        (asked.home / "memory").write_text("what was said")

    there = sent_back(tmp_path, look, look, can=Steps(new_run=True, repairs=True), at_most=1)
    seen = observe(there)
    assert homes == [[], []]
    assert seen.measures["repairs"] == 1


def test_a_service_that_fails_during_a_repair_is_no_outcome(tmp_path: Path) -> None:
    there = sent_back(tmp_path, nothing, lambda asked: finished(ended="error", failed=("api", "it refused")))
    seen = observe(there)
    assert (seen.kind, seen.step, seen.measures["cost"]) == ("failed", "api", "0.5")


def test_a_world_that_fails_while_it_grades_is_told(tmp_path: Path) -> None:
    there = sent_back(tmp_path, nothing)

    class Broken:
        kind = "text"

        def grade(self, asked: Any) -> Any:
            raise WorldFault(Fault(code="disk", what="the disk is full"))

    seen = carry_out(replace(order(there), graders={"text": Broken()}))
    assert (seen.kind, seen.step, seen.code, seen.measures["cost"]) == ("failed", "grading", "disk", None)
    assert left_behind(tmp_path) == []


def test_a_whole_run_claims_each_trial_once(tmp_path: Path) -> None:
    there = sent_back(tmp_path, nothing, mend)
    there.run()
    with there.ledger() as ledger:
        records = [line.record for line in ledger.lines]
    outcomes = [each for each in records if isinstance(each, Outcome)]
    assert len([each for each in records if isinstance(each, Claimed)]) == len(outcomes)
    assert {(each.verdict, each.measures["repairs"], each.measures["first_verdict"]) for each in outcomes} == {
        ("pass", 1, "fail")
    }


def test_without_repairs_nothing_speaks_of_them(tmp_path: Path) -> None:
    there = sent_back(tmp_path, nothing)
    there.plan = replace(there.plan, repairs=None)
    seen = carry_out(order(there))
    assert {"repairs", "first_verdict"}.isdisjoint(seen.measures)
    assert "rounds" not in seen.blobs


HELD = """
import sys, time
from pathlib import Path
from tests.executor.test_rounds import nothing, sent_back
root = Path(sys.argv[1])

def held(asked):
    (root / "up").touch()
    time.sleep(60)

there = sent_back(root, nothing, held)
there.plan = __import__("dataclasses").replace(there.plan, trials=there.plan.trials[:1])
there.run()
"""


def test_a_run_that_is_killed_in_the_middle_of_a_repair_loses_that_attempt_and_no_count(tmp_path: Path) -> None:
    settings = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": os.environ["PATH"]}
    with subprocess.Popen([sys.executable, "-c", HELD, str(tmp_path)], env=settings, cwd=tmp_path) as held:
        wait_until((tmp_path / "up").exists)
        held.send_signal(signal.SIGKILL)
    there = sent_back(tmp_path, nothing, mend)
    there.plan = replace(there.plan, trials=there.plan.trials[:1])
    there.run()
    with there.ledger() as ledger:
        records = [line.record for line in ledger.lines]
    (lost,) = [each for each in records if isinstance(each, Infrastructure)]
    assert (lost.rule, lost.measures["cost"]) == ("lost", None)
    (outcome,) = [each for each in records if isinstance(each, Outcome)]
    assert (outcome.attempt, outcome.verdict, outcome.measures["repairs"]) == (2, "pass", 1)
    assert left_behind(tmp_path) == []
