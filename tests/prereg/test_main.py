"""The command line as a process: it leaves at once, and nothing that was to happen before is lost."""

import subprocess
import sys

import pytest

LATE = """
import atexit, sys
from prereg.__main__ import run
atexit.register(lambda: print("at the exit"))
sys.argv = ["prereg", "--version"]
run()
"""

AT_WORK = """
import sys, threading, time
from prereg.__main__ import run
threading.Thread(target=lambda: (time.sleep(0.3), print("done"))).start()
sys.argv = ["prereg", "--version"]
run()
"""


def told(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], check=False, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["--help"], 0), (["nothing-of-this-name"], 2)])
def test_it_leaves_with_the_exit_code_of_the_verb(arguments: list[str], code: int) -> None:
    found = told("-m", "prereg", *arguments)
    assert found.returncode == code
    assert found.stdout or found.stderr


def test_what_was_asked_of_the_exit_happens() -> None:
    found = told("-c", LATE)
    assert found.returncode == 0
    assert found.stdout.splitlines()[1:] == ["at the exit"]


def test_a_thread_at_work_is_waited_for() -> None:
    found = told("-c", AT_WORK)
    assert found.returncode == 0
    assert found.stdout.splitlines()[1:] == ["done"]
