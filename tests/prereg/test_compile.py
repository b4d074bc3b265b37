"""Compile, amend, diff and check through the command line."""

import json
import shutil
from pathlib import Path

import pytest

from tests.prereg.conftest import Call
from tests.prereg.laying import lay_experiment


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    return lay_experiment(tmp_path / "fresh")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_compile_registers_and_says_the_contract(fresh: Path, call: Call) -> None:
    said = call("compile", fresh / "spec.yaml", "--json")
    assert said.code == 0
    document = said.json
    assert {"registration", "spec_digest", "plan_digest", "tasks", "trials", "warnings"} <= set(document)
    assert (document["tasks"], document["trials"], document["warnings"]) == (8, 16, [])
    folder = fresh / "registry" / document["registration"]
    assert {each.name for each in folder.iterdir()} == {
        "spec.yaml",
        "spec.json",
        "plan.json",
        "registration.json",
        "inputs",
    }


def test_compiling_again_gives_the_same_registration(fresh: Path, call: Call) -> None:
    first = call("compile", fresh / "spec.yaml", "--json").json
    edit(fresh / "spec.yaml", "prereg: 1\n", "# a comment\nprereg: 1\n")
    again = call("compile", fresh, "--json")
    assert again.code == 0
    assert again.json["registration"] == first["registration"]
    assert again.json["new"] is False
    assert len(list((fresh / "registry").iterdir())) == 1


def test_a_changed_spec_is_refused_and_told_to_amend(experiment: Path, call: Call) -> None:
    edit(experiment / "spec.yaml", "cost.p < 0.05", "cost.p < 0.1")
    said = call("compile", experiment, "--json")
    assert said.code == 1
    assert said.codes == ["P934"]
    reason = said.json["reasons"][0]
    assert "0.05" in reason["what"]
    assert "0.1" in reason["what"]
    assert "amend" in reason["hint"]


def test_a_changed_prompt_is_a_changed_spec(experiment: Path, call: Call) -> None:
    edit(experiment / "prompts.yaml", "Something is wrong", "Something is very wrong")
    said = call("compile", experiment)
    assert said.code == 1
    assert "prompts.yaml: " in said.err
    assert "amend" in said.err


def test_amend_records_reason_parent_and_what_had_been_seen(experiment: Path, call: Call) -> None:
    first = call("compile", experiment, "--json").json
    edit(experiment / "spec.yaml", "cost.p < 0.05", "cost.p < 0.01")
    said = call("amend", experiment / "spec.yaml", "--reason", "a stricter bar", "--json")
    assert said.code == 0
    assert said.json["registration"].startswith("0002-")
    registered = json.loads((experiment / "registry" / said.json["registration"] / "registration.json").read_bytes())
    assert registered["reason"] == "a stricter bar"
    assert registered["access"] == "runs-not-opened"  # a run has outcomes, nobody looked at them
    assert first["registration"].endswith(registered["parent"].removeprefix("sha256:")[:12])
    assert call("compile", experiment, "--json").json["registration"] == said.json["registration"]


def test_an_edited_ledger_that_stops_an_amendment_is_named_by_its_run(analyzed: Path, call: Call) -> None:
    root, ledger = analyzed.parent.parent, analyzed / "ledger.jsonl"
    ledger.write_text(ledger.read_text().replace('"attempt":1', '"attempt":2', 1))
    edit(root / "spec.yaml", "take: 8", "take: 7")
    said = call("amend", root, "--reason", "one less", "--json")
    assert said.code == 4
    assert said.json["reasons"][0]["where"].startswith(f"runs/{analyzed.name}: ")


def test_amending_after_an_analysis_says_outcomes_were_seen(analyzed: Path, call: Call) -> None:
    root = analyzed.parent.parent
    edit(root / "spec.yaml", "cost.p < 0.05", "cost.p < 0.01")
    assert call("amend", root, "--reason", "stricter", "--json").json["access"] == "outcomes-seen"


@pytest.mark.parametrize(
    ("reason", "code", "needle"), [("x", 1, "nothing to amend"), (" ", 2, "reason")], ids=["unchanged", "no reason"]
)
def test_amend_needs_a_change_and_a_reason(experiment: Path, call: Call, reason: str, code: int, needle: str) -> None:
    said = call("amend", experiment, "--reason", reason)
    assert said.code == code
    assert needle in said.err
    assert len(list((experiment / "registry").iterdir())) == 1


def test_amend_before_compile_is_refused(fresh: Path, call: Call) -> None:
    said = call("amend", fresh, "--reason", "x")
    assert said.code == 1
    assert "prereg compile" in said.err


