"""Task files of injected defects: well-formed or refused at their lines, all of them together."""

from pathlib import Path

import pytest

from prereg.kit import sources_for
from prereg.task_files import read_defects, read_tasks
from spec_lang.diagnostics import SpecErrors, render

GOOD = """\
id: sums
title: Sums are off
repository: toolbox
commit: "0123456789abcdef0123456789abcdef01234567"
category: multi-turn
steps:
  - say: What is wrong?
  - say: Please mend it.
fails: [tests.test_sums.Sums.test_total]
requires: [node]
"""


def task(root: Path, text: str, name: str = "sums") -> Path:
    (root / name).mkdir(parents=True)
    (root / name / "task.yaml").write_text(text)
    return root / name / "task.yaml"


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    read = read_defects([task(tmp_path, GOOD)])[0]
    assert read["steps"] == [{"say": "What is wrong?"}, {"say": "Please mend it."}]
    assert read["fails"] == ["tests.test_sums.Sums.test_total"]


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("category: multi-turn", "category: multi-files", "P204", ":5:11"),
        ("repository: toolbox\n", "", "P202", ""),
        ("title: Sums are off", "title: Sums are off\nprompt: Mend it.", "P208", ""),
        ("id: sums", "id: sum", "P216", ":1:5"),
        ('"0123456789abcdef0123456789abcdef01234567"', '"0123456"', "P205", ":4:9"),
        ("fails: [tests.test_sums.Sums.test_total]", "fails: []", "P207", ":9:8"),
        ("  - say: Please mend it.", "  - {cancel: {after: read}}", "P201", ":8:6"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(tmp_path: Path, old: str, new: str, code: str, place: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(SpecErrors) as caught:
        read_defects([task(tmp_path, GOOD.replace(old, new))])
    first = next(each for each in caught.value.diagnostics if each.code == code)
    assert place in str(first.span)
    assert "^" in render(first) or "~" in render(first)


def test_all_files_are_told_of_together(tmp_path: Path) -> None:
    files = [task(tmp_path, GOOD.replace("id: sums", f"id: {name}x"), name) for name in ("one", "two")]
    with pytest.raises(SpecErrors) as caught:
        read_defects(files)
    assert [each.code for each in caught.value.diagnostics] == ["P216", "P216"]


def test_each_source_gets_the_reader_of_its_own_files(tmp_path: Path) -> None:
    from compiler.plan import Chosen, HarvestPlan, HarvestSet

    sets = tuple(
        HarvestSet(name=kind, source=Chosen(kind=kind), where=(), harvests=1, environment=None)
        for kind in ("defects", "folder", "git-history")
    )
    sources = sources_for(HarvestPlan(sets=sets))
    assert getattr(sources["defects"], "read", None) is read_defects
    assert getattr(sources["folder"], "read", None) is read_tasks
