"""The suites as pytest finds them: agents and sandboxes by their kinds, and nothing of prereg in a run that asks for nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "pytest", *QUIET, *arguments]
    return subprocess.run(
        argv, capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def test_an_agent_is_run_through_its_suite(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("options: {seed: 1, profiles: {arm: {solve: 50 %}}}\n")
    done = run("--prereg-agent", "simulated", "--prereg-options", "mine.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_a_sandbox_is_run_through_its_suites(tmp_path: Path) -> None:
    done = run("--prereg-sandbox", "local", "-k", "exit_codes or network", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed, 1 skipped" in done.stdout


def test_other_tests_are_run_too_only_where_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("def test_mine(): pass\n")
    assert "6 passed" in run("--prereg-agent", "noop", cwd=tmp_path).stdout
    assert "7 passed" in run("--prereg-agent", "noop", "test_mine.py", cwd=tmp_path).stdout


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_a_run_that_asks_for_nothing_imports_nothing_of_prereg(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure(config):\n"
        "    rooms = ('spec_lang', 'ledger', 'stats', 'compiler', 'executor', 'analyzer')\n"
        "    print('rooms:', [each for each in rooms if each in sys.modules], 'plugin:', config.pluginmanager.has_plugin('prereg'))\n"
    )
    done = run(*arguments, cwd=tmp_path)
    assert "rooms: [] plugin: True" in done.stdout
