"""The tests that were written must pass on the module as it is, and fail on each broken copy of it."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODULE = "text/slug.py"
COMMAND = [sys.executable, "-m", "unittest", "discover", "-s", "tests", "-t", "."]


def run(module):
    """Run the tests in a copy of the project in which the module is this file; give (ok, output)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "copy")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("checks", ".git", "__pycache__", "node_modules"))
        shutil.copyfile(module, copy / MODULE)
        done = subprocess.run(COMMAND, cwd=copy, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode == 0, done.stdout + done.stderr


def main():
    here = pathlib.Path(__file__).parent
    ok, output = run(here / "good.py")
    if not ok:
        print("the tests fail on the module as it is:", output[-2000:])
        return 1
    alive = [each.stem for each in sorted((here / "mutants").iterdir()) if run(each)[0]]
    for name in alive:
        print(f"no test notices: {name}")
    return 1 if alive else 0


sys.exit(main())
