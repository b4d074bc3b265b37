"""What the suites of sandboxes stand on: the sandbox that is asked about, a job to run in it, and a look at what is still running."""

import os
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import psutil
import pytest

from compiler.plan import LimitsPlan
from executor.ports import Job, Sandbox
from prereg import plugins

PYTHON = os.path.realpath(sys.executable)
BIN = (str(Path(PYTHON).parent),)
MIB = 1 << 20


class OnSandbox:
    """Gives every test the sandbox that was named on the command line, and a job that does nothing yet."""

    @pytest.fixture
    def sandbox(self, request: pytest.FixtureRequest) -> Sandbox:
        """Load the named sandbox; where it cannot work, the test is skipped with its reason."""
        made: Sandbox = plugins.load("sandboxes", str(request.config.getoption("prereg_sandbox")))  # type: ignore[assignment]  # the suite finds out
        if (why := made.unavailable()) is not None:
            pytest.skip(why)
        return made

    @pytest.fixture
    def job(self, tmp_path: Path) -> Job:
        """Give a job with folders of its own and 20 seconds."""
        for name in ("workspace", "home"):
            (tmp_path / name).mkdir()
        return Job(
            argv=("true",),
            workspace=tmp_path / "workspace",
            home=tmp_path / "home",
            limits=LimitsPlan(time_s=Decimal(20)),
            stdout=tmp_path / "out",
            stderr=tmp_path / "err",
            path=BIN,
        )


def shell(job: Job, script: str, **changes: object) -> Job:
    """Let a job run a line of shell."""
    return replace(job, argv=("sh", "-c", script), **changes)  # type: ignore[arg-type]  # fields of a job


def python(job: Job, script: str, **changes: object) -> Job:
    """Let a job run a piece of Python."""
    return replace(job, argv=(Path(PYTHON).name, "-c", script), **changes)  # type: ignore[arg-type]  # fields of a job


def limits(**given: object) -> LimitsPlan:
    """Give limits: 20 seconds, and what is said."""
    return LimitsPlan(**({"time_s": Decimal(20)} | given))  # type: ignore[arg-type]  # fields of limits


def begun(job: Job) -> bool:
    """Whether a job has said that it began."""
    return job.stdout.exists() and b"begun" in job.stdout.read_bytes()


def gone(marker: str) -> bool:
    """Whether no process of this machine carries the marker in its command line."""
    for process in psutil.process_iter(["cmdline"]):
        if any(marker in part for part in process.info["cmdline"] or ()) and process.pid != os.getpid():
            return False
    return True
