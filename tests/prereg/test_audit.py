"""Audit: what it verifies, what each kind of tampering does to it, and that stock commands say the same."""

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from prereg import audit
from prereg.published import summary
from prereg.reports import STAMP
from tests.prereg.conftest import Call
from tests.prereg.laying import run_by_hand
from tests.prereg.test_compile import edit
from tests.prereg.test_judging import bytes_of


def lines(run: Path) -> list[str]:
    return (run / "ledger.jsonl").read_text().splitlines(keepends=True)


def put(run: Path, found: list[str]) -> None:
    (run / "ledger.jsonl").write_text("".join(found))


def writable(path: Path) -> Path:
    path.chmod(0o644)
    return path


def first_blob(run: Path) -> Path:
    return writable(min((run / "blobs").iterdir()))


def registered(run: Path) -> Path:
    return next((run.parent.parent / "registry").iterdir())


def test_a_clean_run_is_verified_and_says_what_is_not_proven(analyzed: Path, call: Call) -> None:
    before = bytes_of(analyzed.parent.parent)
    said = call("audit", analyzed, "--json")
    assert said.code == 0
    document = said.json
    assert document["status"] == "verified"
    assert document["tier"] == "UNANCHORED"
    assert [each["number"] for each in document["checks"]] == list(range(1, len(audit.AUDIT) + 1))
    unasked = {"expected spec", "published"}  # nothing was brought along to compare with, so nothing is claimed
    for each in document["checks"]:
        assert each["status"] == ("not-asked" if each["name"] in unasked else "passed")
    assert len(document["does_not_prove"]) >= 5
    assert bytes_of(analyzed.parent.parent) == before
    text = call("audit", analyzed).out
    assert "VERIFIED" in text
    assert "UNANCHORED" in text
    assert "this does not prove" in text


def test_a_run_that_was_not_analyzed_or_not_closed_is_undecided(experiment: Path, call: Call) -> None:
    said = call("audit", experiment / "runs" / "one", "--json")
    assert said.code == 5
    assert {each["code"] for each in said.json["reasons"]} == {"no-verdict-file", "no-report"}
    open_run = run_by_hand(experiment, "open", close=False, upto=3)
    said = call("audit", open_run, "--json")
    assert said.code == 5
    assert "open" in {each["code"] for each in said.json["reasons"]}


def _edit_line(run: Path) -> None:
    found = lines(run)
    at = next(number for number, each in enumerate(found) if '"verdict":"fail"' in each)
    put(
        run, [each.replace('"verdict":"fail"', '"verdict":"pass"') if n == at else each for n, each in enumerate(found)]
    )


def _double_line(run: Path) -> None:
    found = lines(run)
    put(run, [*found[:5], found[4], *found[5:]])


def _swap_lines(run: Path) -> None:
    found = lines(run)
    put(run, [*found[:4], found[5], found[4], *found[6:]])


def _drop_line(run: Path) -> None:
    found = lines(run)
    put(run, [*found[:4], *found[5:]])


def _drop_last_line(run: Path) -> None:
    put(run, lines(run)[:-1])


def _foreign_line(run: Path) -> None:
    found = lines(run)
    put(run, [*found[:4], found[4].replace('"prev":"sha256:', '"prev":"sha256:0')[:-2] + "}\n", *found[5:]])


def _edit_blob(run: Path) -> None:
    first_blob(run).write_text("another transcript")


def _drop_blob(run: Path) -> None:
    first_blob(run).unlink()


def _edit_plan(run: Path) -> None:
    edit(writable(registered(run) / "plan.json"), "cost.p < 0.05", "cost.p < 0.5")


def _edit_registration(run: Path) -> None:
    edit(writable(registered(run) / "registration.json"), "nothing-run", "outcomes-seen")


def _edit_registered_spec(run: Path) -> None:
    edit(writable(registered(run) / "spec.yaml"), "cost.p < 0.05", "cost.p < 0.5")


def _edit_run_record(run: Path) -> None:
    edit(run / "run.json", '"run":"one"', '"run":"two"')


def _edit_pool_blob(run: Path) -> None:
    for each in (run.parent.parent / "pool" / "blobs").iterdir():
        writable(each).write_bytes(each.read_bytes() + b"\n")


def _edit_prompt(run: Path) -> None:
    plan = json.loads((registered(run) / "plan.json").read_bytes())
    prompt = plan["run"]["tasks"][0]["prompt"].removeprefix("sha256:")
    writable(registered(run) / "inputs" / prompt).write_text("Do something else.")


