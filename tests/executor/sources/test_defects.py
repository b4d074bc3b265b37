"""Injected defects: part of the one start and seen nowhere else, broken where declared, repaired by the way back, or dropped."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from compiler.plan import Chosen, HarvestPlan, HarvestSet
from compiler.pool import Pool
from compiler.task import Candidate
from executor.harvest import harvest
from executor.keeping import Judged
from executor.ports import Built, Found
from executor.sandboxes.local import LocalSandbox
from executor.sources.defects import Defects
from executor.trees import leaves
from executor.workspace import open_workspace, template
from ledger.blobs import Blobs
from ledger.errors import WorldFault
from ledger.plain import Plain
from prereg.task_files import read_defects
from tests.executor.sources.histories import History

CODE = (
    "def total(numbers):\n    return sum(numbers)\n\n\ndef mean(numbers):\n    return total(numbers) / len(numbers)\n"
)
LABEL = 'from pkg.code import total\n\n\ndef label(numbers):\n    return f"{total(numbers)} altogether"\n'
TEST = """import random
import unittest

from pkg.code import mean, total
from pkg.label import label


class Sums(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)

    def test_mean(self):
        self.assertEqual(mean([1, 3]), 2)

    def test_label(self):
        self.assertEqual(label([4]), "4 altogether")
