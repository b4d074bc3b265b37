"""Runs a command line under the supervisor process and reads its report: what both sandboxes of this machine share."""

import marshal
import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from executor.ports import Job, JobEnd
from executor.sandboxes.supervise import INTERRUPT
from ledger.errors import Fault, WorldFault

PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a sandbox looks for programs behind a job's own folders."""
_LARGEST_SIGNAL = 64
_GLANCE = 0.01
"""Seconds between looks at a program that may have to be interrupted."""
_START = "import sys; sys.path.append(sys.argv[1]); from executor.sandboxes.supervise import main; main()"


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """What the supervisor starts for a job: absolute program, its arguments, environment and folder."""

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    status_pipe: bool = False


def supervise_job(command: Command, job: Job) -> tuple[JobEnd, bytes]:
    """Run to the end; give how the job ended and what the program wrote to its status pipe.

    Raises:
        WorldFault: The program could not be started (``start``), the supervisor was killed (``supervisor``), or
            a process of the job cannot be killed (``unkillable``).
    """
    limits = job.limits
    order = marshal.dumps(
        {
            "argv": [os.fsencode(each) for each in command.argv],
            "env": {os.fsencode(name): os.fsencode(value) for name, value in command.env.items()},
            "cwd": os.fsencode(command.cwd),
            "stdin": job.stdin,
            "stdout": os.fsencode(job.stdout),
            "stderr": os.fsencode(job.stderr),
            "time": float(limits.time_s),
            "memory": limits.memory_bytes,
            "processes": limits.processes,
            "output": limits.output_bytes,
            "status_pipe": command.status_pipe,
        }
    )
    # The control pipe stays open while the job runs: its end is how the supervisor learns that this process died.
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-c", _START, str(Path(__file__).parents[2])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
        cwd="/",
        start_new_session=True,  # Ctrl-C is for the executor; it decides what becomes of a job
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            process.stdin.write(len(order).to_bytes(8, "big") + order)
            process.stdin.flush()
            _interrupt_when_asked(process, job)
            written = process.stdout.read()
            complaint = process.stderr.read()
        except BrokenPipeError:
            written, complaint = b"", process.stderr.read()
    if not written:
        raise WorldFault(
            Fault(
                code="supervisor",
                what="the supervisor of a job was killed or failed",
                got=complaint.decode(errors="replace")[-500:] or f"exit status {process.returncode}",
                hint="look for what kills processes on this machine (memory?) and run again",
            )
        )
    report: dict[str, Any] = marshal.loads(written)  # noqa: S302  # our own child wrote it
    if report["error"] is not None:
        raise WorldFault(
            Fault(code="start", what=f"{job.argv[0]!r} could not be run: {report['error']}", where=str(job.workspace))
        )
    exit_code, signal = _ending(report["status"])
    end = JobEnd(
        exit_code=exit_code,
        signal=signal,
        stopped_by=report["stopped_by"],
        seconds=Decimal(repr(report["seconds"])).quantize(Decimal("0.001")),
        left_running=report["left_running"],
    )
    return end, report["documents"]


def _interrupt_when_asked(process: subprocess.Popen[bytes], job: Job) -> None:
    """Ask a job's ``cancel`` until the supervisor reports, or until it says yes; then have the program interrupted."""
    assert process.stdin is not None
    assert process.stdout is not None
    while job.cancel is not None and not select.select([process.stdout], [], [], _GLANCE)[0]:
        if job.cancel():
            with suppress(BrokenPipeError):  # the program ended meanwhile, and the supervisor behind it
                os.write(process.stdin.fileno(), INTERRUPT)  # past the buffer, which nobody could empty then
            return


def _ending(status: int) -> tuple[int | None, int | None]:
    """Read a wait status. Codes 129 … 192 are read as signals, as shells and bubblewrap write them: the same in every sandbox."""
    if os.WIFSIGNALED(status):
        return None, os.WTERMSIG(status)
    code = os.waitstatus_to_exitcode(status)
    if 128 < code <= 128 + _LARGEST_SIGNAL:
        return None, code - 128
    return code, None


def environment(job: Job, *, home: str, temporary: str) -> dict[str, str]:
    """Give the whole environment inside: the job's own, and HOME, TMPDIR, PATH, LANG where it says nothing."""
    mine = {
        "HOME": home,
        "TMPDIR": temporary,
        "PATH": ":".join([*job.path, PATH]),
        "LANG": "C.UTF-8",
        "USER": "agent",
        "LOGNAME": "agent",
    }
    return mine | dict(job.env)


def missing_program(name: str) -> WorldFault:
    """Say that a job names a program that the sandbox cannot find."""
    return WorldFault(
        Fault(
            code="program-missing",
            what=f"there is no program {name!r} for this job",
            hint="install it, or name the folder that holds it",
        )
    )
