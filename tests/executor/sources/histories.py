"""Small git histories, one for each way in which harvesting a fix can go wrong."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


class History:
    """A repository with a work tree; every commit is a second later than the one before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._moment = 1_785_000_000  # 2026-07-25
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        when = f"{self._moment} +0200"
        env = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
            "GIT_ALLOW_PROTOCOL": "file",
            **_WHO,
        }
        call = ["git", "-C", str(self.folder), *arguments]
        done = subprocess.run(call, input=stdin, capture_output=True, check=False, env=env)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def commit(self, subject: str, files: Mapping[str, str | bytes | None]) -> str:
        """Write files (None deletes one), commit, and give the commit's id."""
        for path, content in files.items():
            target = self.folder / path
            if content is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        self._moment += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")


def fixed(folder: Path, before: Mapping[str, str | bytes | None], fix: Mapping[str, str | bytes | None]) -> History:
    """A history of two commits: the start, and a fix with its tests."""
    history = History(folder)
    history.commit("start", {"pkg/__init__.py": "", **before})
    history.commit("fix: it", fix)
    return history


WRONG = "def double(n):\n    return n + 1\n"
RIGHT = "def double(n):\n    return n * 2\n"
TEST = "from pkg.code import double\n\n\ndef test_double():\n    assert double(3) == 6\n\n\ndef test_one():\n    assert double(1) == 2\n"
OLD_TEST = "from pkg.code import double\n\n\ndef test_one():\n    assert double(1) == 2\n"


def plain_fix(folder: Path) -> History:
    return fixed(
        folder,
        {"pkg/code.py": WRONG, "tests/test_code.py": OLD_TEST},
        {"pkg/code.py": RIGHT, "tests/test_code.py": TEST},
    )
