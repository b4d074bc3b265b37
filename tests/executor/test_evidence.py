"""First requests are held against those of the arms that a trial may be compared with, and of no others."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from compiler.plan import RunPlan, TrialPlan
from executor.attempt import Observed, TrialOrder
from executor.evidence import FIRST, HELD, MARKS, hold_against_partners
from ledger.blobs import Blobs
from ledger.canonical import canonical
from tests.executor.worlds import arm

NOTHING = {"words": [], "lines": [], "written": False, "anything": False}


def request(text: str) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": text}]}).encode()


def held(root: Path, **said: str) -> Observed:
    """Hold the last arm's first request against those of the others; arms at a level are named ARM_LEVEL."""
    blobs = Blobs(root)
    arms = [replace(arm(name, "command"), level=name.rpartition("_")[2] if "_" in name else None) for name in said]
    kept = {
        name: {FIRST: blobs.put(request(text)), MARKS: blobs.put(canonical(cast("Any", NOTHING)))}
        for name, text in said.items()
    }
    *partners, last = said
    order = SimpleNamespace(trial=TrialPlan(task="t", arm=last, seed=1))
    plan = SimpleNamespace(arms=tuple(arms))
    observed = Observed(kind="graded", blobs=kept[last])
    known = {f"t/{name}/1": kept[name] for name in partners}
    return hold_against_partners(cast("RunPlan", plan), cast("TrialOrder", order), observed, known, blobs)


def test_what_differs_and_is_not_the_treatment_makes_the_environment_invalid(tmp_path: Path) -> None:
    found = held(tmp_path, control="Mend it.", treatment="Mend it well.")
    assert found.kind == "invalid"
    assert "t/control/1" in found.detail
    assert held(tmp_path, control="Mend it.", treatment="Mend it.").kind == "graded"


def test_arms_at_another_level_are_other_agents(tmp_path: Path) -> None:
    found = held(tmp_path, control_large="Mend it.", treatment_large="Mend it.", control_small="Do mend it.")
    assert found.kind == "graded"
    assert HELD not in found.blobs
    wrong = held(tmp_path, control_large="Mend it.", control_small="Do mend it.", treatment_small="Do mend it well.")
    assert wrong.kind == "invalid"
    assert "t/control_small/1" in wrong.detail
