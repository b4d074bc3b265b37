"""The command line as a process: exit codes, faults in one shape, where talk and data go, and speed of --help."""

import json
import os
import re
import resource
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from ledger.errors import Fault, IntegrityFault, UndecidedFault, WorldFault
from prereg import cli, faults
from spec_lang.diagnostics import Diagnostic, SpecErrors
from tests.needs import require
from tests.prereg.conftest import Call

PREREG = [sys.executable, "-c", "import sys; from prereg.cli import main; sys.exit(main())"]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def process(*arguments: str | Path, **settings: object) -> subprocess.CompletedProcess[str]:
    env = {**ENVIRONMENT, **dict(settings.pop("env", {}))}  # type: ignore[call-overload]
    return subprocess.run(
        [*PREREG, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=env,
        **settings,  # type: ignore[call-overload]
    )


def test_help_lists_every_verb_without_importing_one() -> None:
    program = (
        "import sys; from prereg.cli import main; code = main(['--help']); print(len(sys.modules)); sys.exit(code)"
    )
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", program], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0
    for verb in cli.VERBS:
        assert f"\n  {verb} " in told.stdout
    for heavy in ("scipy", "numpy", "rich", "jinja2", "compiler", "executor", "prereg.api"):
        assert not re.search(rf"\| +{heavy}\n", told.stderr), f"--help imports {heavy}"


@pytest.mark.parametrize("verb", list(cli.VERBS))
def test_every_verb_has_help_json_and_a_file_of_its_name(verb: str) -> None:
    command = import_module(f"prereg.cli.{verb}").command
    assert isinstance(command, click.Command)
    assert command.help
    below = command.commands.values() if isinstance(command, click.Group) else ()
    for part in (*below, *(() if below and not command.params else (command,))):
        assert "--json" in {name for each in part.params for name in each.opts}


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["check", "--nonsense"], ["analyze", "not-there"], ["execute", "."]]
)
def test_usage_is_2_and_has_the_shape(arguments: list[str], call: Call) -> None:
    said = call(*arguments)
    assert said.code == 2
    assert said.out == ""
    assert said.err
    said = call(*arguments, "--json")
    assert said.code == 2
    assert said.json["status"] == "fault"
    assert said.codes == ["usage"]


def test_wrong_use_names_the_help_of_its_verb_and_nothing_at_all_shows_help(call: Call) -> None:
    assert "prereg status --help" in call("status").err
    assert "prereg --help" in call("nonsense").err
    said = call()
    assert said.code == 2
    assert said.err.startswith("Usage: prereg")


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (SpecErrors([Diagnostic(code="P101", summary="no")]), 1),
        (click.UsageError("no"), 2),
        (WorldFault(Fault(code="w", what="no")), 3),
        (KeyboardInterrupt(), 3),
        (OSError(28, "No space left on device", "somewhere"), 3),
        (IntegrityFault(Fault(code="i", what="no")), 4),
        (UndecidedFault(Fault(code="u", what="no")), 5),
        (ZeroDivisionError("no"), 70),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, BaseException) else str(each),
)
def test_every_fault_has_its_code_and_one_shape(
    fault: BaseException, code: int, call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(**_: object) -> None:
        raise fault

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # asked once, and kept
    monkeypatch.setattr(import_module("prereg.cli.schema").command, "callback", fail)
    said = call("schema", "--json")
    assert said.code == code
    assert said.json["status"] == ("refused" if code == 4 else "fault")
    assert [set(each) for each in said.json["reasons"]] == [{"code", "what", "expected", "got", "where", "hint"}]
    said = call("schema")
    assert said.code == code
    assert said.out == ""
    assert "Traceback" not in said.err
    assert ("bug" in said.err) is (code == 70)


def test_our_bug_keeps_its_traceback_or_prints_it(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(import_module("prereg.cli.schema").command, "callback", fail)
    said = call("schema")
    kept = re.search(r"traceback is in (\S+\.txt)", said.err)
    assert kept
    assert "ZeroDivisionError" in Path(kept[1]).read_text()
    Path(kept[1]).unlink()
    monkeypatch.setenv("PREREG_TRACEBACK", "1")
    assert "Traceback" in call("schema").err


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    program = " ".join(f"'{each}'" for each in PREREG)
    told = subprocess.run(
        ["bash", "-c", f"{program} schema | head -c 10"],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert "Traceback" not in told.stderr
    assert "Error" not in told.stderr


def test_data_goes_to_stdout_without_colour(experiment: Path) -> None:
    told = process("analyze", experiment / "runs" / "one")
    assert told.returncode == 0
    assert "SUPPORTED" in told.stdout
    assert "\x1b" not in told.stdout
    assert told.stderr == ""


def test_a_full_disk_is_3_and_loses_nothing(experiment: Path) -> None:
    run = experiment / "runs" / "one"
    before = (run / "ledger.jsonl").read_bytes()

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    told = process("analyze", run, "--json", preexec_fn=no_room)
    assert told.returncode == 3, told.stderr
    assert json.loads(told.stdout)["reasons"][0]["code"] == "disk-full"
    assert (run / "ledger.jsonl").read_bytes() == before
    assert process("analyze", run).returncode == 0
    assert process("audit", run).returncode == 0


def test_a_read_only_folder_is_3_for_writers_and_fine_for_audit(analyzed: Path) -> None:
    root = analyzed.parent.parent
    mount = f"mount --bind '{root}' '{root}' && mount -o remount,ro,bind '{root}'"

    def inside(command: str) -> subprocess.CompletedProcess[str]:
        call = " ".join(f"'{each}'" for each in PREREG)
        return subprocess.run(
            ["unshare", "-Urm", "sh", "-c", f"{mount} && {call} {command}"],
            capture_output=True,
            text=True,
            check=False,
            env=ENVIRONMENT,
        )

    tried = inside("--version")
    require(None if tried.returncode == 0 else f"no read-only mounts here: {tried.stderr}")
    told = inside(f"audit '{analyzed}'")
    assert told.returncode == 0, told.stderr
    told = inside(f"execute '{root}' --run two --json")
    assert told.returncode == 3
    assert json.loads(told.stdout)["reasons"][0]["code"] == "read-only"
    told = inside(f"analyze '{analyzed}' --json")
    assert told.returncode == 3
    assert json.loads(told.stdout)["reasons"][0]["hint"]


def test_completion_is_offered() -> None:
    told = process(env={"_PREREG_COMPLETE": "bash_source"})
    assert told.returncode == 0
    assert "_PREREG_COMPLETE=bash_complete" in told.stdout
    told = process(env={"_PREREG_COMPLETE": "bash_complete", "COMP_WORDS": "prereg an", "COMP_CWORD": "1"})
    assert "analyze" in told.stdout


def test_exit_codes_are_documented_in_help() -> None:
    text = cli.group.help or ""
    for code in (faults.DONE, faults.AUTHOR, faults.USAGE, faults.WORLD, faults.REFUSED, faults.UNDECIDED, faults.BUG):
        assert f"{code} " in text