def _edit_spec(run: Path) -> None:
    edit(run.parent.parent / "spec.yaml", "cost.p < 0.05", "cost.p < 0.5")


def _drop_head(run: Path) -> None:
    (run / "head.json").unlink()


TAMPERINGS: tuple[Callable[[Path], None], ...] = (
    _edit_line,
    _double_line,
    _swap_lines,
    _drop_line,
    _drop_last_line,
    _foreign_line,
    _drop_head,
    _edit_plan,
    _edit_registration,
    _edit_registered_spec,
    _edit_run_record,
    _edit_spec,
)
"""What analyze, report and audit all refuse."""


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda each: each.__name__.strip("_"))
def test_tampering_is_refused_by_every_verb_and_nothing_is_lost(
    analyzed: Path, call: Call, tamper: Callable[[Path], None]
) -> None:
    tamper(analyzed)
    before = bytes_of(analyzed.parent.parent)
    for verb in ("analyze", "report", "audit"):
        said = call(verb, analyzed, "--json")
        assert said.code == 4, (verb, said.out)
        document = said.json
        assert document["status"] == "refused"
        assert document["reasons"]
        assert set(document["reasons"][0]) == {"code", "what", "expected", "got", "where", "hint"}
        assert "Traceback" not in said.err
    assert bytes_of(analyzed.parent.parent) == before


@pytest.mark.parametrize(
    "tamper", [_edit_blob, _drop_blob, _edit_pool_blob, _edit_prompt], ids=lambda each: each.__name__.strip("_")
)
def test_audit_hashes_every_blob(analyzed: Path, call: Call, tamper: Callable[[Path], None]) -> None:
    tamper(analyzed)
    said = call("audit", analyzed, "--json")
    assert said.code == 4
    assert {each["code"] for each in said.json["reasons"]} <= {"blob-altered", "blob-missing", "more"}
    assert [each["name"] for each in said.json["checks"] if each["status"] not in ("passed", "not-asked")] == ["blobs"]


def test_audit_refuses_an_edited_report_and_an_edited_verdict(analyzed: Path, call: Call) -> None:
    edit(analyzed / "report.md", "The guide lowered", "The guide greatly lowered")
    said = call("audit", analyzed, "--json")
    assert said.code == 4
    assert [each["code"] for each in said.json["reasons"]] == ["report-altered"]
    edit(analyzed / "verdict.json", '"estimate":-0.174', '"estimate":-0.274')
    said = call("audit", analyzed, "--json")
    assert said.code == 4
    assert "verdict-altered" in {each["code"] for each in said.json["reasons"]}


def _figure(run: Path) -> Path:
    return run / "figures" / "figure-decision.svg"


@pytest.mark.parametrize(
    "tamper",
    [
        lambda run: edit(_figure(run), "holds", "holds well"),
        lambda run: edit(run / "report.html", ">0.", ">0.0"),
        lambda run: shutil.copy(_figure(run), run / "figures" / "another.svg"),
        lambda run: edit(run / "report.html", "<desc", "<desc lang='en'"),
    ],
)
def test_audit_refuses_an_edited_picture_wherever_it_stands(
    analyzed: Path, call: Call, tamper: Callable[[Path], None]
) -> None:
    tamper(analyzed)
    said = call("audit", analyzed, "--json")
    assert said.code == 4
    assert [each["code"] for each in said.json["reasons"]] == ["report-altered"]


def test_a_report_without_its_files_of_figures_still_stands(analyzed: Path, call: Call) -> None:
    shutil.rmtree(analyzed / "figures")
    assert call("audit", analyzed).code == 0
    assert call("report", analyzed).code == 0
    assert _figure(analyzed).is_file()


def _stamped(run: Path, old: str, new: str) -> None:
    page = run / "report.html"
    found = STAMP.search(page.read_text())
    assert found is not None
    edit(page, found.group(1), found.group(1).replace(old, new))


def test_strokes_of_another_drawing_library_are_not_called_altered(analyzed: Path, call: Call) -> None:
    """Same bytes pass; other strokes under the same words cannot be decided here; other words are another report."""
    _stamped(analyzed, "matplotlib ", "matplotlib 99.")
    assert call("audit", analyzed).code == 0
    edit(analyzed / "report.html", '<path d="M ', '<path d="M 1 1 M ')
    said = call("audit", analyzed, "--json")
    assert said.code == 5
    assert [each["code"] for each in said.json["reasons"]] == ["other-tool"]
    assert "matplotlib 99." in said.json["reasons"][0]["expected"]
    edit(analyzed / "report.html", "The guide lowered", "The guide greatly lowered")
    assert call("audit", analyzed).code == 4


