"""The gate of tasks that bring their own checks: doing nothing fails, the reference passes, the same every time."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.plan import Chosen
from compiler.task import TestPlan
from executor.check_gates import Tools, Verdict, gate_checks
from executor.environments import prepare
from executor.gates import Gated
from executor.graders.call_sites import CallSitesGrader
from executor.graders.command import CommandGrader
from executor.graders.contains import AnswerContainsGrader, FileContainsGrader
from executor.graders.trace import TraceGrader
from executor.graders.unchanged import UnchangedGrader
from executor.ports import Built, Grader
from executor.sandboxes.local import LocalSandbox
from executor.trees import Leaf, pack
from ledger.errors import WorldFault
from ledger.plain import Plain
from tests.executor.sources.task_folders import PATCH

BUILT = Built(
    given=pack([Leaf(path="calc.txt", data=b"2 2 5\n")]),
    held_out=pack([Leaf(path="check.sh", data=b"read a b c < calc.txt; test $((a + b)) = $c\n")]),
    reference=PATCH.encode(),
    tests=TestPlan(run=(), report="", files=(), fail_to_pass=(), pass_to_pass=()),
    checks={"command_1": Chosen(kind="command", options={"run": "sh check.sh"})},
)
GRADERS: Mapping[str, Grader] = {
    each.kind: each
    for each in (
        *(CommandGrader(), FileContainsGrader(), AnswerContainsGrader(), CallSitesGrader()),
        *(TraceGrader(), UnchangedGrader()),
    )
}


def gated(
    tmp_path: Path,
    built: Built = BUILT,
    harvests: int = 1,
    verdict: Callable[[Mapping[str, Plain]], Verdict] | None = None,
) -> Gated:
    tools = Tools(
        graders=GRADERS,
        environment=prepare(None, base=tmp_path, cache=tmp_path),
        sandbox=LocalSandbox(),
        scratch=tmp_path / "scratch",
        verdict=verdict,
    )
    return gate_checks(built, harvests=harvests, tools=tools)


def with_check(kind: str, **options: str) -> Mapping[str, Chosen]:
    return {**BUILT.checks, f"{kind.replace('-', '_')}_2": Chosen(kind=kind, options=options)}


def codes(result: Gated) -> list[str]:
    return [each.code for each in result.reasons]


def test_a_good_task_is_proved_each_time_and_its_evidence_has_no_timing(tmp_path: Path) -> None:
    result = gated(tmp_path, harvests=2)
    assert codes(result) == []
    runs = result.evidence["runs"]
    assert isinstance(runs, list)
    assert [(each["tree"], each["harvest"]) for each in runs] == [("start", 1), ("fix", 1), ("start", 2), ("fix", 2)]
    assert [each["checks"]["command_1"] for each in runs[:2]] == [
        {"ok": False, "exit_code": 1},
        {"ok": True, "exit_code": 0},
    ]
    assert "seconds" not in str(result.evidence)
    assert result.facts == {"flaky": False}
    assert result.seconds > 0


def test_doing_nothing_may_not_pass(tmp_path: Path) -> None:
    result = gated(tmp_path, replace(BUILT, checks={"command_1": Chosen(kind="command", options={"run": "true"})}))
    assert codes(result) == ["noop-passes"]


def test_the_reference_has_to_pass(tmp_path: Path) -> None:
    result = gated(tmp_path, replace(BUILT, checks=with_check("file-contains", path="calc.txt", pattern="five")))
    assert codes(result) == ["reference-fails"]
    assert result.reasons[0].detail == "file_contains_2: 0 matches of five in calc.txt, expected one"


def test_a_reference_that_does_not_apply(tmp_path: Path) -> None:
    result = gated(tmp_path, replace(BUILT, reference=PATCH.replace("2 2 5", "2 2 6").encode()))
    assert codes(result) == ["reference-fails"]
    assert result.reasons[0].what == "the reference does not apply"


def test_a_reference_answer_is_judged_and_doing_nothing_gives_none(tmp_path: Path) -> None:
    checks = {"answer_contains_1": Chosen(kind="answer-contains", options={"pattern": "four"})}
    good = replace(BUILT, checks=checks, reference=b"", answer="It is four.")
    assert codes(gated(tmp_path, good)) == []
    assert codes(gated(tmp_path / "other", replace(good, answer="It is five."))) == ["reference-fails"]


def test_a_check_that_comes_out_otherwise_each_time_is_flaky(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    run = f"sh check.sh && if test -e {seen}; then exit 1; else touch {seen}; fi"
    result = gated(
        tmp_path, replace(BUILT, checks={"command_1": Chosen(kind="command", options={"run": run})}), harvests=2
    )
    assert codes(result) == ["reference-fails", "flaky"]
    assert result.reasons[1].detail == "command_1"
    assert result.facts == {"flaky": True}


def test_a_check_of_a_kind_that_nobody_brought(tmp_path: Path) -> None:
    with pytest.raises(WorldFault, match="no grader of kind 'smell'"):
        gated(tmp_path, replace(BUILT, checks=with_check("smell")))


def test_a_task_that_says_when_it_passes_is_judged_by_its_own_conditions(tmp_path: Path) -> None:
    said: list[Mapping[str, Plain]] = []

    def lenient(facts: Mapping[str, Plain]) -> Verdict:
        said.append(facts)
        return "pass"

    def half(facts: Mapping[str, Plain]) -> Verdict:
        return "pass" if facts["command_1.ok"] else "partial"

    def never(facts: Mapping[str, Plain]) -> Verdict:
        return "fail"

    assert codes(gated(tmp_path / "1", verdict=lenient)) == ["noop-passes"]
    assert [each["command_1.exit_code"] for each in said] == [1, 0]
    assert [each.what for each in gated(tmp_path / "2", verdict=half).reasons] == ["doing nothing is already partial"]
    (reason,) = gated(tmp_path / "3", verdict=never).reasons
    assert reason.detail == "every check holds, but its conditions under `pass` do not"


def test_what_a_search_for_call_sites_cannot_see_becomes_a_fact(tmp_path: Path) -> None:
    old = {"language": "python", "of": ["lib:old"]}
    files = (("lib.py", b"def old(): pass\n"), ("a.py", b"import lib\ngetattr(lib, 'o' + 'ld')()\n"))
    given = pack([Leaf(path="calc.txt", data=b"2 2 5\n"), *(Leaf(path=path, data=data) for path, data in files)])
    checks = {**BUILT.checks, "old_calls": Chosen(kind="call-sites", options=old)}
    assert gated(tmp_path, replace(BUILT, given=given, checks=checks)).facts["dynamic_call_sites"] == ["a.py:2"]


# --- checks of what an agent does, where no agent has run ---

QUIET = Chosen(kind="trace", options={"rules": [{"rule": "no_shell", "never": {"call": "shell"}}]})


def test_a_check_of_a_stream_is_not_asked_and_stands_in_nobodys_way(tmp_path: Path) -> None:
    result = gated(tmp_path, replace(BUILT, checks={**BUILT.checks, "conduct": QUIET}))
    assert codes(result) == []
    runs = result.evidence["runs"]
    assert isinstance(runs, list)
    assert [each["checks"]["conduct"] for each in runs] == [{"ok": None}, {"ok": None}]


def test_a_check_of_a_stream_alone_tells_doing_nothing_from_nothing(tmp_path: Path) -> None:
    assert codes(gated(tmp_path, replace(BUILT, checks={"conduct": QUIET}))) == ["noop-passes"]


def test_a_tasks_own_conditions_may_name_it(tmp_path: Path) -> None:
    def verdict(facts: Mapping[str, Plain]) -> Verdict:
        return "pass" if facts["command_1.ok"] is True and facts["conduct.ok"] is True else "fail"

    assert codes(gated(tmp_path, replace(BUILT, checks={**BUILT.checks, "conduct": QUIET}), verdict=verdict)) == []


def test_what_the_reference_changes_is_what_changed(tmp_path: Path) -> None:
    nothing = replace(BUILT, checks={**BUILT.checks, "untouched": Chosen(kind="unchanged")})
    result = gated(tmp_path, nothing)
    assert codes(result) == ["reference-fails"]
    assert "calc.txt: changed" in result.reasons[0].detail


def test_what_the_reference_changes_may_be_allowed(tmp_path: Path) -> None:
    allowed = Chosen(kind="unchanged", options={"files": ["calc.txt"]})
    assert codes(gated(tmp_path, replace(BUILT, checks={**BUILT.checks, "others": allowed}))) == []
