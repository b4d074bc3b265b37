"""What a change may not reach in a graded tree: test folders and test infrastructure, put back before tests run."""

import re
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from compiler.task import TestPlan
from executor.trees import clear, lay, remove

INFRASTRUCTURE: tuple[str, ...] = (
    # what pytest reads: options, plugins, hooks
    "**/conftest.py",
    "**/pytest.ini",
    "**/.pytest.ini",
    "**/pytest.toml",
    "**/.pytest.toml",
    "**/tox.ini",
    "**/setup.cfg",
    "**/pyproject.toml",
    # what runners of other languages read, apart from what a program needs too
    "**/vitest.config.*",
    "**/vitest.workspace.*",
    "**/jest.config.*",
    "**/ava.config.*",
    "**/.mocharc.*",
    # what an interpreter runs by itself
    "**/sitecustomize.py",
    "**/sitecustomize/**",
    "**/usercustomize.py",
    "**/usercustomize/**",
    "**/*.pth",
    # what pytest loads as a plugin when it stands on the path
    "**/*.dist-info/**",
    "**/*.egg-info/**",
    "**/*.egg-link",
    # compiled code that would stand in for a source
    "**/__pycache__/**",
    "**/*.pyc",
)
"""Globs of files that decide how tests run whatever the code under test says."""


def matches(path: str, globs: Iterable[str]) -> bool:
    """Say whether a path matches a glob: ``*`` stays in its folder, ``**`` crosses folders, ``X/**`` is also X itself."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    tail = ""
    if glob.endswith("/**"):
        glob, tail = glob[:-3], "(?:/.*)?"
    written = ""
    for piece in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", glob):
        written += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))
    return re.compile(written + tail, re.DOTALL)


def make_gradable(root: Path, *, pristine: Path, changed: Iterable[str], held_out: bytes, plan: TestPlan) -> None:
    """Turn (start + change) into the tree that is graded: protected paths put back, held-out files laid over, the fix's deletions done."""
    put_back(root, pristine=pristine, changed=changed, plan=plan)
    for path in plan.delete:
        remove(root, path)
    lay(held_out, root)


def put_back(root: Path, *, pristine: Path, changed: Iterable[str], plan: TestPlan) -> None:
    """Undo what a change did to protected paths, as in the starting tree; held-out paths stay as they are.

    Doing it twice is doing it once. ``changed`` are the paths of the change, also those it deleted.
    """
    held_out = frozenset(plan.restore)
    gone = frozenset(plan.delete)
    reached = [path for path in changed if path not in held_out and matches(path, plan.protect)]
    # New things go first: one of them may be a link or a file that stands where a folder of old ones belongs.
    old = [path for path in reached if _stands(pristine / path) and path not in gone]
    for path in sorted(set(reached) - set(old)):
        if (root / path).is_symlink() or not (root / path).is_dir():  # a change has files; a folder here came later
            remove(root, path)
    for path in sorted(old):
        shutil.copy2(pristine / path, clear(root, path), follow_symlinks=False)


def _stands(path: Path) -> bool:
    return path.is_symlink() or path.is_file()
