"""A look at outcomes before the close: remembered before anything is shown, refused where nobody could remember it, told for good."""

import json
from pathlib import Path

import pytest

from ledger.errors import Fault, WorldFault
from ledger.store import Ledger
from prereg import clock
from prereg.executing import registration_at
from tests.prereg.conftest import Call
from tests.prereg.laying import run_by_hand

LOOK = ("--outcomes", "--reason", "the bill looked high")


@pytest.fixture
def open_run(experiment: Path) -> Path:
    return run_by_hand(experiment, "open", close=False, upto=9)


def last_line(run: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((run / "ledger.jsonl").read_bytes().splitlines()[-1])
    return found


def test_a_look_shows_each_arm_and_stands_in_the_ledger(open_run: Path, call: Call) -> None:
    said = call("status", open_run, *LOOK, "--json")
    assert said.code == 0, said.err
    document = said.json
    assert (document["outcomes"], document["planned"], document["looks"]) == (9, 16, 1)
    arms = document["arms"]
    assert sum(each["outcomes"] for each in arms.values()) == 9
    for each in arms.values():
        assert each["verdicts"]["pass"] == each["measures"]["solved"]["yes"]
        assert each["measures"]["cost"]["known"] == each["outcomes"]
        assert 0.3 < each["measures"]["cost"]["median"] < 0.7
    line = last_line(open_run)
    assert (line["kind"], line["outcomes"], line["reason"]) == ("peek", 9, "the bill looked high")
    assert line["seq"] == document["recorded"]["line"]
    text = call("status", open_run, *LOOK)
    assert "the 2nd before the close" in text.err
    assert "they decide nothing" in text.out
    assert "SIMULATED" in text.out
    assert "p-value" not in text.out
    assert "2 looks before the close" in call("status", open_run).out


@pytest.mark.parametrize("arguments", [("--outcomes",), ("--outcomes", "--reason", " "), ("--reason", "why")])
def test_a_look_without_its_reason_is_usage(open_run: Path, call: Call, arguments: tuple[str, ...]) -> None:
    before = (open_run / "ledger.jsonl").read_bytes()
    assert call("status", open_run, *arguments).code == 2
    assert (open_run / "ledger.jsonl").read_bytes() == before


def test_a_closed_run_is_for_the_registered_rule(run: Path, call: Call) -> None:
    before = (run / "ledger.jsonl").read_bytes()
    said = call("status", run, *LOOK, "--json")
    assert (said.code, said.codes) == (5, ["closed"])
    assert (run / "ledger.jsonl").read_bytes() == before


def test_while_an_executor_runs_nobody_looks(open_run: Path, call: Call) -> None:
    entry, _ = registration_at(open_run.parent.parent)
    with Ledger.open(open_run, entry.digest, clock.now):
        said = call("status", open_run, *LOOK, "--json")
    assert (said.code, said.codes) == (3, ["locked"])
    assert "stop it" in said.json["reasons"][0]["hint"]
    assert last_line(open_run)["kind"] == "outcome"


def test_what_cannot_be_remembered_is_not_shown(open_run: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_ledger: Ledger, _record: object) -> None:
        raise WorldFault(Fault(code="disk-full", what="no space left"))

    monkeypatch.setattr(Ledger, "append", full)
    said = call("status", open_run, *LOOK)
    assert said.code == 3
    assert "baseline" not in said.out + said.err


def test_looks_stand_beside_the_verdict_for_good(open_run: Path, call: Call) -> None:
    root = open_run.parent.parent
    assert call("status", open_run, *LOOK).code == 0
    assert call("execute", root, "--run", "open").code == 0
    assert call("status", open_run, *LOOK).code == 5
    sentence = "outcomes were looked at 1 time before the close, first with 9 of 16 there"
    said = call("analyze", open_run, "--json")
    assert said.code == 0, said.err
    assert sentence in said.json["warnings"]
    for name in ("report.md", "report.html"):
        page = (open_run / name).read_text()
        assert sentence in page
        assert "the bill looked high" in page
        assert page.index(sentence) < page.index("The rule was registered before the run")
    audited = call("audit", open_run, "--json")
    assert audited.code == 0
    assert sentence in audited.json["warnings"]
    assert sentence in next(each["detail"] for each in audited.json["checks"] if each["name"] == "closing")
    assert sentence in call("audit", open_run).out
    spec = root / "spec.yaml"
    spec.write_text(spec.read_text().replace("take: 8", "take: 7"))
    amended = call("amend", root, "--reason", "one task fewer", "--json")
    assert amended.json["access"] == "outcomes-seen"
