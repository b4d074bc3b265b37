"""A private set on the whole road: nothing of it in the folder or on the terminal; burned, resolved, audited without its store."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger.records import Outcome
from ledger.store import read
from prereg.case import Case
from prereg.cli import main
from prereg.experiment import run_at
from tests.prereg.conftest import Call, Said
from tests.prereg.private_set import ENV, SECRET, lay_experiment, lay_store, secrets_of


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store and an experiment that was harvested, compiled, executed and analyzed; in one folder."""
    root = tmp_path_factory.mktemp("private")
    lay_store_in(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ENV, str(root / "store"))
        for verb in (["harvest"], ["compile"], ["execute", "--run", "one"]):
            assert main([verb[0], str(root / "experiment"), *verb[1:], "--json"]) == 0
        assert main(["analyze", str(root / "experiment/runs/one"), "--json"]) == 0
    return root


def lay_store_in(root: Path) -> None:
    (root / "store").mkdir()
    lay_store(root / "store")
    lay_experiment(root / "experiment")


@pytest.fixture
def root(done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(done, tmp_path / "copy", symlinks=True)
    monkeypatch.setenv(ENV, str(tmp_path / "copy" / "store"))
    return tmp_path / "copy"


def tells(secrets: list[bytes], data: bytes) -> list[bytes]:
    low = data.lower()
    return [each for each in secrets if each in low or each[:10] in low]


def files(folder: Path) -> Iterator[Path]:
    return (each for each in folder.rglob("*") if each.is_file())


def test_no_file_of_the_experiment_tells_anything(done: Path) -> None:
    secrets = secrets_of(done / "store")
    found = list(files(done / "experiment"))
    assert len(found) > 12
    assert {str(each.relative_to(done)): told for each in found if (told := tells(secrets, each.read_bytes()))} == {}
    assert not [each for each in found if SECRET in str(each.relative_to(done))]
    assert not (done / "experiment/runs/one/blobs").exists()


def test_the_drops_are_told_by_code(done: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENV, str(done / "store"))
    harvested = call("harvest", done / "experiment").out
    assert "of these 1 for: count(tests) >= 1\n" in harvested
    assert "1  no-merge\n" in harvested
    said = call("tasks", done / "experiment", "--all", "--json")
    reasons = sorted("; ".join(each["reasons"]) for each in said.json["tasks"] if each["status"] == "dropped")
    assert [each.split(";")[0] for each in reasons] == [
        "condition: count(tests) >= 1",
        'condition: issue.closed > date("2026-07-01")',
        "no-merge: no merged pull request closes it",
    ]
    assert all(each["id"].startswith("p") and each["title"] == "" for each in said.json["tasks"])


def test_no_verb_prints_anything(root: Path, call: Call) -> None:
    secrets = secrets_of(root / "store")
    experiment, run = root / "experiment", root / "experiment/runs/one"
    shutil.rmtree(experiment / "pool")
    spoken: list[Said] = []
    for line in (
        ("check", experiment),
        ("harvest", experiment),
        ("validate", experiment),
        ("tasks", experiment, "--all"),
        ("compile", experiment),
        ("execute", experiment, "--dry-run"),
        ("execute", experiment, "--run", "two"),
        ("status", run),
        ("analyze", run),
        ("report", run),
        ("audit", run),
        ("audit", run, "--print-commands"),
    ):
        said = call(*line)
        assert said.code == 0, (line, said.err)
        spoken.append(said)
    assert tells(secrets, "".join(each.out + each.err for each in spoken).encode()) == []


def test_every_trial_came_out_as_it_should(done: Path) -> None:
    case = Case(run_at(done / "experiment/runs/one"))
    lines = read(done / "experiment/runs/one", case.entry.digest).lines
    outcomes = [each for line in lines if isinstance(each := line.record, Outcome)]
    assert {each.arm: each.verdict for each in outcomes} == {"idle": "fail", "reference": "pass", "talking": "fail"}
    touched = {each.arm: each.measures["touched_gold"] for each in outcomes}
    assert touched == {"idle": False, "reference": True, "talking": False}
    talking = next(each for each in outcomes if each.arm == "talking")
    assert talking.measures["terminal_reason"] is None
    assert talking.reasons["terminal_reason"] == "kept in the private store"


def test_resolve_prints_a_task_for_whoever_has_the_store(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = Case(run_at(root / "experiment/runs/one")).plan.run.tasks[0].id
    said = call("tasks", "resolve", name, root / "experiment", "--json").json
    assert said["facts"]["issue.title"] == "Zanzibar: add is wrong"
    assert said["gold_files"] == ["zanzibar/add.py"]
    assert said["material"]["prompt"].startswith("sha256:")
    assert "Zanzibar: add is wrong\n\nIt does not work." in call("tasks", "resolve", name, root / "experiment").out
    monkeypatch.delenv(ENV)
    assert call("tasks", "resolve", name, root / "experiment", "--json").codes == ["store-missing"]
    assert call("tasks", "resolve", "nobody", root / "experiment", "--json").codes == ["P950"]


def test_an_auditor_without_the_store_verifies_all_but_the_sealed_blobs(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = root / "experiment/runs/one"
    with_store = call("audit", run)
    assert with_store.code == 0
    assert "sealed blobs of private tasks hash to their names too" in " ".join(with_store.out.split())
    monkeypatch.delenv(ENV)
    without = call("audit", run, "--json")
    assert without.code == 0, without.out
    (blobs,) = [each for each in without.json["checks"] if each["name"] == "blobs"]
    assert blobs["status"] == "passed"
    assert f"are in a store that is not here (${ENV}): NOT VERIFIED" in blobs["detail"]
    assert any("not verified" in each for each in without.json["warnings"])
    assert call("compile", root / "experiment").code == 0
    assert call("analyze", run).code == 0


def test_a_sealed_blob_that_was_altered_is_found_where_the_store_is(root: Path, call: Call) -> None:
    task = Case(run_at(root / "experiment/runs/one")).plan.run.tasks[0]
    blob = root / "store/blobs" / task.held_out.removeprefix("sha256:")
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes() + b"x")
    said = call("audit", root / "experiment/runs/one", "--json")
    assert said.code == 4
    assert "blob-altered" in said.out


@pytest.mark.parametrize("verb", ["harvest", "execute", "validate"])
@pytest.mark.parametrize(
    ("lost", "code"), [("variable", "store-missing"), ("folder", "store-missing"), ("key", "store-key")]
)
def test_without_its_store_a_private_set_stops_before_anything_is_written(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch, verb: str, lost: str, code: str
) -> None:
    if lost == "variable":
        monkeypatch.delenv(ENV)
    elif lost == "folder":
        monkeypatch.setenv(ENV, str(root / "elsewhere"))
    else:
        (root / "store/key").write_text("short")
    before = {each: each.read_bytes() for each in files(root / "experiment")}
    said = call(verb, root / "experiment", *(("--run", "two") if verb == "execute" else ()), "--json")
    assert (said.code, said.codes) == (3, [code])
    assert {each: each.read_bytes() for each in files(root / "experiment")} == before
    assert str(root) not in said.out.replace(str(root / "experiment"), "")


def test_a_faulty_export_is_told_without_its_content(root: Path, call: Call) -> None:
    issues = json.loads((root / "store/issues.json").read_text())
    issues[0]["zanzibar"] = issues[0].pop("body")
    (root / "store/issues.json").write_text(json.dumps(issues, indent=1))
    said = call("harvest", root / "experiment")
    assert said.code == 1
    assert "issues.json, line 2" in said.err
    assert tells(secrets_of(root / "store"), (said.out + said.err).encode()) == []


@pytest.mark.parametrize(
    ("change", "code", "exit_code"),
    [
        (lambda said: said.pop("tests"), "options", 3),
        (lambda said: said.update(withhold="files"), "P201", 1),
        (lambda said: said.update(at="main"), "P205", 1),
        (lambda said: said.update(repository="elsewhere"), "no-repository", 3),
        (lambda said: said.update(at="cd" * 20), "commit", 3),
    ],
    ids=["no tests", "unknown key", "no commit id", "no repository", "no such commit"],
)
def test_a_faulty_store_is_told_without_its_content(
    root: Path, call: Call, change: Callable[[dict[str, object]], object], code: str, exit_code: int
) -> None:
    said = json.loads((root / "store/store.json").read_text())
    change(said)
    (root / "store/store.json").write_text(json.dumps(said))
    told = call("harvest", root / "experiment", "--json")
    assert (told.code, told.codes) == (exit_code, [code])
    assert "cdcd" not in told.out
    assert tells(secrets_of(root / "store"), told.out.encode()) == []


def test_a_command_that_cannot_run_is_told_without_its_words(root: Path, call: Call) -> None:
    said = json.loads((root / "store/store.json").read_text())
    said["tests"]["run"] = ["zanzibar-test"]
    (root / "store/store.json").write_text(json.dumps(said))
    told = call("harvest", root / "experiment", "--json")
    assert (told.code, told.codes) == (3, ["tests-run"])
    assert tells(secrets_of(root / "store"), told.out.encode()) == []
    kept = root / "store/blobs" / told.json["reasons"][0]["what"].rsplit("/", 1)[1]
    assert b"zanzibar-test" in kept.read_bytes()


def test_an_export_is_called_by_its_key_where_its_name_may_tell(root: Path, call: Call) -> None:
    said = json.loads((root / "store/store.json").read_text())
    (root / "store/store.json").write_text(json.dumps({**said, "issues": "zanzibar.json"}))
    told = call("harvest", root / "experiment", "--json")
    assert (told.code, told.codes) == (1, ["P101"])
    assert "names as `issues`" in told.out
    assert tells(secrets_of(root / "store"), told.out.encode()) == []


def test_an_issue_whose_address_stands_twice_is_refused(root: Path, call: Call) -> None:
    issues = json.loads((root / "store/issues.json").read_text())
    issues[1]["url"] = issues[0]["url"]
    (root / "store/issues.json").write_text(json.dumps(issues))
    told = call("harvest", root / "experiment", "--json")
    assert (told.code, told.codes) == (1, ["P120"])


def test_a_damaged_list_of_burned_instances_is_told_without_its_content(root: Path, call: Call) -> None:
    (root / "store/burned.jsonl").write_text("zanzibar\n")
    told = call("harvest", root / "experiment", "--json")
    assert (told.code, told.codes) == (4, ["shape"])
    assert tells(secrets_of(root / "store"), told.out.encode()) == []


@pytest.mark.parametrize("verb", ["harvest", "execute", "validate"])
def test_a_store_inside_the_experiment_is_refused(
    root: Path, call: Call, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    inside = (root / "store").rename(root / "experiment/store")
    monkeypatch.setenv(ENV, str(inside))
    told = call(verb, root / "experiment", *(("--run", "two") if verb == "execute" else ()), "--json")
    assert (told.code, told.codes) == (3, ["store-inside"])


def test_a_sandbox_without_a_wall_around_the_store_is_warned_of(root: Path, call: Call) -> None:
    warned = "`hidden` is private, and in the sandbox `local` an agent can read its store"
    spec = root / "experiment/spec.yaml"
    assert warned in call("check", spec).err
    spec.write_text(spec.read_text().replace("sandbox: {kind: local}", "sandbox: {kind: bubblewrap}"))
    assert warned not in call("check", spec).err


def test_what_spec_and_store_both_say_is_refused(root: Path, call: Call) -> None:
    spec = root / "experiment/spec.yaml"
    spec.write_text(spec.read_text().replace("withhold: files}", 'withhold: files, test_files: ["tests/*.py"]}'))
    told = call("harvest", root / "experiment", "--json")
    assert (told.code, told.codes) == (3, ["options"])


def test_a_missing_commit_is_told_without_its_name(root: Path, call: Call) -> None:
    pulls = json.loads((root / "store/pulls.json").read_text())
    pulls[0]["mergeCommit"]["oid"] = "ab" * 20
    (root / "store/pulls.json").write_text(json.dumps(pulls, indent=1))
    said = call("harvest", root / "experiment", "--json")
    assert (said.code, said.codes) == (3, ["missing-commit"])
    assert said.json["reasons"][0]["where"] == "pulls.json:6:11"
    assert "abab" not in said.out
    assert tells(secrets_of(root / "store"), said.out.encode()) == []


def test_the_same_store_gives_the_same_pool_and_another_key_another(root: Path, call: Call) -> None:
    pool = root / "experiment/pool/candidates.jsonl"
    before = pool.read_bytes()
    assert call("harvest", root / "experiment").code == 0
    assert pool.read_bytes() == before
    (root / "store/key").write_text("7a" * 32)
    assert call("harvest", root / "experiment").code == 0
    after = pool.read_bytes()
    ids = [{json.loads(line).get("id") for line in each.splitlines()[1:]} for each in (before, after)]
    assert ids[0].isdisjoint(ids[1])


def test_a_burned_task_is_replaced_and_its_registration_refused(root: Path, call: Call) -> None:
    experiment = root / "experiment"
    drawn = [each["id"] for each in call("tasks", experiment, "--json").json["tasks"] if each["drawn"]]
    first, *_ = [each.id for each in Case(run_at(experiment / "runs/one")).plan.run.tasks]
    said = call("tasks", "burn", first, "--reason", "a slide showed it", experiment, "--json")
    assert said.code == 0
    assert said.json["private"] is True
    assert json.loads((root / "store/burned.jsonl").read_text())["task"] == first
    again = call("tasks", "burn", first, "--reason", "again", experiment, "--json")
    assert (again.code, again.codes) == (1, ["P950"])
    refused = call("execute", experiment, "--run", "two", "--json")
    assert (refused.code, refused.codes) == (1, ["P950"])
    assert not (experiment / "runs/two").exists()
    assert call("compile", experiment, "--json").codes == ["P934"]
    assert call("amend", experiment, "--reason", "a task leaked").code == 0
    now = [each["id"] for each in call("tasks", experiment, "--json").json["tasks"] if each["drawn"]]
    assert first not in now
    assert len(now) == len(drawn)
    assert call("execute", experiment, "--run", "two").code == 0
    assert call("analyze", experiment / "runs/two").code == 0
    assert "passed over, burned: a slide showed it" in (experiment / "runs/two/report.md").read_text()
    assert call("audit", experiment / "runs/two").code == 0
    assert call("audit", experiment / "runs/one").code == 0


def test_another_experiment_on_the_same_store_never_finds_a_burned_task_again(root: Path, call: Call) -> None:
    first = Case(run_at(root / "experiment/runs/one")).plan.run.tasks[0].id
    assert call("tasks", "burn", first, "--reason", "quoted", root / "experiment").code == 0
    other = lay_experiment(root / "other")
    assert call("harvest", other).code == 0
    reasons = {each["id"]: each["reasons"] for each in call("tasks", other, "--all", "--json").json["tasks"]}
    assert reasons[first][0] == "burned: it leaked and is not used again"
    (root / "experiment/burned.yaml").unlink()
    refused = call("execute", root / "experiment", "--run", "two", "--json")
    assert (refused.code, refused.codes) == (1, ["P950"])
