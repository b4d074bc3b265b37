"""The outcome frontier's design for real tools, carried out: two agents, a scripted service, costs by what its answers say."""

import base64
import json
import re
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from compiler.pool_file import read as read_pool
from ledger.blobs import Blobs
from prereg.starters import lay
from tests.doubles.model_server import model_server
from tests.doubles.script import Script, run
from tests.executor.agents.driving import KEY, REAL, installed
from tests.prereg.conftest import Call, call
from tests.prereg.test_command_agent import records
from tests.prereg.test_compile import edit

pytestmark = [pytest.mark.agents, pytest.mark.slow]
__all__ = ["call", "installed"]

CLAUDE, CODEX = REAL["claude-code"].model, REAL["codex"].model
PRICES = f"""\
currency: USD
as_of: "2026-01-01"
models:
  {CLAUDE}: {{input: 3, output: 15, cache_read: 0.3}}
  {CODEX}: {{input: 2, output: 8, cache_read: 0.5}}
"""


def brownfield_alone(root: Path) -> None:
    """The shipped design over its brownfield shape, whose instance needs nothing installed, with a service of ours."""
    lay("outcome-frontier", root)
    spec = root / "spec.yaml"
    shutil.move(root / "real.yaml", spec)
    text = spec.read_text()
    text = text[: text.index("  migration:\n")] + text[text.index("\nagent:\n") :]
    text = re.sub(r"^  (migration|reproduction): \{role.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("  brownfield: {role: secondary", "  brownfield: {role: primary")
    text = text.replace(
        "migration.count(claude) >= 1 task or migration.count(codex)",
        "brownfield.count(claude) >= 1 task or brownfield.count(codex)",
    )
    text = re.sub(r'^  version: .*\n|version: "0[^,]*, ', "", text, flags=re.MULTILINE)
    text = text.replace("{key_env: ANTHROPIC_API_KEY}", "{key_env: SCRIPTED_KEY, base_url_env: CLAUDE_URL}")
    text = text.replace("{key_env: OPENAI_API_KEY}", "{key_env: SCRIPTED_KEY, base_url_env: CODEX_URL}")
    text = text.replace("claude-sonnet-5", CLAUDE).replace("gpt-5.5", CODEX)
    spec.write_text(text)
    edit(spec, "stability: {harvests: 2}", "stability: {harvests: 1}")
    (root / "prices.yaml").write_text(PRICES)


def test_two_real_tools_by_one_route(
    installed: Any, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("claude-code", "codex"):
        installed(kind)
    root = tmp_path / "frontier"
    brownfield_alone(root)
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    with model_server(Script(answer="I have looked at it.")) as served:
        for variable, kind in (("CLAUDE_URL", "claude-code"), ("CODEX_URL", "codex")):
            monkeypatch.setenv(variable, served.url + REAL[kind].path)
        assert call("harvest", root, "--json").code == 0
        compiled = call("compile", root)
        assert compiled.code == 0, compiled.err
        assert "likely 12 to 90 USD, 1 to 9 h" in compiled.out
        pool = read_pool((root / "pool/candidates.jsonl").read_bytes(), where="pool").candidates
        (task,) = [each for each in pool if each.id == "issue-12"]
        assert task.material is not None
        assert task.material.reference is not None
        patch = base64.b64encode(Blobs(root / "pool/blobs").get(task.material.reference)).decode()
        served.script = Script(turns=[[run(f"echo {patch} | base64 -d | git apply -")]], answer="I mended it.")
        said = call("execute", root, "--run", "first", "--json")
        assert said.code == 0, said.out + said.err
    made = root / "runs/first"
    said = call("analyze", made, "--json")
    assert (said.code, said.json["status"], said.json["not_compared"]) == (0, "supported", {}), said.out
    assert said.json["routes"]["cost"] == "provider-usage"
    found = {each["arm"]: each for each in records(made, "outcome")}
    assert {arm: each["verdict"] for arm, each in found.items()} == {"claude": "pass", "codex": "pass"}
    for arm, each, cached in (("claude", 3 * 1000 + 15 * 50, "0.3"), ("codex", 2 * 1000 + 8 * 50, "0.5")):
        answers = _answers(made, found[arm])
        assert answers >= 2
        a_piece = (each + 200 * Decimal(cached)) / 1_000_000
        assert Decimal(found[arm]["measures"]["cost"]) == answers * a_piece
    report = (made / "report.md").read_text()
    for words in (
        "claude solved this instance: issue-12",
        "codex solved this instance: issue-12",
        "`codex exec --json",
    ):
        assert words in report, words
    assert "maintainability" in report
    assert not re.search(r"\d %", report.replace("95 %", ""))
    assert call("audit", made).code == 0


def _answers(made: Path, outcome: dict[str, Any]) -> int:
    """Count the answers of the model that say what they used, in what the harness recorded of an attempt."""
    lines = Blobs(made / "blobs").get(outcome["blobs"]["requests"]).splitlines()
    return sum("usage" in json.loads(line) for line in lines)