def test_the_report_of_another_build_is_not_called_altered(analyzed: Path, call: Call) -> None:
    _stamped(analyzed, "sha256:", "sha256:0")
    assert call("audit", analyzed).code == 0
    edit(analyzed / "report.md", "## Endpoints", "## All endpoints")
    said = call("audit", analyzed, "--json")
    assert said.code == 5
    assert [each["code"] for each in said.json["reasons"]] == ["other-tool"]


def test_one_fault_is_blamed_once(analyzed: Path, call: Call) -> None:
    _edit_line(analyzed)
    said = call("audit", analyzed, "--json").json
    assert len(said["reasons"]) == 1
    assert [each["status"] for each in said["checks"]].count("refused") == 1
    assert "not-reached" in {each["status"] for each in said["checks"]}


def test_a_torn_last_line_is_undecided_until_it_is_recovered(analyzed: Path, call: Call) -> None:
    with (analyzed / "ledger.jsonl").open("a") as ledger:
        ledger.write('{"at":"2026-11')
    said = call("audit", analyzed, "--json")
    assert said.code == 5
    assert said.json["reasons"][0]["code"] == "torn"


def test_expect_compares_with_the_readers_digest(analyzed: Path, call: Call) -> None:
    digest = json.loads((analyzed / "verdict.json").read_bytes())["spec_digest"]
    assert call("audit", analyzed, "--expect", digest).code == 0
    said = call("audit", analyzed, "--expect", "sha256:" + "0" * 64, "--json")
    assert said.code == 4
    assert said.json["reasons"][0]["code"] == "unexpected-spec"
    assert call("audit", analyzed, "--expect", "0" * 64).code == 2


def test_the_registry_of_a_rebuilt_twin_is_foreign(analyzed: Path, tmp_path: Path, call: Call) -> None:
    root = analyzed.parent.parent
    shutil.move(root / "runs", tmp_path / "runs")
    shutil.rmtree(root / "registry")
    assert call("compile", root).code == 0
    shutil.move(tmp_path / "runs", root / "runs")
    said = call("audit", analyzed, "--json")
    assert said.code == 4
    assert said.json["reasons"][0]["code"] == "foreign-run"


def test_published_numbers_and_blocks_are_compared(analyzed: Path, tmp_path: Path, call: Call) -> None:
    verdict = json.loads((analyzed / "verdict.json").read_bytes())
    claims = tmp_path / "claims.json"
    good = (
        '{"status": "supported", "spec_digest": "%s", "endpoints": {"cost": {"estimate": -0.17, "n": 8, "p": 0.0039}}}'
    )
    claims.write_text(good % verdict["spec_digest"])
    assert call("audit", analyzed, "--published", claims).code == 0
    for wrong in (
        '{"endpoints": {"cost": {"estimate": -0.18}}}',
        '{"endpoints": {"cost": {"n": 9}}}',
        '{"nothing": 1}',
    ):
        claims.write_text(wrong)
        said = call("audit", analyzed, "--published", claims, "--json")
        assert said.code == 4, wrong
        assert said.json["reasons"][0]["code"] == "published"
    page = tmp_path / "README.md"
    report = (analyzed / "report.md").read_text()
    block = summary(report)
    page.write_text(f"# Ours\n<!-- prereg:begin runs/one -->\n{block}\n<!-- prereg:end -->\nmore\n")
    assert call("audit", analyzed, "--published", page).code == 0
    page.write_text(page.read_text().replace("the", "not the", 1))
    assert call("audit", analyzed, "--published", page).code == 4
    page.write_text(
        f"# Ours\n<!-- prereg:begin runs/one -->\n{report[:300].rpartition(chr(10))[0]}\n<!-- prereg:end -->\n"
    )
    said = call("audit", analyzed, "--published", page, "--json")
    assert said.code == 4, "a result without where it does not help"
    assert "where it does not help" in said.json["reasons"][0]["what"]
    page.write_text("nothing here")
    assert call("audit", analyzed, "--published", page).code == 5


