"""Analyze, report and status: what they write, what they refuse, and that nothing is lost."""

import json
import shutil
from pathlib import Path

import pytest

from compiler.identity import spec_document
from ledger.canonical import canonical
from spec_lang.diagnostics import Diagnostic, SpecErrors
from tests.prereg.conftest import Call
from tests.prereg.laying import lay_experiment, run_by_hand
from tests.prereg.test_compile import edit


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_analyze_gives_the_contract_and_writes_verdict_reports_and_one_line(run: Path, call: Call) -> None:
    said = call("analyze", run, "--json")
    assert said.code == 0, said.err
    document = said.json
    keys = {"status", "claim", "wording", "conditions", "endpoints", "arms", "warnings", "spec_digest", "plan_digest"}
    assert keys | {"ledger_head"} <= set(document)
    assert document["status"] == "supported"
    assert document["conditions"] == [{"text": "cost.p < 0.05", "values": {"cost.p": 0.00390625}, "holds": True}]
    assert {"verdict.json", "report.md", "report.html", "run.json", "ledger.jsonl", "head.json"} <= set(bytes_of(run))
    last = json.loads((run / "ledger.jsonl").read_bytes().splitlines()[-1])
    assert (last["kind"], last["status"], last["ledger_head"]) == ("analysis", "supported", document["ledger_head"])


def test_the_same_analysis_again_changes_nothing(analyzed: Path, call: Call) -> None:
    before = bytes_of(analyzed)
    assert call("analyze", analyzed).code == 0
    assert call("report", analyzed).code == 0
    assert bytes_of(analyzed) == before


def test_lost_reports_are_made_again_and_an_edited_one_is_replaced(analyzed: Path, call: Call) -> None:
    before = bytes_of(analyzed)
    (analyzed / "report.md").unlink()
    (analyzed / "report.html").write_text("<b>we won</b>")
    assert call("report", analyzed).code == 0
    assert bytes_of(analyzed) == before


def test_a_lost_verdict_is_computed_again_without_another_line(analyzed: Path, call: Call) -> None:
    before = bytes_of(analyzed)
    (analyzed / "verdict.json").unlink()
    assert call("report", analyzed).code == 5
    assert call("analyze", analyzed).code == 0
    assert bytes_of(analyzed) == before


def test_an_edited_verdict_is_refused_and_kept(analyzed: Path, call: Call) -> None:
    edit(analyzed / "verdict.json", '"supported"', '"not_supported"')
    before = bytes_of(analyzed)
    for verb in ("analyze", "report"):
        said = call(verb, analyzed, "--json")
        assert said.code == 4
        assert said.codes == ["verdict-altered"]
    assert bytes_of(analyzed) == before


def test_an_open_run_is_not_looked_at(experiment: Path, call: Call) -> None:
    open_run = run_by_hand(experiment, "open", close=False, upto=9)
    before = bytes_of(open_run)
    said = call("analyze", open_run, "--json")
    assert said.code == 5
    assert said.json["status"] == "fault"
    assert "cost" not in said.out
    assert bytes_of(open_run) == before


def test_status_counts_and_says_nothing_of_results(experiment: Path, call: Call) -> None:
    open_run = run_by_hand(experiment, "open", close=False, upto=9)
    said = call("status", open_run, "--json")
    assert said.code == 0
    document = said.json
    assert (document["planned"], document["outcomes"], document["remaining"], document["attempts"]) == (16, 9, 7, 10)
    assert document["lost_attempts"] == {"harness_failure": 1}
    assert document["state"] == "open"
    for word in ("pass", 'fail"', "cost", "guide", "baseline"):
        assert word not in said.out.replace("harness_failure", "")
    assert "guide" not in call("status", open_run).out


def test_a_spec_edited_after_compile_is_refused_field_by_field(run: Path, call: Call) -> None:
    root = run.parent.parent
    edit(root / "spec.yaml", "cost.p < 0.05", "cost.p < 0.2")
    edit(root / "prompts.yaml", "Something is wrong", "Something may be wrong")
    before = bytes_of(root)
    for verb in ("analyze", "report"):
        said = call(verb, run, "--json")
        assert said.code == 4
        assert said.json["status"] == "refused"
        where = {each["where"]: (each["expected"], each["got"]) for each in said.json["reasons"]}
        assert where["decision.supported_when[0]"] == ('"cost.p < 0.05"', '"cost.p < 0.2"')
        assert any(place.startswith("prompts.yaml: ") for place in where)
        assert "amend" in said.json["reasons"][0]["hint"]
    assert call("audit", run).code == 4
    assert bytes_of(root) == before


def test_a_formatting_change_warns_and_is_analyzed(run: Path, call: Call) -> None:
    edit(run.parent.parent / "spec.yaml", "prereg: 1\n", "# looked over again\nprereg: 1\n")
    said = call("analyze", run, "--json")
    assert said.code == 0
    assert any("formatting" in each for each in said.json["warnings"])
    assert call("audit", run).code == 0