"""
WRONG_SUM = (("pkg/code.py", "return sum(numbers)", "return sum(numbers[1:])"),)
SUMS = "tests.test_code.Sums"
ALL = (f"{SUMS}.test_label", f"{SUMS}.test_mean", f"{SUMS}.test_total")
Edits = tuple[tuple[str, str, str], ...]


class Site:
    """A repository ``toolbox``, a folder of tasks, and the options of a source over both."""

    def __init__(self, root: Path, **more: str) -> None:
        self.root = root
        self.history = History(root / "toolbox")
        files = {"pkg/__init__.py": "", "pkg/code.py": CODE, "pkg/label.py": LABEL, "tests/__init__.py": ""}
        self.at = self.history.commit("start", {**files, "tests/test_code.py": TEST, **more})
        (root / "toolbox.md").write_text("Sums are exact.\n")

    def task(self, name: str, edits: Edits = WRONG_SUM, fails: tuple[str, ...] = ALL, **said: object) -> None:
        folder = self.root / "tasks" / name
        folder.mkdir(parents=True)
        for path, old, new in edits:
            target = self.history.folder / path
            assert old in target.read_text()
            target.write_text(target.read_text().replace(old, new))
        (folder / "defect.patch").write_text(self.history.git("diff") + "\n" if edits else "")
        self.history.git("checkout", "-q", ".")
        content = {
            "id": name,
            "title": "Sums are off",
            "repository": "toolbox",
            "category": "single-file",
            "fails": list(fails),
            **({} if "steps" in said else {"prompt": "Sums come out too small."}),
            **said,
        }
        (folder / "task.json").write_text(json.dumps(content))

    @property
    def options(self) -> dict[str, Plain]:
        repository: dict[str, Plain] = {
            "path": "toolbox",
            "at": self.at,
            "tests": {"run": ["python", "-m", "unittest"], "report": "unittest"},
            "test_files": ["tests/test_*.py"],
            "fixture": "toolbox.md",
        }
        return {"path": "tasks", "repositories": {"toolbox": repository}}

    def find(self) -> dict[str, Found]:
        return {each.id: each for each in Defects(read_defects).find(self.options, self.root)}

    def build(self, name: str) -> Built:
        built = Defects(read_defects).build(self.options, self.root, self.find()[name])
        assert isinstance(built, Built), built
        return built

    def harvest(self) -> Mapping[str, Candidate]:
        where = HarvestSet(
            name="defects",
            source=Chosen(kind="defects", options=self.options),
            where=(),
            harvests=2,
            environment=None,
        )
        pool: Pool
        pool, _ = harvest(
            HarvestPlan(sets=(where,)),
            base=self.root,
            sources={"defects": Defects(read_defects)},
            graders={},
            sandbox=LocalSandbox(),
            blobs=Blobs(self.root / "blobs"),
            keep=lambda name, facts: Judged(holds=True),
            scratch=self.root / "scratch",
            cache=self.root / "cache",
            report=lambda step: None,
            workers=2,
        )
        return {each.id: each for each in pool.candidates}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_the_defect_is_part_of_the_start_and_the_way_back_is_the_reference(site: Site) -> None:
    site.task("sums")
    built = site.build("sums")
    given = {leaf.path: leaf.data.decode() for leaf in leaves(built.given)}
    assert "sum(numbers[1:])" in given["pkg/code.py"]
    assert b"-    return sum(numbers[1:])\n+    return sum(numbers)\n" in built.reference
    assert [leaf.path for leaf in leaves(built.held_out)] == ["tests/__init__.py", "tests/test_code.py"]
    assert built.tests.files == ("tests/test_code.py",)
    assert built.declared == ALL
    assert built.gold_symbols == ("numbers",)


def test_an_agent_sees_no_trace_of_the_injection(site: Site, tmp_path: Path) -> None:
    site.task("sums")
    start = template(site.build("sums").given, tmp_path / "cache")
    with open_workspace(start, tmp_path / "scratch") as workspace:

        def git(*arguments: str) -> str:
            call = ["git", "-C", str(workspace.root), *arguments]
            return subprocess.run(call, capture_output=True, check=True, text=True).stdout

        assert git("diff", "HEAD") == ""
        assert git("diff", "--cached") == ""
        assert git("status", "--porcelain", "--ignored") == ""
        assert git("stash", "list") == ""
        assert git("log", "--all", "--format=%s").splitlines() == ["Start"]
        assert git("reflog", "--all").strip() == ""
        everything = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").splitlines()
        blobs = [line.split()[0] for line in everything if line.endswith(" blob")]
        assert "return sum(numbers)\n" not in "".join(git("cat-file", "blob", each) for each in blobs)


def test_what_is_kept_is_broken_where_declared_and_repaired(site: Site) -> None:
    site.task("sums")
    kept = site.harvest()["sums"]
    assert kept.status == "kept", kept.reasons
    assert kept.category == "single-file"
    assert kept.facts["broken"] == kept.facts["declared"] == kept.facts["fail_to_pass"] == list(ALL)
    assert kept.facts["repaired"] is True
    assert kept.facts["flaky"] is False
    assert kept.facts["prompt"] == "Sums come out too small."
    assert kept.facts["fixture"] == {"file": "toolbox.md", "text": "Sums are exact.\n"}
    assert kept.gold_files == ("pkg/code.py",)
    assert "return sum(numbers)" in kept.gold_lines
    assert "return sum(numbers[1:])" in kept.gold_lines


def test_every_other_defect_is_dropped_with_its_reason(site: Site) -> None:
    label = (("pkg/label.py", "altogether", "in all"),)
    both = (*WRONG_SUM, *label)
    site.task("breaks-more", fails=ALL[:2])
    site.task("breaks-less", label, fails=ALL)
    site.task("breaks-nothing", (("pkg/code.py", "sum(numbers)", "sum( numbers)"),), fails=ALL)
    site.task("is-none", ())
    site.task("two-files", both)
    site.task("one-file", category="multi-file")
    site.task("one-turn", category="multi-turn")
    site.task("tests", (("tests/test_code.py", "[1, 2]), 3", "[1, 2]), 4"),), fails=ALL[2:])
    site.task("elsewhere", repository="toolbix")
    site.task("no-commit", commit="0" * 40)
    site.task("stale")
    stale = site.root / "tasks" / "stale" / "defect.patch"
    stale.write_text(stale.read_text().replace("return sum(", "return add("))
    pool = site.harvest()
    assert {name: [each.code for each in pool[name].reasons] for name in pool} == {
        "breaks-more": ["broken-elsewhere"],
        "breaks-less": ["broken-elsewhere"],
        "breaks-nothing": ["no-f2p", "broken-elsewhere"],
        "is-none": ["no-defect"],
        "two-files": ["category"],
        "one-file": ["category"],
        "one-turn": ["category"],
        "tests": ["touches-tests"],
        "elsewhere": ["no-repository"],
        "no-commit": ["commit"],
        "stale": ["defect-does-not-apply"],
    }
    assert pool["breaks-more"].reasons[0].detail == ALL[2]
    assert pool["breaks-less"].reasons[0].detail == ", ".join(ALL[1:])


def test_a_baseline_that_is_red_and_one_that_flickers_are_dropped(tmp_path: Path) -> None:
    red = Site(tmp_path / "red", **{"tests/test_more.py": TEST.replace("[1, 2]), 3", "[1, 2]), 5")})
    red.task("sums", fails=(*ALL, *(each.replace("test_code", "test_more") for each in ALL)))
    assert [each.code for each in red.harvest()["sums"].reasons] == ["not-repaired"]
    # What a clock says counts nothing: a test that fails by chance gives another oracle the second time.
    flicker = Site(
        tmp_path / "flicker",
        **{
            "tests/test_more.py": "import pathlib, unittest\n\nMARK = pathlib.Path('"
            + str(tmp_path / "mark")
            + "')\n\n\nclass T(unittest.TestCase):\n    def test_first_time_only(self):\n"
            "        MARK.write_text(MARK.read_text() + 'x' if MARK.exists() else 'x')\n"
            "        self.assertLess(len(MARK.read_text()), 3)\n"
        },
    )
    flicker.task("sums")
    assert "flaky" in [each.code for each in flicker.harvest()["sums"].reasons]


def test_a_temporary_folder_behind_a_link_changes_nothing(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.task("sums")
    before = site.harvest()["sums"]
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))
    elsewhere = Site(tmp_path / "link" / "site")
    elsewhere.task("sums")
    assert elsewhere.at == site.at
    after = elsewhere.harvest()["sums"]
    assert after.status == "kept", after.reasons
    assert after == before


def test_several_turns(site: Site) -> None:
    site.task("sums", category="multi-turn", steps=[{"say": "What is wrong?"}, {"say": "Please mend it."}])
    facts = site.find()["sums"].facts
    assert facts["turns"] == 2
    assert facts["prompt"] == "What is wrong?"
    assert facts["steps"] == [{"say": "Please mend it."}]


def test_a_tasks_own_fixture_goes_before_its_repositorys(site: Site) -> None:
    site.task("sums")
    (site.root / "tasks" / "sums" / "fixture.md").write_text("Sums are whole.\n")
    assert site.find()["sums"].facts["fixture"] == {"file": "tasks/sums/fixture.md", "text": "Sums are whole.\n"}


def test_a_task_may_pin_a_commit_of_its_own(site: Site) -> None:
    site.task("sums", commit=site.at)
    site.at = site.history.commit("another way", {"pkg/code.py": CODE.replace("sum(numbers)", "sum(list(numbers))")})
    assert b"+    return sum(numbers)\n" in site.build("sums").reference


def test_the_origin_says_what_was_read_and_names_no_path(site: Site) -> None:
    site.task("sums")
    said = Defects(read_defects).origin(site.options, site.root)
    assert said.startswith("tasks@sha256:")
    assert said.endswith(f", toolbox@{site.at}")
    assert str(site.root) not in said


def test_the_world_is_asked_for_what_is_not_there(site: Site) -> None:
    with pytest.raises(WorldFault) as caught:
        site.find()
    assert caught.value.reasons[0].code == "no-folder"
    (site.root / "tasks").mkdir()
    with pytest.raises(WorldFault) as caught:
        site.find()
    assert caught.value.reasons[0].code == "no-folder"
    site.task("sums")
    (site.root / "toolbox.md").unlink()
    with pytest.raises(WorldFault) as caught:
        site.find()
    assert caught.value.reasons[0].code == "no-fixture"
    (site.history.folder / "pkg" / "code.py").write_text("broken(\n")
    with pytest.raises(WorldFault) as caught:
        site.find()
    assert caught.value.reasons[0].code == "dirty"
    with pytest.raises(WorldFault) as caught:
        list(Defects().find({**site.options, "repositories": {}}, site.root))
    assert caught.value.reasons[0].code == "no-reader"
