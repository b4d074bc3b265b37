"""Numbers within their tolerance: exact at the edge, never without a unit, never NaN; tables compared row by row."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from compiler.plan import Chosen
from executor.graders.differential import DifferentialGrader
from executor.graders.number import NumberGrader
from executor.graders.numbers import Tolerance, number, shown
from executor.ports import CheckResult, GradeOrder, Grader
from executor.sandboxes.local import LocalSandbox
from ledger.plain import Plain

GRADERS: dict[str, Grader] = {"number": NumberGrader(), "differential": DifferentialGrader()}


def grade(root: Path, kind: str, **options: Plain) -> CheckResult:
    (root.parent / "scratch").mkdir(exist_ok=True)
    return GRADERS[kind].grade(
        GradeOrder(
            check=Chosen(kind=kind, options=options),
            root=root,
            pristine=root,
            changed=(),
            answer=None,
            events=(),
            tests=None,
            scratch=root.parent / "scratch",
            sandbox=LocalSandbox(),
        )
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


# --- one number ---

JSON: dict[str, Plain] = {"path": "r.json", "key": "fit.0.r", "unit_key": "fit.0.u", "expect": "5 kg"}


@pytest.mark.parametrize(
    ("tolerance", "value", "within", "difference"),
    [
        ({"absolute": "0.5 kg"}, "5.5", True, "0.5"),
        ({"absolute": "0.5 kg"}, "4.5", True, "0.5"),
        ({"absolute": "0.5 kg"}, "5.505", False, "0.505"),
        ({"absolute": "0.5 kg"}, "5.50000000000000000001", False, "0.5"),  # compared exactly, shown rounded
        ({"relative": "10 %"}, "4.5", True, "0.5"),
        ({"relative": "10 %"}, "4.495", False, "0.505"),
        ({"interval": ["4 kg", "5.25 kg"]}, "4", True, "1"),
        ({"interval": ["4 kg", "5.25 kg"]}, "5.26", False, "0.26"),
        ({"absolute": "1e-3 kg"}, "5.001", True, "0.001"),
        ({"absolute": "1e-3 kg"}, "50.01e-1", True, "0.001"),
        ({"absolute": "0 kg"}, "5", True, "0"),
    ],
)
def test_tolerances(root: Path, tolerance: Plain, value: str, within: bool, difference: str) -> None:
    (root / "r.json").write_text(f'{{"fit": [{{"r": {value}, "u": "kg"}}]}}')
    result = grade(root, "number", **JSON, tolerance=tolerance)
    assert (result.ok, dict(result.facts)) == (within, {"present": True, "within": within, "difference": difference})


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ('{"fit": [{"r": 5, "u": "g"}]}', True),
        ('{"fit": [{"r": 5}]}', True),
        ('{"fit": [{"r": "5", "u": "KG"}]}', True),
        ('{"fit": [{"r": NaN, "u": "kg"}]}', False),
        ('{"fit": [{"r": -Infinity, "u": "kg"}]}', False),
        ('{"fit": [{"r": "nan", "u": "kg"}]}', False),
        ('{"fit": [{"r": 1e99999999999999999999, "u": "kg"}]}', False),
        ('{"fit": [{"r": true, "u": "kg"}]}', False),
        ('{"fit": [{"r": null, "u": "kg"}]}', False),
        ('{"fit": [{"r": [5], "u": "kg"}]}', False),
        ('{"fit": []}', False),
        ("[" * 100_000, False),
        ("5 kg", False),
        ("", False),
    ],
)
def test_what_is_not_within(root: Path, text: str, present: bool) -> None:
    (root / "r.json").write_text(text)
    result = grade(root, "number", **JSON, tolerance={"relative": "100 %"})
    assert (result.ok, result.facts["present"], result.facts["within"]) == (False, present, False)
    assert result.facts["difference"] is None
    assert result.detail


def test_a_row_of_a_table(root: Path) -> None:
    (root / "r.csv").write_text("term,estimate,unit\na,1,kg\nb,5.1,kg\nb2,7,kg\n")
    options: dict[str, Plain] = {
        "path": "r.csv",
        "key": "estimate",
        "unit_key": "unit",
        "expect": "5 kg",
        "tolerance": {"relative": "2 %"},
    }
    assert grade(root, "number", **options, row={"term": "b"}).ok is True
    assert grade(root, "number", **options, row={"term": "a"}).ok is False
    assert grade(root, "number", **options).detail == "r.csv has 3 such rows, not one"
    assert grade(root, "number", **options, row={"term": "c"}).detail == "r.csv has 0 such rows, not one"


def test_no_way_out_of_the_tree(root: Path, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"fit": [{"r": 5, "u": "kg"}]}')
    (root / "r.json").symlink_to(tmp_path / "r.json")
    (root / "out").symlink_to(tmp_path)
    for path in ("r.json", "out/r.json", "../r.json"):
        assert grade(root, "number", **{**JSON, "path": path}, tolerance={"relative": "1 %"}).facts["present"] is False


@given(some.fractions(), some.fractions(min_value=0), some.fractions(min_value=-2, max_value=2))
def test_within_is_what_the_width_says(expected: Fraction, width: Fraction, share: Fraction) -> None:
    tolerance = Tolerance(absolute=width)
    assert tolerance.within(expected + share * width, expected) is (width == 0 or abs(share) <= 1)


@given(some.decimals(allow_nan=True, allow_infinity=True))
def test_only_finite_numbers_are_numbers(value: Decimal) -> None:
    read = number(str(value))
    assert (read is not None) is (value.is_finite() and abs(value.adjusted()) <= 400)
    assert read is None or read == Fraction(value)


@given(some.fractions(min_value=-(10**6), max_value=10**6))
def test_a_shown_number_is_near_and_can_be_read(value: Fraction) -> None:
    assert abs(Fraction(shown(value)) - value) <= abs(value) / 10**11


# --- tables ---

CSV: dict[str, Plain] = {
    "path": "out.csv",
    "reference": "checks/reference.csv",
    "by": ["term"],
    "columns": {"estimate": {"absolute": "0.5 kg"}, "error": {"relative": "10 %"}},
}
REFERENCE = "term,estimate,error,note\na,1,10,x\nb,2,20,y\n"


@pytest.fixture
def table(root: Path) -> Path:
    (root / "checks").mkdir()
    (root / "checks" / "reference.csv").write_text(REFERENCE)
    return root


@pytest.mark.parametrize(
    ("text", "failed", "difference"),
    [
        (REFERENCE, 0, "0"),
        ("error,term,estimate\n20,b,2\n10,a,1\n", 0, "0"),  # neither order counts
        ("term,estimate,error\na,1.5,11\nb,2,18\n", 0, "1"),
        ("term,estimate,error\na,1.505,10\nb,2,20\n", 1, "1.01"),
        ("term,estimate,error\na,1,11.01\nb,2,20\n", 1, "1.01"),
        ("term,estimate,error\na,nan,10\nb,2,inf\n", 2, None),
        ("term,estimate,error\na,,10\nb,2,20\n", 1, None),
        ("term,estimate,error\na,1,10\n", 2, None),
        ("term,estimate,error\na,1,10\nb,2,20\nc,3,30\n", 2, None),
        ("term,estimate,error\na,10,1\nb,20,2\n", 4, "36"),
    ],
)
def test_columns_are_compared(table: Path, text: str, failed: int, difference: str | None) -> None:
    (table / "out.csv").write_text(text)
    result = grade(table, "differential", **CSV)
    assert (result.ok, result.facts["failed"], result.facts["difference"]) == (failed == 0, failed, difference)
    assert result.facts["present"] is True


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "out.csv is not there"),
        ("", "there are no rows"),
        ("term,estimate\na,1\nb,2\n", "there is no column error"),
        ("term,estimate,error\na,1\n", "out.csv has rows of different lengths"),
        ("term,estimate,error\na,1,10,5\n", "out.csv has rows of different lengths"),
        ("term,estimate,error\na,1,10\na,1,10\n", "term does not tell rows apart"),
        ('term,estimate,error\n"a,1,10', "out.csv is not CSV"),
    ],
)
def test_what_is_no_table(table: Path, text: str | None, why: str) -> None:
    if text is not None:
        (table / "out.csv").write_text(text)
    result = grade(table, "differential", **CSV)
    assert (result.ok, result.facts["present"], result.detail) == (False, False, why)


@pytest.mark.parametrize("said", [[{"x": 1}, {"x": 2.5}], {"x": [1, 2.5]}])
def test_json_tables_in_their_order(table: Path, said: object) -> None:
    (table / "out.json").write_text(json.dumps(said))
    (table / "checks" / "r.json").write_text('{"x": [1, 2]}')
    options: dict[str, Plain] = {"path": "out.json", "reference": "checks/r.json"}
    assert grade(table, "differential", **options, columns={"x": {"absolute": "0.5 1"}}).ok is True
    result = grade(table, "differential", **options, columns={"x": {"absolute": "0.4 1"}})
    assert (result.ok, result.detail) == (False, "row 000002 x: 2.5, the reference has 2")


def test_a_program_is_run_on_the_same_input_and_cannot_change_the_reference(table: Path) -> None:
    copy = "cp checks/reference.csv out.csv"
    assert grade(table, "differential", **CSV, run=copy).ok is True
    assert not (table / "out.csv").exists()
    (table / "out.csv").write_text(REFERENCE)
    assert grade(table, "differential", **CSV, run="true").detail == "out.csv is not there"
    failing = grade(table, "differential", **CSV, run=f"{copy}; echo why; exit 3")
    assert (failing.facts["present"], failing.detail) == (False, "exit status 3")
    assert failing.artefacts["stdout"].read_text() == "why\n"
    slow = grade(table, "differential", **CSV, run="exec sleep 30", timeout=1)
    assert slow.detail == "stopped: over its limit of time"
    spoiled = "printf 'term,estimate,error\\na,7,7\\n' | tee checks/reference.csv > out.csv"
    assert grade(table, "differential", **CSV, run=spoiled).ok is False
