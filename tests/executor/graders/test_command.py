"""The command check: its status decides, what it prints is kept, and nothing that it does is seen by another check."""

from pathlib import Path

import pytest

from compiler.plan import Chosen
from executor.graders.command import CommandGrader
from executor.graders.jobs import command_line
from executor.ports import CheckResult, GradeOrder, Sandbox
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from ledger.errors import WorldFault
from ledger.plain import Plain
from tests.needs import require


def order(tmp_path: Path, sandbox: Sandbox | None = None, **options: Plain) -> GradeOrder:
    root, scratch = tmp_path / "root", tmp_path / "scratch"
    for folder in (root, scratch):
        folder.mkdir(exist_ok=True)
    (root / "kept.txt").write_text("as it was\n")
    return GradeOrder(
        check=Chosen(kind="command", options=options),
        root=root,
        pristine=root,
        changed=(),
        answer=None,
        events=(),
        tests=None,
        scratch=scratch,
        sandbox=sandbox or LocalSandbox(),
    )


def grade(tmp_path: Path, sandbox: Sandbox | None = None, **options: Plain) -> CheckResult:
    return CommandGrader().grade(order(tmp_path, sandbox, **options))


def test_a_line_is_read_by_the_shell_and_a_list_by_nobody(tmp_path: Path) -> None:
    assert command_line("a && b") == ("sh", "-c", "a && b")
    assert command_line(["a", "&&"]) == ("a", "&&")
    assert grade(tmp_path, run="test -f kept.txt && exit 0").ok is True
    assert grade(tmp_path, run=["test", "-f", "kept.txt"]).ok is True


def test_the_status_decides(tmp_path: Path) -> None:
    failed = grade(tmp_path, run="echo out; echo why >&2; exit 3")
    assert (failed.ok, failed.facts) == (False, {"exit_code": 3})
    assert failed.detail == "exit status 3, expected 0: why / out"
    assert grade(tmp_path, run="exit 3", expect_exit=3).ok is True
    assert grade(tmp_path, run="true", expect_exit=3).detail == "exit status 0, expected 3"


def test_what_it_prints_is_kept_also_when_it_holds(tmp_path: Path) -> None:
    result = grade(tmp_path, run="echo out; echo err >&2")
    assert {name: path.read_text() for name, path in result.artefacts.items()} == {"stdout": "out\n", "stderr": "err\n"}
    assert result.detail == "exit status 0"


def test_two_commands_of_one_tree_share_nothing(tmp_path: Path) -> None:
    first = order(tmp_path, run="echo spoiled > kept.txt; rm -rf .git; mkdir made")
    assert CommandGrader().grade(first).ok is True
    again = grade(tmp_path, run="grep -qx 'as it was' kept.txt && test ! -e made")
    assert again.ok is True, again.detail
    assert (tmp_path / "root" / "kept.txt").read_text() == "as it was\n"
    assert [each.name for each in (tmp_path / "scratch").iterdir() if each.name.startswith("copy-")] == []


def test_a_command_that_takes_too_long_does_not_hold(tmp_path: Path) -> None:
    result = grade(tmp_path, run="exec sleep 30", timeout=1, expect_exit=0)
    assert (result.ok, result.facts, result.detail) == (False, {"exit_code": None}, "stopped: over its limit of time")


def test_a_program_that_is_not_there_is_a_fault_of_the_world(tmp_path: Path) -> None:
    with pytest.raises(WorldFault, match="no-such-program"):
        grade(tmp_path, run=["no-such-program"])
    assert grade(tmp_path, run="no-such-program").facts == {"exit_code": 127}


@pytest.mark.bubblewrap
def test_it_has_no_network_and_no_host(tmp_path: Path) -> None:
    sandbox = BubblewrapSandbox()
    require(sandbox.unavailable())
    (tmp_path / "secret").write_text("x")
    assert grade(tmp_path, sandbox, run=f"test ! -e {tmp_path}/secret && test -f kept.txt").ok is True
    lines = 'python3 -c "import socket; print(len(socket.if_nameindex()))" | grep -qx 1'  # loopback alone
    result = grade(tmp_path, sandbox, run=lines)
    assert result.ok is True, result.detail