def test_diff_shows_fields_between_spec_and_registration_and_between_registrations(
    experiment: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("diff", experiment, "--json").json == {"same": True, "differences": []}
    edit(experiment / "spec.yaml", "seeds: 1", "seeds: 2")
    said = call("diff", experiment / "spec.yaml", "--json").json
    assert said["differences"] == [{"path": "trials.seeds", "kind": "changed", "before": 1, "after": 2}]
    amended = call("amend", experiment, "--reason", "more", "--json").json["registration"]
    folder = experiment / "registry" / amended
    assert "trials.seeds: 1 became 2" in call("diff", folder).out
    assert "no difference" in call("diff", folder, experiment).out
    monkeypatch.chdir(experiment)
    assert call("diff").out == call("diff", "spec.yaml").out


def test_a_pool_of_another_spec_is_refused(experiment: Path, call: Call) -> None:
    edit(experiment / "spec.yaml", "count(fail_to_pass) >= 1", "count(fail_to_pass) >= 2")
    said = call("compile", experiment, "--json")
    assert said.code == 1
    assert said.codes == ["P390"]
    assert "harvest" in said.json["reasons"][0]["hint"]


def test_a_pool_that_was_edited_is_refused(experiment: Path, call: Call) -> None:
    edit(experiment / "pool" / "candidates.jsonl", "fix: value 3", "fix: value 33")
    said = call("compile", experiment)
    assert said.code == 1  # another pool is another spec: it is to be amended
    assert "pool/candidates.jsonl" in said.err


def test_a_missing_pool_prompt_or_file_says_what_to_do(fresh: Path, call: Call) -> None:
    shutil.move(fresh / "guide.md", fresh / "elsewhere.md")
    said = call("compile", fresh)
    assert said.code == 1
    assert "guide.md" in said.err
    shutil.move(fresh / "elsewhere.md", fresh / "guide.md")
    lines = (fresh / "prompts.yaml").read_text().splitlines(keepends=True)
    (fresh / "prompts.yaml").write_text("".join(lines[5:]))
    said = call("compile", fresh, "--json")
    assert said.code == 1
    assert set(said.codes) == {"P385"}
    (fresh / "pool" / "candidates.jsonl").unlink()
    said = call("compile", fresh)
    assert said.code == 1
    assert "prereg harvest" in said.err
    assert not (fresh / "registry").exists()


def test_a_pool_that_lost_a_tree_is_refused(fresh: Path, call: Call) -> None:
    next((fresh / "pool" / "blobs").iterdir()).unlink()
    said = call("compile", fresh, "--json")
    assert said.code == 4 or not said.json["warnings"]  # the one task that is not drawn may lose its trees
    for each in list((fresh / "pool" / "blobs").iterdir()):
        each.unlink()
    said = call("compile", fresh, "--json")
    assert said.code == 4
    assert said.json["status"] == "refused"
    assert set(said.codes) == {"blob-missing"}


def test_a_spec_under_another_name_is_refused(fresh: Path, call: Call) -> None:
    shutil.copy(fresh / "spec.yaml", fresh / "other.yaml")
    said = call("compile", fresh / "other.yaml")
    assert said.code == 1
    assert "spec.yaml" in said.err


def test_check_collects_every_fault_with_its_place(fresh: Path, call: Call) -> None:
    assert call("check", fresh).code == 0
    edit(fresh / "spec.yaml", "cost.p < 0.05", "cost.p < 20 min")
    edit(fresh / "spec.yaml", "verdict == ", "verdikt == ")
    said = call("check", fresh / "spec.yaml")
    assert said.code == 1
    assert f"{fresh / 'spec.yaml'}:" in said.err
    assert "verdikt" in said.err
    assert "cost.p" in said.err
    assert said.out == ""


def test_check_without_a_pool_says_so(fresh: Path, call: Call) -> None:
    (fresh / "pool" / "candidates.jsonl").unlink()
    said = call("check", fresh, "--json")
    assert said.code == 0
    assert said.json["with_pool"] is False


def test_an_edited_registration_is_refused(experiment: Path, call: Call) -> None:
    folder = next((experiment / "registry").iterdir())
    plan = folder / "plan.json"
    plan.chmod(0o644)
    edit(plan, "The guide lowers", "The guide raises")
    said = call("execute", experiment, "--run", "two", "--json")
    assert said.code == 4
    assert said.json["status"] == "refused"
    assert not (experiment / "runs" / "two").exists()
    registration = folder / "registration.json"
    registration.chmod(0o644)
    edit(registration, "nothing-run", "outcomes-seen")
    assert call("compile", experiment).code == 4


def test_tasks_lists_the_pool_with_reasons(experiment: Path, call: Call) -> None:
    kept = call("tasks", experiment, "--json").json["tasks"]
    assert len(kept) == 9
    assert sum(each["drawn"] for each in kept) == 8
    every = call("tasks", experiment, "--all")
    assert "condition: count(fail_to_pass) >= 1" in every.out
    assert {each["title"] for each in kept} <= {line.split("  ")[-1].strip() for line in every.out.splitlines()}


@pytest.mark.parametrize("by_name", [True, False])
def test_an_input_that_lies_elsewhere_is_refused_at_its_place(fresh: Path, call: Call, by_name: bool) -> None:
    (fresh / "prompts.yaml").rename(fresh.parent / "prompts.yaml")
    if by_name:
        edit(fresh / "spec.yaml", "prompts.yaml", "../prompts.yaml")
    else:
        (fresh / "prompts.yaml").symlink_to("../prompts.yaml")
    said = call("compile", fresh, "--json")
    assert (said.code, said.codes) == (1, ["P402"])
    shown = "`../prompts.yaml` lies" if by_name else "`prompts.yaml`, a link, lies"
    assert said.json["reasons"][0]["what"].startswith(f"{shown} outside of the experiment's folder")
    assert "spec.yaml" in said.json["reasons"][0]["where"]
    assert not (fresh / "registry").exists()


def test_a_link_within_the_folder_and_a_linked_folder_are_fine(fresh: Path, call: Call) -> None:
    (fresh / "texts").mkdir()
    (fresh / "prompts.yaml").rename(fresh / "texts/all.yaml")
    (fresh / "prompts.yaml").symlink_to("texts/all.yaml")
    linked = fresh.parent / "linked"
    linked.symlink_to(fresh)
    assert call("compile", linked, "--json").code == 0
