"""Published numbers: rounding is to the digits printed, and a block is whole lines of the report."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import IntegrityFault, UndecidedFault, WorldFault
from prereg.closeness import apart
from prereg.published import compare_published, inject

VERDICT = {"status": "supported", "n": 12, "ok": True, "cost": {"estimate": -0.17449, "p": None}, "list": [1.25, 2]}


def compare(tmp_path: Path, claims: str, name: str = "claims.json") -> str:
    (tmp_path / "verdict.json").write_text(json.dumps(VERDICT))
    (tmp_path / "report.md").write_text("# Title\n\nfirst\nsecond\nthird\n")
    (tmp_path / name).write_text(claims)
    return compare_published(tmp_path / name, tmp_path / "verdict.json", tmp_path / "report.md")


@pytest.mark.parametrize(
    "claims",
    [
        '{"status": "supported"}',
        '{"cost": {"estimate": -0.17}}',
        '{"cost": {"estimate": -0.1745, "p": null}}',
        '{"n": 12, "ok": true, "list": [1.2, 2]}',
        '{"list": [1.25, 2.0]}',
    ],
)
def test_what_the_verdict_says_may_be_published(tmp_path: Path, claims: str) -> None:
    assert "published" in compare(tmp_path, claims)


@pytest.mark.parametrize(
    "claims",
    [
        '{"status": "not_supported"}',
        '{"cost": {"estimate": -0.18}}',
        '{"cost": {"estimate": -0.1744}}',
        '{"cost": {"p": 0.0}}',
        '{"n": 13}',
        '{"n": "12"}',
        '{"n": true}',
        '{"ok": 1}',
        '{"list": [1.25]}',
        '{"unheard": 1}',
        '{"cost": -0.17}',
        '{"cost": {"estimate": NaN}}',
    ],
)
def test_anything_else_is_refused(tmp_path: Path, claims: str) -> None:
    with pytest.raises(IntegrityFault):
        compare(tmp_path, claims)


@pytest.mark.parametrize("claims", ["{}", "not json", '{"n": 99, "n": 12}', "[" * 100_000])
def test_nothing_claimed_is_nothing_verified(tmp_path: Path, claims: str) -> None:
    with pytest.raises(UndecidedFault):
        compare(tmp_path, claims)


BLOCK = "<!-- prereg:begin runs/one -->\n{}\n<!-- prereg:end -->"


@pytest.mark.parametrize("inner", ["first\nsecond", "# Title\n\nfirst", "third"])
def test_a_block_is_a_part_of_the_report(tmp_path: Path, inner: str) -> None:
    assert "1 block" in compare(tmp_path, f"intro\n{BLOCK.format(inner)}\nmore", "README.md")


@pytest.mark.parametrize("inner", ["first\nthird", "fir", "first\nsecond\nextra", "\n"])
def test_a_changed_block_is_refused(tmp_path: Path, inner: str) -> None:
    with pytest.raises(IntegrityFault):
        compare(tmp_path, BLOCK.format(inner), "README.md")


def test_a_block_without_its_end_is_undecided(tmp_path: Path) -> None:
    with pytest.raises(UndecidedFault):
        compare(tmp_path, "<!-- prereg:begin x -->\nfirst", "README.md")


REPORT = "# Title\n\nfirst\n\n## What this does not show\n\nAll.\n\n## More\n\nmore\n"
SUMMARY = REPORT.partition("\n## More")[0]


def page(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "README.md"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_page_keeps_its_lines_and_their_endings_and_twice_is_once(tmp_path: Path, ending: str) -> None:
    text = f"# Ours\n\n  {BLOCK.format('old').replace(chr(10), chr(10) + '  ')}\nmore".replace("\n", ending)
    path = page(tmp_path, text)
    assert inject(path, REPORT, run="one") == 1
    once = path.read_bytes().decode()
    assert once.startswith(f"# Ours{ending}{ending}  <!-- prereg:begin runs/one -->{ending}# Title{ending}")
    assert once.endswith(f"{ending}  <!-- prereg:end -->{ending}more")
    assert once.count("\n") == once.count(ending)
    assert inject(path, REPORT, run="one") == 1
    assert path.read_bytes().decode() == once
    (tmp_path / "verdict.json").write_text("{}")
    (tmp_path / "report.md").write_text(REPORT)
    assert "word for word" in compare_published(path, tmp_path / "verdict.json", tmp_path / "report.md", run="one")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<!-- prereg:begin -->\nold\n", "has no prereg:end"),
        (
            "<!-- prereg:begin -->\n<!-- prereg:begin -->\nold\n<!-- prereg:end -->\n",
            "of line 2 stands inside another block",
        ),
        ("old\n<!-- prereg:end -->\n", "of line 2 stands behind no prereg:begin"),
        ("Put `<!-- prereg:begin -->` and `<!-- prereg:end -->` there.\n", "each marker on a line of its own"),
        ("<!-- prereg:begin runs/two -->\n<!-- prereg:end -->\n", "its blocks are of other runs: runs/two"),
    ],
)
def test_markers_that_do_not_fit_together_leave_the_page_as_it_was(tmp_path: Path, text: str, why: str) -> None:
    path = page(tmp_path, text)
    with pytest.raises(UndecidedFault, match=why):
        inject(path, REPORT, run="one")
    assert path.read_bytes().decode() == text


def test_a_page_may_hold_several_runs(tmp_path: Path) -> None:
    other = "<!-- prereg:begin runs/two -->\nof two\n<!-- prereg:end -->"
    path = page(tmp_path, f"{BLOCK.format('')}\n{other}\n<!-- prereg:begin -->\n<!-- prereg:end -->\n")
    assert inject(path, REPORT, run="one") == 2
    assert other in path.read_text()
    (tmp_path / "verdict.json").write_text("{}")
    (tmp_path / "report.md").write_text(REPORT)
    said = compare_published(path, tmp_path / "verdict.json", tmp_path / "report.md", run="one")
    assert said.endswith("2 block(s) are parts of report.md, word for word; not compared: 1 of other runs (runs/two)")


def test_a_page_keeps_its_mode_and_its_link_and_its_protection(tmp_path: Path) -> None:
    path = page(tmp_path, BLOCK.format("old"))
    path.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(path.name)
    inject(link, REPORT, run="one")
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert SUMMARY in path.read_text()
    path.chmod(0o440)
    before = path.read_bytes()
    with pytest.raises(WorldFault, match="write-protected"):
        inject(path, REPORT, run="one")
    assert path.read_bytes() == before


NUMBERS = st.floats(1e-6, 1e12, exclude_min=True, exclude_max=True).flatmap(lambda each: st.sampled_from((each, -each)))


@given(NUMBERS, st.integers(0, 8))
def test_rounding_to_any_digits_is_the_same_number(number: float, digits: int) -> None:
    from decimal import Decimal

    from prereg.published import _same

    assert _same(Decimal(f"{number:.{digits}f}"), number)


@given(NUMBERS)
def test_verdicts_within_1e_9_are_near_and_beyond_are_not(number: float) -> None:
    document = json.dumps({"a": [number]}).encode()
    assert not apart(document, json.dumps({"a": [number * (1 + 1e-12)]}).encode())
    assert apart(document, json.dumps({"a": [number * 1.001 + 1e-6]}).encode())
    assert apart(document, json.dumps({"a": [str(number)]}).encode())
