"""A whole harvest: everything found has a reason or a task, the same whoever harvests and however many at a time."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.plan import Chosen, HarvestPlan, HarvestSet
from compiler.pool import Pool
from compiler.pool_file import read, write
from compiler.task import Candidate, TestPlan
from executor.harvest import HarvestReport, Step, harvest
from executor.sandboxes.local import LocalSandbox
from executor.sources.git_history import GitHistory
from executor.trees import leaves
from ledger.blobs import Blobs
from ledger.canonical import parse
from ledger.codec import from_plain
from ledger.errors import WorldFault
from prereg.rules import keep_predicate
from tests.executor.sources.histories import OLD_TEST, RIGHT, TEST, WRONG, History

GOLD = json.loads((Path(__file__).parents[1] / "gold/neuralmind_candidates.json").read_text())
WHERE = (
    'subject startswith "fix"',
    'committed >= date("2026-07-01")',
    'count(changed("pkg/**/*.py")) in 1..3',
    'count(changed("tests/test_*.py")) >= 1',
    "count(fail_to_pass) >= 1",
)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    history = History(tmp_path_factory.mktemp("harvest") / "toolbox")
    history.commit("start", {"pkg/__init__.py": "", "pkg/code.py": WRONG, "tests/test_code.py": OLD_TEST})
    history.commit("fix: double", {"pkg/code.py": RIGHT, "tests/test_code.py": TEST})
    history.commit("docs: say more", {"README.md": "more\n"})
    history.commit("fix: nothing that a test sees", {"pkg/code.py": RIGHT + "\n", "tests/test_code.py": TEST + "\n"})
    history.commit("fix: without a test", {"pkg/code.py": RIGHT + "\n\nMORE = 1\n"})
    history.commit("feat: half", {"pkg/half.py": "def half(n):\n    return n // 2\n", "tests/test_half.py": ""})
    return history


def plan(history: History, *where: str) -> HarvestPlan:
    options = {
        "repository": str(history.folder),
        "at": history.git("rev-parse", "HEAD"),
        "tests": {
            "run": ["python", "-m", "pytest"],
            "report": "pytest-plugin",
            "env": {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        },
        "test_files": ["tests/test_*.py"],
    }
    source = Chosen(kind="git-history", options=options)
    return HarvestPlan(
        sets=(HarvestSet(name="fixes", source=source, where=where or WHERE, harvests=2, environment=None),)
    )


def carry_out(
    asked: HarvestPlan, folder: Path, *, workers: int = 1, steps: list[Step] | None = None
) -> tuple[Pool, HarvestReport]:
    return harvest(
        asked,
        base=folder,
        sources={"git-history": GitHistory()},
        graders={},
        sandbox=LocalSandbox(),
        blobs=Blobs(folder / "blobs"),
        keep=keep_predicate(asked),
        scratch=folder / "scratch",
        cache=folder / "cache",
        report=(steps if steps is not None else []).append,
        workers=workers,
    )


@pytest.fixture(scope="module")
def harvested(history: History, tmp_path_factory: pytest.TempPathFactory) -> tuple[Pool, HarvestReport, Path]:
    folder = tmp_path_factory.mktemp("one")
    return (*carry_out(plan(history), folder), folder)


def by_subject(pool: Pool) -> dict[str, Candidate]:
    return {str(each.facts["subject"]): each for each in pool.candidates}


def test_every_commit_is_in_the_pool_with_its_reasons(harvested: tuple[Pool, HarvestReport, Path]) -> None:
    found = {
        subject: [(reason.code, reason.what) for reason in each.reasons]
        for subject, each in by_subject(harvested[0]).items()
    }
    assert found == {
        "start": [("no-parent", "it is the first commit: there is nothing to start from")],
        "fix: double": [],
        "docs: say more": [("condition", text) for text in (WHERE[0], WHERE[2], WHERE[3])],
        "fix: nothing that a test sees": [("no-f2p", "no test fails at the start and passes with the fix")],
        "fix: without a test": [("condition", WHERE[3])],
        "feat: half": [("condition", WHERE[0])],
    }


def test_a_kept_task_has_its_oracle_and_its_material_apart(harvested: tuple[Pool, HarvestReport, Path]) -> None:
    pool, _, folder = harvested
    task = by_subject(pool)["fix: double"]
    blobs = Blobs(folder / "blobs")
    assert task.status == "kept"
    assert task.facts["fail_to_pass"] == ["tests/test_code.py::test_double"]
    assert task.gold_files == ("pkg/code.py",)
    assert task.material is not None
    assert task.material.tests is not None
    given = {leaf.path: leaf.data.decode() for leaf in leaves(blobs.get(task.material.given))}
    assert given["pkg/code.py"] == WRONG
    assert given["tests/test_code.py"] == OLD_TEST
    tests = from_plain(TestPlan, parse(blobs.get(task.material.tests), where="tests"), where="tests")
    assert tests.fail_to_pass == ("tests/test_code.py::test_double",)
    assert tests.pass_to_pass == ("tests/test_code.py::test_one",)


def test_a_pool_is_written_and_read_whole(harvested: tuple[Pool, HarvestReport, Path]) -> None:
    pool = harvested[0]
    assert write(read(write(pool), where="pool")) == write(pool)
    assert [each.id for each in pool.candidates] == sorted(each.id for each in pool.candidates)


def test_the_report_counts_and_times_what_the_pool_does_not(
    harvested: tuple[Pool, HarvestReport, Path], history: History
) -> None:
    pool, report, _ = harvested
    told = report.sets["fixes"]
    assert (told.found, told.proved, told.kept) == (6, 2, 1)
    assert told.dropped == {"condition": 3, "no-f2p": 1, "no-parent": 1}
    assert told.test_seconds > 0
    assert told.versions["pytest"]
    assert told.origin == f"toolbox@{history.git('rev-parse', 'HEAD')}" == pool.head.origin["fixes"]
    assert b"seconds" not in write(pool)


def test_two_workers_elsewhere_give_the_same_pool(
    harvested: tuple[Pool, HarvestReport, Path], history: History, tmp_path: Path
) -> None:
    steps: list[Step] = []
    pool, _ = carry_out(plan(history), tmp_path, workers=2, steps=steps)
    assert write(pool) == write(harvested[0])
    assert [(step.done, step.total, step.status) for step in steps] == [(1, 2, "kept"), (2, 2, "dropped")]
    assert not any((tmp_path / "scratch").iterdir())


def test_a_fact_that_stays_unknown_drops_the_candidate_by_name(history: History, tmp_path: Path) -> None:
    asked = plan(history, 'subject == "fix: double"', 'category == "io"')
    pool, _ = carry_out(asked, tmp_path)
    reasons = by_subject(pool)["fix: double"].reasons
    assert [(reason.code, reason.what) for reason in reasons] == [("unknown-fact", 'category == "io"')]


def test_a_source_that_is_not_there_is_said(history: History, tmp_path: Path) -> None:
    asked = plan(history)
    strange = replace(asked, sets=(replace(asked.sets[0], source=Chosen(kind="tarot")),))
    with pytest.raises(WorldFault) as caught:
        carry_out(strange, tmp_path)
    assert caught.value.reasons[0].code == "no-source"


# --- the selection rule of system N over the counts of a real history ---


def _facts(hash_: str, date: str, source: int, tests: int, subject: str = "fix: it") -> dict[str, object]:
    files = [f"neuralmind/inner/m{n}.py" for n in range(source)] + [f"tests/test_{n}.py" for n in range(tests)]
    changed = [{"path": path, "status": "M"} for path in [*files, "CHANGELOG.md"]]
    return {"hash": hash_, "subject": subject, "committed": date, "changed": changed}


def test_the_rule_counts_as_the_reference_does() -> None:
    where = tuple(text.replace("pkg/", "neuralmind/") for text in WHERE)
    asked = HarvestPlan(
        sets=(HarvestSet(name="fixes", source=Chosen(kind="git-history"), where=where, harvests=2, environment=None),)
    )
    keep = keep_predicate(asked)
    rejected = GOLD["sensitivity"]["rejected"]
    found = [_facts(each["hash"], each["date"], each["n_src_py"], each["n_test_py"]) for each in GOLD["candidates"]]
    found += [_facts("a", "2026-07-05T00:00:00Z", 0, 1)] * rejected["no_src"]
    found += [_facts("b", "2026-07-05T00:00:00Z", 4, 1)] * rejected["src_gt3"]
    found += [_facts("c", "2026-07-05T00:00:00Z", 2, 0)] * rejected["src_ok_no_test"]
    assert len(found) == GOLD["sensitivity"]["fix_subject_nonmerge_since"]
    found += [_facts("d", "2026-06-30T23:59:59Z", 1, 1), _facts("e", "2026-07-01T01:00:00+02:00", 1, 1)]
    found += [_facts("f", "2026-07-05T00:00:00Z", 1, 1, subject="Fix: it")]
    judged = [keep("fixes", facts) for facts in found]  # type: ignore[arg-type]
    assert sum(each.holds is None for each in judged) == GOLD["n_candidates"] == 22
    first = Counter(each.reasons[0].what for each in judged if each.holds is False)
    assert first == {
        where[0]: 1,
        where[1]: 2,
        where[2]: rejected["no_src"] + rejected["src_gt3"],
        where[3]: rejected["src_ok_no_test"],
    }
    proved = [
        keep("fixes", {**facts, "fail_to_pass": ["t"] * each["harvested"]["n_FAIL_TO_PASS"]})  # type: ignore[arg-type]
        for facts, each in zip(found, GOLD["candidates"], strict=False)
    ]
    assert sum(each.holds is True for each in proved) == 9
