"""The gate on synthetic histories, one a pitfall: what runs, what is rejected, and with which code."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.task import TestPlan
from executor.environments import prepare
from executor.gates import Gated, compare, gate, judge, looks_like_new_name
from executor.ports import Built
from executor.sandboxes.local import LocalSandbox
from executor.sources.git_history import GitHistory
from executor.suite import WORST, State, SuiteRun
from ledger.plain import Plain
from tests.executor.sources.histories import OLD_TEST, RIGHT, TEST, WRONG, History, fixed, plain_fix

QUICK: dict[str, Plain] = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
Files = Mapping[str, str | bytes | None]


def gated(history: History, scratch: Path, *, harvests: int = 1, run: str = "pytest", **tests: Plain) -> Gated:
    source = GitHistory()
    report = "pytest-plugin" if run == "pytest" else run
    options: dict[str, Plain] = {
        "repository": str(history.folder),
        "at": history.git("rev-parse", "HEAD"),
        "tests": {"run": ["python", "-m", run], "report": report, "each_timeout": 1, "env": QUICK, **tests},
        "test_files": ["tests/**/test_*.py"],
    }
    built = source.build(options, Path(), list(source.find(options, Path()))[-1])
    assert isinstance(built, Built), built
    return gate(
        built,
        harvests=harvests,
        environment=prepare(None, base=Path(), cache=scratch),
        sandbox=LocalSandbox(),
        scratch=scratch / "gate",
    )


def fix(tmp_path: Path, before: Files, after: Files, **tests: Plain) -> Gated:
    return gated(
        fixed(tmp_path / "repository", {"pkg/code.py": WRONG, **before}, {"pkg/code.py": RIGHT, **after}),
        tmp_path,
        **tests,
    )


def codes(result: Gated) -> list[str]:
    return [reason.code for reason in result.reasons]


def test_a_plain_fix_passes_twice_and_leaves_no_timing_in_its_evidence(tmp_path: Path) -> None:
    result = gated(plain_fix(tmp_path / "r"), tmp_path, harvests=2)
    assert codes(result) == []
    assert result.tests.fail_to_pass == ("tests/test_code.py::test_double",)
    assert result.tests.pass_to_pass == ("tests/test_code.py::test_one",)
    assert result.facts["flaky"] is False
    runs = result.evidence["runs"]
    assert isinstance(runs, list)
    assert [(run["tree"], run["harvest"]) for run in runs] == [("start", 1), ("fix", 1), ("start", 2), ("fix", 2)]
    assert runs[0]["outcomes"] == runs[2]["outcomes"] != runs[1]["outcomes"] == runs[3]["outcomes"]
    assert "seconds" not in str(result.evidence)
    assert result.seconds > 0


def test_unittest_gives_the_same_oracle_without_pytest(tmp_path: Path) -> None:
    case = "import unittest\nfrom pkg.code import double\n\n\nclass Doubling(unittest.TestCase):\n"
    one = "    def test_one(self):\n        self.assertEqual(double(1), 2)\n"
    more = """\
    def test_many(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(double(n), 2 * n)
        for n in (3,):
            with self.subTest(n=n):
                self.assertEqual(double(n), 6)
"""
    result = fix(
        tmp_path, {"tests/test_code.py": case + one}, {"tests/test_code.py": case + one + more}, run="unittest"
    )
    assert codes(result) == []
    assert result.tests.fail_to_pass == ("tests.test_code.Doubling.test_many",)
    assert result.tests.pass_to_pass == ("tests.test_code.Doubling.test_one",)


def test_a_collection_error_at_the_start_is_told_apart(tmp_path: Path) -> None:
    """A module that the fix introduces: its tests cannot be collected, the other file's tests run all the same."""
    new = {
        "pkg/extra.py": "def added():\n    return 1\n",
        "tests/test_extra.py": "from pkg.extra import added\n\n\ndef test_added():\n    assert added() == 1\n",
    }
    result = fix(tmp_path, {"tests/test_code.py": OLD_TEST}, {"tests/test_code.py": TEST, **new})
    assert result.tests.fail_to_pass == ("tests/test_code.py::test_double", "tests/test_extra.py::test_added")
    assert result.tests.pass_to_pass == ("tests/test_code.py::test_one",)
    assert result.evidence["start_failures"] == {"failed:AssertionError": 1, "uncollected": 1}
    assert result.evidence["new_name"] == {"suspects": 1, "all": False}


def test_names_that_do_not_exist_at_the_start_are_flagged_and_never_dropped(tmp_path: Path) -> None:
    result = fix(
        tmp_path,
        {},
        {
            "pkg/code.py": RIGHT + "\n\ndef triple(n):\n    return 3 * n\n",
            "tests/test_code.py": "def test_triple():\n    from pkg.code import triple\n\n    assert triple(1) == 3\n",
        },
    )
    assert codes(result) == []
    assert result.evidence["new_name"] == {"suspects": 1, "all": True}


def test_subtests_share_an_id_and_the_worst_counts(tmp_path: Path) -> None:
    text = """\
import unittest
from pkg.code import double


class T(unittest.TestCase):
    def test_all(self):
        for n in (1, 2, 1):
            with self.subTest(n=n):
                self.assertEqual(double(n), n * 2)

    def test_rest(self):
        pass
"""
    result = fix(tmp_path, {}, {"tests/test_code.py": text})
    assert result.tests.fail_to_pass == ("tests/test_code.py::T::test_all",)
    assert result.tests.pass_to_pass == ("tests/test_code.py::T::test_rest",)


def test_ids_are_whole_whatever_they_hold(tmp_path: Path) -> None:
    text = """\
import pytest
from pkg.code import double


@pytest.mark.parametrize('n', [2, 3], ids=['a b::c/d[e]', '\\x1b[1m'])
def test_double(n):
    assert double(n) == 2 * n


@pytest.mark.parametrize('text', ['x::y z', 'é' * 90])
def test_text(text):
    pass
"""
    result = fix(tmp_path, {}, {"tests/test_code.py": text.replace("[2, 3]", "[3, 4]")})
    assert result.tests.fail_to_pass == (
        "tests/test_code.py::test_double[\\x1b[1m]",
        "tests/test_code.py::test_double[a b::c/d[e]]",
    )
    assert "tests/test_code.py::test_text[x::y z]" in result.tests.pass_to_pass


def test_ids_from_a_set_are_the_same_in_every_run(tmp_path: Path) -> None:
    text = """\
import pytest
from pkg.code import double


@pytest.mark.parametrize('name', {'a', 'b', 'c', 'd', 'e', 'f'})
@pytest.mark.parametrize('n', [3])
def test_double(n, name):
    assert double(n) == 6


@pytest.mark.parametrize('n', list(enumerate({'p', 'q', 'r', 's'})), ids=str)
def test_order(n):
    pass
"""
    result = fix(tmp_path, {}, {"tests/test_code.py": text}, harvests=2)
    assert codes(result) == []
    assert len(result.tests.fail_to_pass) == 6


def test_a_test_that_hangs_at_the_start_fails_there_alone(tmp_path: Path) -> None:
    slow = """\
import time


def double(n):
    while True:
        try:
            time.sleep(60)
        except Exception:
            pass
"""
    result = fix(tmp_path, {"pkg/code.py": slow}, {"tests/test_code.py": TEST + "\n\ndef test_other():\n    pass\n"})
    assert codes(result) == []
    assert result.evidence["start_failures"] == {"timeout:report_tests.TestTimeout": 2} or result.evidence[
        "start_failures"
    ] == {"timeout:TestTimeout": 2}
    assert result.tests.pass_to_pass == ("tests/test_code.py::test_other",)


def test_a_run_over_its_time_is_rejected_and_loses_no_id(tmp_path: Path) -> None:
    stuck = """\
import signal, time


def double(n):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(60)
"""
    result = fix(tmp_path, {"pkg/code.py": stuck}, {"tests/test_code.py": TEST}, timeout=3)
    assert codes(result) == ["over-time"]
    runs = result.evidence["runs"]
    assert isinstance(runs, list)
    assert runs[0]["counts"] == {"missing": 1, "timeout": 1}


def test_a_deleted_test_file_is_deleted_on_both_sides(tmp_path: Path) -> None:
    result = fix(
        tmp_path,
        {"tests/test_code.py": OLD_TEST, "tests/test_gone.py": "def test_gone():\n    pass\n"},
        {"tests/test_code.py": TEST, "tests/test_gone.py": None},
        suite=["tests"],
    )
    assert codes(result) == []
    assert result.facts["pass_to_fail"] == []
    assert result.tests.pass_to_pass == ("tests/test_code.py::test_one",)


def test_the_fixs_conftest_holds_on_both_sides(tmp_path: Path) -> None:
    conftest = "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n"
    text = "from pkg.code import double\n\n\ndef test_three(three):\n    assert double(three) == 6\n"
    result = fix(tmp_path, {}, {"tests/conftest.py": conftest, "tests/test_code.py": text})
    assert result.evidence["start_failures"] == {"failed:AssertionError": 1}


def test_tests_that_write_tracked_files_spoil_no_other_run(tmp_path: Path) -> None:
    text = """\
from pathlib import Path
from pkg.code import double


def test_double():
    assert double(3) == 6
    assert Path('state.txt').read_text() == 'clean'
    Path('state.txt').write_text('spoilt')
    Path('pkg/code.py').write_text('broken')
"""
    result = fix(tmp_path, {"state.txt": "clean"}, {"tests/test_code.py": text}, harvests=3)
    assert codes(result) == []


def test_a_new_test_file_is_there_at_the_start_too(tmp_path: Path) -> None:
    """Without it the list of files would be empty and pytest would run everything."""
    result = fix(tmp_path, {"tests/test_other.py": "def test_other():\n    pass\n"}, {"tests/test_code.py": TEST})
    assert result.tests.files == ("tests/test_code.py",)
    assert result.tests.pass_to_pass == ("tests/test_code.py::test_one",)


def test_a_fix_that_breaks_tests_is_rejected(tmp_path: Path) -> None:
    result = fix(tmp_path, {}, {"tests/test_code.py": TEST + "\n\ndef test_odd():\n    assert double(3) == 4\n"})
    assert codes(result) == ["p2f"]
    assert result.facts["pass_to_fail"] == ["tests/test_code.py::test_odd"]


def test_ids_start_at_the_tree_even_with_an_ini_below(tmp_path: Path) -> None:
    result = fix(tmp_path, {}, {"tests/pytest.ini": "[pytest]\n", "tests/test_code.py": TEST})
    assert result.tests.fail_to_pass == ("tests/test_code.py::test_double",)


def test_a_skip_or_an_expected_failure_at_the_start_is_no_failure(tmp_path: Path) -> None:
    text = """\
import pytest
from pkg import code

new = hasattr(code, 'NEW')


@pytest.mark.skipif(not new, reason='old')
def test_skipped():
    pass


@pytest.mark.xfail(not new, reason='old')
def test_expected():
    assert new


def test_double():
    assert code.double(3) == 6
"""
    result = fix(tmp_path, {}, {"pkg/code.py": RIGHT + "\n\nNEW = True\n", "tests/test_code.py": text})
    assert result.tests.fail_to_pass == ("tests/test_code.py::test_double",)
    assert result.evidence["not_run_at_start"] == 2


def test_a_fix_without_effect_is_rejected(tmp_path: Path) -> None:
    assert codes(fix(tmp_path, {}, {"tests/test_code.py": OLD_TEST})) == ["no-f2p"]


def test_an_environment_that_runs_nothing_is_not_a_fix_without_effect(tmp_path: Path) -> None:
    result = fix(tmp_path, {"pytest.ini": "[pytest]\naddopts = --no-such-option\n"}, {"tests/test_code.py": TEST})
    assert codes(result) == ["env-error-at-fix"]
    assert "--no-such-option" in result.reasons[0].detail
    result = fix(tmp_path / "2", {}, {"tests/test_code.py": "import not_installed\n" + TEST})
    assert codes(result) == ["env-error-at-fix"]
    assert result.reasons[0].detail == "ModuleNotFoundError"


def test_an_oracle_that_changes_is_flaky(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    text = f"""\
from pathlib import Path
from pkg.code import double


def test_double():
    assert double(3) == 6


def test_sometimes():
    runs = Path({str(counter)!r})
    runs.write_text(runs.read_text() + 'x' if runs.exists() else 'x')
    assert len(runs.read_text()) < 3
"""
    result = fix(tmp_path, {}, {"tests/test_code.py": text}, harvests=2)
    assert codes(result) == ["flaky"]
    assert result.facts["flaky"] is True


def test_line_endings_and_binary_files_of_the_reference_arrive_whole(tmp_path: Path) -> None:
    text = """\
from pathlib import Path


def test_bytes():
    assert Path('data.bin').read_bytes() == bytes(range(256))
    assert Path('win.txt').read_bytes() == b'a\\r\\nb\\r\\n'
"""
    result = fix(
        tmp_path,
        {".gitattributes": "*.txt -text\n", "data.bin": b"\0old", "win.txt": b"a\r\n"},
        {"data.bin": bytes(range(256)), "win.txt": b"a\r\nb\r\n", "tests/test_code.py": text},
    )
    assert result.tests.fail_to_pass == ("tests/test_code.py::test_bytes",)


def test_a_missing_runner_is_the_worlds_fault(tmp_path: Path) -> None:
    from ledger.errors import WorldFault

    with pytest.raises(WorldFault) as caught:
        gated(plain_fix(tmp_path / "r"), tmp_path, run="nose", report="unittest")
    assert caught.value.reasons[0].code == "tests-run"


def test_a_scratch_folder_inside_a_repository_changes_nothing(tmp_path: Path) -> None:
    History(tmp_path / "scratch").commit("above", {"pkg/code.py": "above"})
    history = plain_fix(tmp_path / "r")
    assert gated(history, tmp_path / "scratch").tests.fail_to_pass == ("tests/test_code.py::test_double",)


# --- judging alone ---

PLAN = TestPlan(run=("python",), report="junit", files=("t",), fail_to_pass=("a",), pass_to_pass=("b",))


def suite(**states: State) -> SuiteRun:
    return SuiteRun(states=states, seconds=Decimal(1))


def test_a_declared_oracle_must_fail_without_and_pass_with_the_reference() -> None:
    good = (suite(a="failed", b="passed"), suite(a="passed", b="passed"))
    assert codes(judge(PLAN, [good])) == []
    assert codes(judge(PLAN, [(suite(a="passed", b="passed"), good[1])])) == ["noop-passes"]
    assert codes(judge(PLAN, [(good[0], suite(a="failed", b="passed"))])) == ["reference-fails"]
    assert codes(judge(PLAN, [good, (good[0], suite(a="passed", b="skipped"))])) == ["flaky", "reference-fails"]


def test_lists_follow_from_states() -> None:
    start = SuiteRun(
        states={
            "f": "failed",
            "e": "error",
            "t": "timeout",
            "s": "skipped",
            "x": "xfailed",
            "p": "passed",
            "q": "passed",
        },
        uncollected={"file.py": "ImportError"},
    )
    after = suite(**dict.fromkeys(("f", "e", "t", "s", "x", "p", "new"), "passed"), q="skipped")
    lists = compare(start, after)
    assert lists.fail_to_pass == ("e", "f", "new", "t")
    assert lists.pass_to_pass == ("p",)
    assert lists.pass_to_fail == ("q",)
    assert start.state("file.py::test") == "uncollected"


STATES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(WORST))


@given(STATES, STATES)
def test_the_lists_share_no_test_and_hold_only_what_their_names_say(
    before: dict[str, State], after: dict[str, State]
) -> None:
    start, fix = SuiteRun(states=before), SuiteRun(states=after)
    lists = compare(start, fix)
    every = (*lists.fail_to_pass, *lists.pass_to_pass, *lists.pass_to_fail)
    assert len(every) == len(set(every))
    assert all(fix.state(test) == "passed" for test in (*lists.fail_to_pass, *lists.pass_to_pass))
    assert all(start.state(test) == "passed" for test in (*lists.pass_to_pass, *lists.pass_to_fail))
    assert not any(start.state(test) in ("passed", "skipped", "xfailed", "xpassed") for test in lists.fail_to_pass)
    proof = judge(replace(PLAN, fail_to_pass=(), pass_to_pass=()), [(start, fix), (start, fix)])
    assert "flaky" not in codes(proof)
    assert bool(lists.fail_to_pass) or {"no-f2p", "env-error-at-fix"} & set(codes(proof))


@pytest.mark.parametrize(
    ("sign", "new"),
    [
        ("ImportError: cannot import name 'x'", True),
        ("AttributeError: no attribute 'x'", True),
        ("TypeError: f() got an unexpected keyword argument 'x'", True),
        ("TypeError: unsupported operand", False),
        ("AssertionError: assert 1 == 2", False),
    ],
)
def test_new_names_are_told_by_their_exception(sign: str, new: bool) -> None:
    assert looks_like_new_name(SuiteRun(states={"t": "failed"}, signs={"t": sign}), "t") is new


def test_a_defect_breaks_what_is_declared_and_nothing_else_in_every_harvest() -> None:
    plan = TestPlan(run=("python",), report="junit", files=("t",), fail_to_pass=(), pass_to_pass=())
    fixed, broken = suite(a="passed", b="passed"), suite(a="failed", b="passed")
    good = judge(plan, [(broken, fixed), (broken, fixed)], declared=("a",))
    assert codes(good) == []
    assert (good.facts["broken"], good.facts["repaired"]) == (["a"], True)
    assert codes(judge(plan, [(broken, fixed)], declared=("a", "b"))) == ["broken-elsewhere"]
    assert codes(judge(plan, [(suite(a="failed", b="error"), fixed)], declared=("a",))) == ["broken-elsewhere"]
    assert codes(judge(plan, [(suite(b="passed"), fixed)], declared=("a",))) == []  # not even collected is broken too
    left = suite(a="passed", b="passed", c="failed")
    red = judge(plan, [(suite(a="failed", b="passed", c="failed"), left)], declared=("a", "c"))
    assert codes(red) == ["not-repaired"]
    assert red.facts["repaired"] is False
    assert "broken" not in judge(plan, [(broken, fixed)]).facts
