"""Running a job on behalf of an agent: what every agent that starts programs shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from executor.agents.watching import Shows, Watch
from executor.ports import AgentOrder, Job, JobEnd, Mount
from ledger.records import Ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Ran:
    """How a job ended, and where its output went; ``watch`` saw the call for which it was cancelled, if it was."""

    end: JobEnd
    stdout: Path
    stderr: Path
    watch: Watch | None = None


def run_job(
    order: AgentOrder,
    argv: tuple[str, ...],
    *,
    name: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    path: tuple[str, ...] = (),
    shows: Shows | None = None,
    mounts: Sequence[Mount] = (),
) -> Ran:
    """Run a program in the order's workspace within its limits; ``name`` names its output files. Raises WorldFault.

    ``shows`` reads its stream: where the order has a cancel, the program is interrupted once its stream shows the call.
    """
    stdout, stderr = order.artefacts / f"{name}.out", order.artefacts / f"{name}.err"
    watch = None if order.cancel is None or shows is None else Watch(plan=order.cancel, output=stdout, shows=shows)
    job = _job(order, argv, stdout, stderr)
    job = replace(job, stdin=stdin, env={**job.env, **(env or {})}, path=(*job.path, *path), cancel=watch)
    job = replace(job, mounts=(*job.mounts, *mounts))
    end = order.sandbox.run(job)
    return Ran(end=end, stdout=stdout, stderr=stderr, watch=watch if end.stopped_by == "cancel" else None)


def inside(order: AgentOrder, host: Path, mounts: Sequence[Mount] = ()) -> str:
    """Give the path under which the agent's programs see a host path, with some more mounts."""
    job = _job(order, ("true",), host, host)
    return order.sandbox.inside(replace(job, mounts=(*job.mounts, *mounts)), host)


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
        return "cancelled" if end.stopped_by == "cancel" else "limit"
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