def test_a_report_is_put_into_a_page_word_for_word_and_audits(analyzed: Path, tmp_path: Path, call: Call) -> None:
    page = tmp_path / "README.md"
    page.write_text("# Ours\n<!-- prereg:begin runs/one -->\nold\n<!-- prereg:end -->\nmore\n")
    assert call("report", analyzed, "--inject", page).code == 0
    once = page.read_text()
    assert once.startswith("# Ours\n<!-- prereg:begin runs/one -->\n# small")
    assert once.endswith("<!-- prereg:end -->\nmore\n")
    headings = [line for line in once.splitlines() if line.startswith("## ")]
    assert "## Where it does not help" in "\n".join(headings)
    assert headings[-1].startswith("## What this does not show"), "a page gets the summary, not every table"
    assert call("audit", analyzed, "--published", page).code == 0
    assert call("report", analyzed, "--into", page).code == 0
    assert page.read_text() == once
    page.write_text("no markers")
    assert call("report", analyzed, "--into", page).code == 5
    assert page.read_text() == "no markers"


def test_a_torn_tail_is_recovered_in_sight_and_the_verdict_stands(analyzed: Path, call: Call) -> None:
    verdict = json.loads((analyzed / "verdict.json").read_bytes())
    with (analyzed / "ledger.jsonl").open("a") as ledger:
        ledger.write('{"at":"2026-11')
    assert call("execute", analyzed.parent.parent, "--run", "one").code == 0
    assert (analyzed / "ledger.torn-1").read_text() == '{"at":"2026-11'
    said = call("analyze", analyzed, "--json")
    assert said.code == 0
    assert said.json["endpoints"] == verdict["endpoints"]
    assert said.json["ledger_head"] != verdict["ledger_head"]  # the deviation stands in the ledger
    assert call("audit", analyzed).code == 0


@pytest.mark.parametrize("seed", range(3))
def test_no_altered_byte_passes_an_audit(analyzed: Path, call: Call, seed: int) -> None:
    root = analyzed.parent.parent
    chance = random.Random(seed)
    drawn = set((root / "pool" / "blobs").iterdir()) - set(_of_the_undrawn(root))
    files = [*root.glob("registry/**/*"), *analyzed.glob("**/*"), root / "pool" / "candidates.jsonl", *drawn]
    for path in chance.sample(sorted(each for each in files if each.is_file()), 12):
        data = writable(path).read_bytes()
        at = chance.randrange(len(data))
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :])
        said = call("audit", analyzed, "--json")
        assert said.code in (4, 5), (path, at)
        path.write_bytes(data)
    assert call("audit", analyzed).code == 0


def _of_the_undrawn(root: Path) -> list[Path]:
    plan = json.loads((next((root / "registry").iterdir()) / "plan.json").read_bytes())
    keys = ("given", "held_out", "tests", "reference")
    named = {task[key].removeprefix("sha256:") for task in plan["run"]["tasks"] for key in keys}
    return [each for each in (root / "pool" / "blobs").iterdir() if each.name not in named]


def test_a_file_that_cannot_be_read_is_undecided_and_the_other_checks_go_on(analyzed: Path, call: Call) -> None:
    (analyzed / "report.md").unlink()
    (analyzed / "report.md").mkdir()
    said = call("audit", analyzed, "--json")
    assert said.code == 5
    assert len(said.json["checks"]) == len(audit.AUDIT)
    page = analyzed / "claims.json"
    page.write_text('{"status": "supported"}')
    (analyzed / "verdict.json").unlink()
    assert call("audit", analyzed, "--published", page).code == 5


def test_stock_commands_repeat_the_checks(analyzed: Path, call: Call) -> None:
    commands = call("audit", analyzed, "--print-commands").out
    told = subprocess.run(["sh", "-c", commands], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert "FAILED" not in told.stdout
    assert "lines, OK" in told.stdout
    for tamper in (_edit_line, _drop_last_line, _edit_blob, _edit_plan, _edit_prompt):
        shutil.copytree(analyzed.parent.parent, analyzed.parent.parent.with_name(tamper.__name__))
        copy = analyzed.parent.parent.with_name(tamper.__name__) / "runs" / "one"
        tamper(copy)
        moved = commands.replace(str(analyzed.parent.parent), str(copy.parent.parent))
        told = subprocess.run(["sh", "-c", moved], capture_output=True, text=True, check=False)
        assert told.returncode != 0, tamper.__name__
