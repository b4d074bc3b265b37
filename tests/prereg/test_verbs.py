"""The small verbs: schema, stat, agents, providers, doctor, init."""

import io
import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from prereg import api
from tests.prereg.conftest import Call


def test_schema_is_a_json_schema(call: Call) -> None:
    said = call("schema", "--json")
    assert said.code == 0
    Draft202012Validator.check_schema(said.json)
    assert json.loads(call("schema").out) == said.json


def test_stat_answers_line_by_line_and_refuses_what_must_not_be_computed(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        '{"procedure": "mcnemar", "inputs": {"b": 1, "c": 8}}',
        '{"procedure": "no-such", "inputs": {}}',
        '{"procedure": "mcnemar", "inputs": {"b": NaN, "c": 8}}',
        "not json",
        "",
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(asked)))
    said = call("stat")
    assert said.code == 0
    answers = [json.loads(each) for each in said.out.splitlines()]
    assert len(answers) == 4
    assert all(each["refuse"] is True and each["reason"] for each in answers[1:])
    monkeypatch.setattr("sys.stdin", io.StringIO(asked[1]))
    assert len(call("stat", "--json").json["results"]) == 1


def test_gold_values_come_out_of_stat(call: Call) -> None:
    gold = json.loads((Path(__file__).parents[1] / "gold" / "stats.json").read_text())
    case = next(each for each in gold["cases"] if each["procedure"] == "mcnemar" and not each["expected"].get("refuse"))
    answer = api.stat(json.dumps({"procedure": case["procedure"], "inputs": case["inputs"]}))
    shared = set(answer) & set(case["expected"])
    assert shared
    for key in shared:
        assert answer[key] == pytest.approx(case["expected"][key])


@pytest.mark.parametrize(("verb", "kind"), [("agents", "simulated"), ("providers", "none")])
def test_plugins_are_listed(call: Call, verb: str, kind: str) -> None:
    said = call(verb, "--json")
    assert said.code == 0
    found = {each["kind"]: each for each in said.json[verb]}
    assert found[kind]["distribution"] == "prereg-compiler"
    assert kind in call(verb).out
    if verb == "agents":
        assert found[kind]["simulated"] is True
        codex = found["codex"]
        assert (codex["program"], codex["installed"]) == ("codex", shutil.which("codex") is not None)
        assert {"turns", "tokens", "tool_calls"} <= set(codex["measures"])


def test_doctor_names_the_tool_and_what_is_there(call: Call) -> None:
    said = call("doctor", "--json")
    assert said.code == 0, said.out
    found = {each["name"]: each for each in said.json["findings"]}
    assert found["git"]["status"] == "ok"
    assert "sha256:" in found["prereg"]["detail"]
    assert "sandbox local" in found
    assert any(name.startswith("completion") for name in found)
    assert call("doctor").out


def test_init_lays_a_starter_that_checks_and_never_overwrites(call: Call, tmp_path: Path) -> None:
    listed = call("init", "--list").out
    assert "task-outcome           The task-outcome benchmark on a small history" in listed
    assert "System" not in listed
    folder = tmp_path / "mine"
    said = call("init", folder, "--json")
    assert said.code == 0
    assert "spec.yaml" in said.json["files"]
    assert call("check", folder).code == 0
    (folder / "mark").write_text("mine")
    said = call("init", folder)
    assert said.code == 3
    assert "empty" in said.err
    assert (folder / "mark").read_text() == "mine"
    assert call("init", tmp_path / "other", "--from", "nonsense").code == 3
