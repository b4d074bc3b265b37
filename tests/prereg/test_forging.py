"""A ledger written anew with every digest right: what still gives it away, and what an audit says it cannot see."""

import hashlib
import json
from pathlib import Path
from typing import Any

from ledger.canonical import canonical
from tests.prereg.conftest import Call
from tests.prereg.laying import run_by_hand
from tests.prereg.test_compile import edit
from tests.prereg.test_judging import bytes_of


def read(run: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in (run / "ledger.jsonl").read_bytes().splitlines()]


def forge(run: Path, lines: list[dict[str, Any]]) -> None:
    """Let every trial of the treatment pass, and chain all lines anew from the registration on."""
    prev, out = lines[0]["prev"], []
    for seq, line in enumerate(lines, start=lines[0]["seq"]):
        if line["kind"] == "outcome" and line["arm"] == "guide":
            line |= {"verdict": "pass", "checks": {"fixed": {"ok": True}}}
        out.append(canonical({**line, "prev": prev, "seq": seq}))
        prev = f"sha256:{hashlib.sha256(out[-1]).hexdigest()}"
    (run / "ledger.jsonl").write_bytes(b"".join(each + b"\n" for each in out))
    (run / "head.json").write_bytes(canonical({"seq": seq, "head": prev}))


def test_a_verdict_that_was_reached_over_other_lines_gives_a_new_ledger_away(analyzed: Path, call: Call) -> None:
    forge(analyzed, read(analyzed))
    before = bytes_of(analyzed)
    for verb in ("analyze", "report", "audit"):
        said = call(verb, analyzed, "--json")
        assert said.code == 4, verb
        assert "foreign-analysis" in said.codes
    for each in ("verdict.json", "report.md", "report.html"):
        (analyzed / each).unlink()
    assert call("analyze", analyzed, "--json").codes == ["foreign-analysis"]
    assert {name: data for name, data in bytes_of(analyzed).items() if name in before} == {
        name: data for name, data in before.items() if name in bytes_of(analyzed)
    }


def test_a_ledger_that_was_written_anew_as_a_whole_is_seen_by_the_readers_own_head_alone(
    analyzed: Path, call: Call, tmp_path: Path
) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(json.dumps({"ledger_head": json.loads((analyzed / "verdict.json").read_bytes())["ledger_head"]}))
    assert call("audit", analyzed, "--published", claims).code == 0
    forge(analyzed, [each for each in read(analyzed) if each["kind"] != "analysis"])
    for each in ("verdict.json", "report.md", "report.html"):
        (analyzed / each).unlink()
    assert call("analyze", analyzed).code == 0
    said = call("audit", analyzed, "--json")
    assert (said.code, said.json["status"], said.json["tier"]) == (0, "verified", "UNANCHORED")
    assert any("written anew as a whole" in each for each in said.json["does_not_prove"])
    said = call("audit", analyzed, "--published", claims, "--json")
    assert said.code == 4
    assert said.json["reasons"][0]["where"] == "ledger_head"


def test_an_amendment_that_hides_what_it_changed_is_refused_by_an_audit(experiment: Path, call: Call) -> None:
    edit(experiment / "spec.yaml", "The agent is simulated", "The agent is made up")
    assert call("amend", experiment, "--reason", "wording", "--json").code == 0
    entry = next((experiment / "registry").glob("0002-*"))
    record = {**json.loads((entry / "registration.json").read_bytes()), "changes": []}
    (entry / "registration.json").chmod(0o644)
    (entry / "registration.json").write_bytes(canonical(record))
    entry.rename(entry.with_name(f"0002-{hashlib.sha256(canonical(record)).hexdigest()[:12]}"))
    run = run_by_hand(experiment, "two")
    said = call("audit", run, "--json")
    assert (said.code, said.codes[0]) == (4, "registry-changes")
    assert '"The agent is simulated" became "The agent is made up"' in said.out.replace("\\", "")
