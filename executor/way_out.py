"""An attempt's way to its model: open, none, or through the recording proxy, whose socket is then all that leads out of the sandbox."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from executor.attempt import TrialOrder
from executor.ports import Job, JobEnd, Mount, Prepared, Sandbox
from executor.proxy import Route, proxy
from executor.recording import MODEL, Recording
from executor.treatments import McpServer, ModelAccess, ReachesModel
from ledger.errors import Fault, WorldFault

PORT = 8717
"""Where the proxy is found inside a sandbox that has a network of its own."""
INSIDE = "/run/prereg"
STANDS_FOR = "held-by-the-harness"
"""What a program inside finds in place of a credential, so that it does not ask for one."""
_FORWARD = Path(__file__).parent / "forward.py"
_PYTHON = Path(sys.base_prefix)
"""The harness's own interpreter runs the forwarder: what stands on a job's PATH belongs to the task."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WayOut:
    """What the agent is given: a sandbox, the model's address, servers, and the variables that hold or stand for credentials."""

    sandbox: Sandbox
    mcp: tuple[McpServer, ...]
    env: Mapping[str, str]
    model_url: str | None = None
    recording: Recording | None = None


@contextmanager
def way_out(order: TrialOrder, prepared: Prepared, folder: Path) -> Iterator[WayOut]:
    """Open the way out for one attempt, and close it behind the agent.

    Raises:
        WorldFault: The agent's kind cannot be led through the proxy (``network``), a credential is not set (``credential``), or the
            proxy cannot be opened (``proxy``).
    """
    if order.network != "model":
        yield WayOut(sandbox=order.sandbox, mcp=prepared.mcp, env=order.secrets)
        return
    routes = {MODEL: _route(order, _access(order))}
    for each in prepared.mcp:
        if each.url is not None:
            routes[f"mcp-{each.name}"] = _route(order, ModelAccess(url=each.url, credential=each.bearer))
    held: set[str | None] = {access.credential for access in _accesses(order, prepared)} - {None}
    env = {name: STANDS_FOR if name in held else value for name, value in order.secrets.items()}
    recording = Recording(secrets=order.secrets)
    isolated = getattr(order.sandbox, "isolates", True)
    ends = folder / "way-out"
    ends.mkdir(mode=0o700)
    with proxy(routes, recording, socket_file=ends / "s" if isolated else None) as address:
        base = address or f"http://127.0.0.1:{PORT}"
        yield WayOut(
            sandbox=order.sandbox if address else Tunnelled(inner=order.sandbox, ends=ends),
            mcp=tuple(_through(each, base) for each in prepared.mcp),
            env=env,
            model_url=f"{base}/{MODEL}",
            recording=recording,
        )


def _access(order: TrialOrder) -> ModelAccess:
    agent = order.agent
    access = agent.access(order.arm.agent) if isinstance(agent, ReachesModel) else None
    if access is None:
        what = f"an agent of kind {order.arm.agent.kind!r} does not say how its model is reached, so `network: model` cannot lead there"
        hint = "give `model_access`, where the kind has it, or another network"
        raise WorldFault(Fault(code="network", what=what, where="agent.network", hint=hint))
    return access


def _accesses(order: TrialOrder, prepared: Prepared) -> Iterator[ModelAccess]:
    yield _access(order)
    yield from (ModelAccess(url=each.url, credential=each.bearer) for each in prepared.mcp if each.url is not None)


def _route(order: TrialOrder, access: ModelAccess) -> Route:
    url = os.environ.get(access.url_from, access.url) if access.url_from is not None else access.url
    if access.credential is None:
        return Route(url=url)
    value = order.secrets.get(access.credential)
    if not value:
        what = f"the environment variable {access.credential} is not set, and {access.url} asks for it"
        raise WorldFault(
            Fault(code="credential", what=what, hint=f"export {access.credential} and run again; the run resumes")
        )
    return Route(url=url, credential=(access.header, access.scheme + value))


def _through(server: McpServer, base: str) -> McpServer:
    return server if server.url is None else replace(server, url=f"{base}/mcp-{server.name}", bearer=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tunnelled:
    """A sandbox whose jobs of ``network: model`` run beside a forwarder from loopback to the proxy's socket."""

    inner: Sandbox
    ends: Path
    kind: ClassVar[str] = "tunnelled"
    isolates: bool = field(default=True)

    def unavailable(self) -> str | None:
        """Ask the sandbox itself."""
        return self.inner.unavailable()

    def run(self, job: Job) -> JobEnd:
        """Run a job beside its forwarder. Raises WorldFault (``program-missing``) as the sandbox itself would."""
        if job.network != "model":
            return self.inner.run(job)
        self._find(job)
        forward = (str(_PYTHON / "bin/python3"), "-I", "-S", f"{INSIDE}/forward.py", str(PORT), f"{INSIDE}/out/s")
        return self.inner.run(self._led(job, (*forward, *job.argv)))

    def inside(self, job: Job, host: Path) -> str:
        """Ask the sandbox itself."""
        return self.inner.inside(job, host)

    def _led(self, job: Job, argv: tuple[str, ...]) -> Job:
        mounts = (Mount(host=_FORWARD, inside=f"{INSIDE}/forward.py"), Mount(host=self.ends, inside=f"{INSIDE}/out"))
        own = () if _PYTHON.is_relative_to("/usr") else (Mount(host=_PYTHON, inside=str(_PYTHON)),)
        return replace(job, argv=argv, mounts=(*job.mounts, *mounts, *own))

    def _find(self, job: Job) -> None:
        """Look for the program first: behind the forwarder a missing one would look like an agent that failed."""
        look = ("sh", "-c", 'command -v -- "$1" >/dev/null', "sh", job.argv[0])
        if self.inner.run(replace(job, argv=look, stdin=None, cancel=None)).exit_code != 0:
            what = f"there is no program {job.argv[0]!r} for this job"
            hint = "install it, or name the folder that holds it"
            raise WorldFault(Fault(code="program-missing", what=what, hint=hint))
