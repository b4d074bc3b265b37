"""A test fails on the module as it is, by its own assertion, and all tests pass once the bug is fixed."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def run(module):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "copy")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("checks", ".git", "__pycache__"))
        shutil.copyfile(module, copy / "timer" / "duration.py")
        command = [sys.executable, "-m", "unittest", "discover", "-v", "-s", "tests", "-t", "."]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=60, check=False)
        return done.stderr


def counted(word, output):
    found = re.search(rf"{word}=(\d+)", output)
    return int(found[1]) if found else 0


def main():
    before, fixed = run(HERE / "before.py"), run(HERE / "fixed.py")
    if not re.search(r"^OK$", fixed, re.MULTILINE):
        print("once the bug is fixed, the tests should pass:", fixed[-2000:])
        return 1
    if counted("failures", before) < 1 or counted("errors", before):
        print("on the bug, a test should fail by an assertion:", before[-2000:])
        return 1
    for kept in ("test_hours_and_minutes", "test_nonsense"):
        if not re.search(rf"{kept}.*ok$", before, re.MULTILINE):
            print(f"{kept} should be there and pass")
            return 1
    return 0


sys.exit(main())
