"""The local sandbox: a process of this user on this machine. Ends whole process trees and scrubs the environment; isolates nothing."""

import shutil
from pathlib import Path
from typing import ClassVar

from executor.ports import Job, JobEnd
from executor.sandboxes.linking import linked
from executor.sandboxes.supervised import Command, environment, missing_program, supervise_job


class LocalSandbox:
    """Runs jobs with the rights of the user: files, network and other processes of the machine are within reach."""

    kind: ClassVar[str] = "local"
    isolates: ClassVar[bool] = False

    def unavailable(self) -> str | None:
        """Say why it cannot work here: it needs Linux, for finding every descendant of a job."""
        return None if Path("/proc/self/stat").exists() else "local: needs Linux (/proc) to find every process of a job"

    def run(self, job: Job) -> JobEnd:
        """Run a job. Raises WorldFault (``program-missing``, ``start``, ``supervisor``)."""
        temporary = job.home / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        env = environment(job, home=str(job.home), temporary=str(temporary))
        program = _program(job, env["PATH"])
        command = Command(argv=(program, *job.argv[1:]), env=env, cwd=job.workspace)
        with linked(job):
            end, _ = supervise_job(command, job)
        return end

    def inside(self, job: Job, host: Path) -> str:
        """Give the host's own path, or where a mount's program would expect it: nothing is moved here."""
        del job
        return str(host)


def _program(job: Job, path: str) -> str:
    name = job.argv[0]
    found = shutil.which(str(job.workspace / name) if "/" in name else name, path=path)
    if found is None:
        raise missing_program(name)
    return found