def test_a_registered_amendment_is_accepted_with_a_warning_and_judged_by_its_own_registration(
    run: Path, call: Call
) -> None:
    root = run.parent.parent
    edit(root / "spec.yaml", "cost.p < 0.05", "cost.p < 0.01")
    assert call("analyze", run).code == 4
    assert call("amend", root, "--reason", "a stricter bar for the next run").code == 0
    said = call("analyze", run, "--json")
    assert said.code == 0
    assert said.json["status"] == "supported"  # by its own bar of 0.05
    assert any("amendment 0002" in each for each in said.json["warnings"])
    assert call("audit", run).code == 0


def test_a_report_from_before_an_amendment_still_audits(analyzed: Path, call: Call) -> None:
    root = analyzed.parent.parent
    edit(root / "spec.yaml", "cost.p < 0.05", "cost.p < 0.01")
    assert call("amend", root, "--reason", "a stricter bar for the next run").code == 0
    before = bytes_of(analyzed)
    assert call("audit", analyzed).code == 0
    assert bytes_of(analyzed) == before


@pytest.mark.parametrize("broken", ["", "prereg: 1\nprereg: 2\n", "\0"], ids=["empty", "doubled key", "binary"])
def test_a_spec_that_cannot_be_read_is_refused(run: Path, call: Call, broken: str) -> None:
    (run.parent.parent / "spec.yaml").write_text(broken)
    said = call("analyze", run, "--json")
    assert said.code == 4
    assert set(said.codes) == {"spec-unreadable"}


@pytest.mark.parametrize("name", ["spec.yaml", "prompts.yaml", "guide.md", "pool/candidates.jsonl"])
def test_a_missing_input_is_refused(run: Path, call: Call, name: str) -> None:
    (run.parent.parent / name).unlink()
    said = call("analyze", run, "--json")
    assert said.code == 4
    assert name in said.out


def test_a_run_folder_of_another_experiment_is_refused(run: Path, tmp_path: Path, call: Call) -> None:
    other = tmp_path / "other"
    shutil.copytree(run.parent.parent, other)
    shutil.rmtree(other / "registry")
    assert call("compile", other).code == 4  # a run whose registration is gone says that something had been seen
    shutil.move(other / "runs", tmp_path / "runs")
    edit(other / "spec.yaml", "seed: 7}, take", "seed: 8}, take")
    assert call("compile", other).code == 0
    shutil.move(tmp_path / "runs", other / "runs")
    said = call("analyze", other / "runs" / "one", "--json")
    assert said.code == 4
    assert said.codes == ["foreign-run"]
    said = call("execute", other, "--run", "one", "--json")
    assert said.code == 4
    assert said.codes == ["foreign-run"]


def test_a_folder_that_is_no_run_is_usage_and_a_ledger_without_its_record_is_refused(run: Path, call: Call) -> None:
    said = call("analyze", run.parent)
    assert said.code == 2
    assert "run.json" in said.err
    assert call("analyze", run.parent / "none").code == 2
    (run / "run.json").unlink()
    for verb in ("analyze", "status", "report", "audit"):
        assert call(verb, run, "--json").codes == ["no-run"]
    assert call("execute", run.parent.parent, "--run", "one", "--json").codes == ["no-run"]


def test_what_another_build_of_the_tool_registered_stays_usable_and_says_so(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lay_experiment(tmp_path / "older")
    with monkeypatch.context() as older:  # an older build: it did not know one key of the language
        older.setattr(
            "compiler.pipeline.spec_document", lambda spec, inputs: _without_a_key(spec_document(spec, inputs))
        )
        older.setattr("prereg.tool.identity", lambda: {"name": "x", "version": "0.0.9", "digest": "sha256:" + "1" * 64})
        first = call("compile", root, "--json").json
    again = call("compile", root, "--json")
    assert again.code == 0
    assert again.json["registration"] == first["registration"]
    assert again.json["plan_digest"] == first["plan_digest"]
    assert [each["code"] for each in again.json["warnings"]] == ["P937"]
    assert call("amend", root, "--reason", "x").code == 1
    assert call("diff", root, "--json").json["same"] is True
    run = run_by_hand(root)
    assert call("analyze", run).code == 0
    said = call("audit", run, "--json")
    assert said.code == 5
    assert [each["code"] for each in said.json["reasons"]] == ["other-tool"]
    with monkeypatch.context() as newer:  # a newer build finds fault with what was fine
        newer.setattr("prereg.audit.compile_spec", _refuse)
        assert call("audit", run, "--json").codes == ["other-tool"]
    edit(root / "spec.yaml", "cost.p < 0.05", "cost.p < 0.04")
    said = call("analyze", run, "--json")
    assert said.code == 4
    assert [each["where"] for each in said.json["reasons"]][1:] == ["decision.supported_when[0]"]


def _without_a_key(document: bytes) -> bytes:
    plain = json.loads(document)
    del plain["spec"]["collect"]
    return canonical(plain)


def _refuse(*_: object) -> None:
    raise SpecErrors([Diagnostic(code="P000", summary="not any more")])
