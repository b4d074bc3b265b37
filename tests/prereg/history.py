"""A tiny real git history of three fixes with their tests, and a spec over it: the whole road in seconds."""

import os
import subprocess
from pathlib import Path

from tests.prereg.laying import SPEC

FIXES = (("add", "a - b", "a + b"), ("double", "a", "a * 2"), ("negative", "a", "-a"))


def lay_history(root: Path) -> Path:
    """Make the repository ``kit`` and the spec beside it; gives the experiment folder."""
    repository = root / "kit"
    (repository / "kit").mkdir(parents=True)
    (repository / "tests").mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / "kit" / "__init__.py").write_text('"""A kit."""\n')
    (repository / "tests" / "__init__.py").write_text("")
    for name, wrong, _ in FIXES:
        (repository / "kit" / f"{name}.py").write_text(f"def {name}(a, b=1):\n    return {wrong}\n")
        (repository / "tests" / f"test_{name}.py").write_text(_tests(name, ""))
    commit(repository, "add the kit")
    for name, wrong, right in FIXES:
        path = repository / "kit" / f"{name}.py"
        path.write_text(
            path.read_text().replace(wrong, right) if wrong != "a" else f"def {name}(a, b=1):\n    return {right}\n"
        )
        expected = {"add": "add(2, 3), 5", "double": "double(4), 8", "negative": "negative(4), -4"}[name]
        (repository / "tests" / f"test_{name}.py").write_text(_tests(name, expected))
        commit(repository, f"fix: {name} is wrong")
    (repository / "README.md").write_text("A kit.\n")
    commit(repository, "docs: say what it is")
    head = git(repository, "rev-parse", "HEAD").strip()
    (root / "spec.yaml").write_text(spec_for(head))
    (root / "guide.md").write_text("Look in kit/.\n")
    ids = git(repository, "log", "--format=%H").split()
    (root / "prompts.yaml").write_text("".join(f'"{each[:12]}": A number comes out wrong.\n' for each in ids))
    return root


def spec_for(head: str) -> str:
    """Give the small spec, asking for the history's own commits and counting what is solved."""
    spec = SPEC
    for old, new in (
        ("repository: somewhere", "repository: kit"),
        ("0123456789abcdef0123456789abcdef01234567", head),
        ("      - count(fail_to_pass) >= 1", '      - subject startswith "fix"\n      - count(fail_to_pass) >= 1'),
        ("take: 8", "take: 3"),
        ("concurrency: 1", "concurrency: 2"),
        ("cost.p < 0.05", "solved.count(guide) >= solved.count(baseline) - 1 task"),
        ("role: primary", "role: secondary"),
        ("role: secondary\n    measure: solved", "role: primary\n    measure: solved"),
    ):
        assert old in spec, old
        spec = spec.replace(old, new)
    return spec


def _tests(name: str, expected: str) -> str:
    case = f"    def test_value(self):\n        self.assertEqual({expected})\n" if expected else ""
    return (
        f"import unittest\n\nfrom kit.{name} import {name}\n\n\nclass Test(unittest.TestCase):\n"
        f"    def test_callable(self):\n        self.assertTrue(callable({name}))\n{case}"
    )


def commit(repository: Path, message: str) -> None:
    """Commit everything as nobody, at a fixed time."""
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", message)


def git(repository: Path, *arguments: str) -> str:
    """Run git without anybody's configuration."""
    date = "2026-07-01T12:00:00+00:00"
    told = subprocess.run(
        ["git", "-C", str(repository), "-c", "user.name=nobody", "-c", "user.email=nobody@example.org", *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
        },
    )
    return told.stdout
