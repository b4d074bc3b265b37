"""Running a job on behalf of an agent: what every agent that starts programs shares."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from executor.ports import AgentOrder, Job, JobEnd
from ledger.records import Ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Ran:
    """How a job ended, and where its output went."""

    end: JobEnd
    stdout: Path
    stderr: Path


def run_job(
    order: AgentOrder,
    argv: tuple[str, ...],
    *,
    name: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    path: tuple[str, ...] = (),
) -> Ran:
    """Run a program in the order's workspace within its limits; ``name`` names its output files. Raises WorldFault."""
    stdout, stderr = order.artefacts / f"{name}.out", order.artefacts / f"{name}.err"
    job = _job(order, argv, stdout, stderr)
    job = replace(job, stdin=stdin, env={**job.env, **(env or {})}, path=(*job.path, *path))
    return Ran(end=order.sandbox.run(job), stdout=stdout, stderr=stderr)


def inside(order: AgentOrder, host: Path) -> str:
    """Give the path under which the agent's programs see a host path."""
    return order.sandbox.inside(_job(order, ("true",), host, host), host)


def _job(order: AgentOrder, argv: tuple[str, ...], stdout: Path, stderr: Path) -> Job:
    return Job(
        argv=argv,
        workspace=order.workspace,
        home=order.home,
        limits=order.agent.limits,
        stdout=stdout,
        stderr=stderr,
        env=order.env,
        path=order.path,
        mounts=order.mounts,
        network=order.network,
    )


def ending(end: JobEnd, *, result: bool) -> Ended:
    """Say how an agent stopped: at a limit of the harness, without a result, in error, or finished."""
    if end.stopped_by == "time":
        return "timeout"
    if end.stopped_by is not None:
        return "limit"
    if not result:
        return "no-result"
    return "finished" if end.exit_code == 0 else "error"


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill places such as ``{prompt}`` in, once: what a prompt says is never read as a place to fill."""
    for name, value in values.items():
        before, found, after = text.partition(name)
        if found:
            return fill(before, values) + value + fill(after, values)
    return text
