"""The bubblewrap sandbox: an own user, process, network and mount namespace in which only what is listed can be seen."""

import functools
import shutil
import subprocess
from pathlib import Path, PurePosixPath
from typing import ClassVar

from executor.ports import Job, JobEnd, Mount
from executor.sandboxes import supervise
from executor.sandboxes.linking import linked, placed
from executor.sandboxes.supervised import Command, environment, missing_program, supervise_job
from ledger.errors import Fault, WorldFault

WORKSPACE = "/workspace"
HOME = "/home/agent"
_UID = "1000"
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_HOST_ETC = (
    "alternatives",
    "ca-certificates",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "ssl/certs",
    "ssl/openssl.cnf",
)
_OWN_ETC = Path(__file__).parent / "etc"
_TMP_BYTES = 2 << 30
"""Size of the private /tmp, which lives in memory."""


class BubblewrapSandbox:
    """Runs jobs as uid 1000 without any capability, behind an allow-list of mounts; no network unless the job asks for it.

    Root keeps every capability inside bubblewrap unless a user namespace is asked for, so one always is.
    ``network="model"`` has no network either: its one way out is a socket among the job's mounts.
    """

    kind: ClassVar[str] = "bubblewrap"
    isolates: ClassVar[bool] = True

    def unavailable(self) -> str | None:
        """Say why it cannot work here: no bubblewrap, or no user namespaces. Tried once in a process."""
        return _tried()

    def run(self, job: Job) -> JobEnd:
        """Run a job. Raises WorldFault (``program-missing``, ``sandbox``, ``supervisor``)."""
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise WorldFault(
                Fault(code="sandbox", what="bubblewrap is not installed", hint="install bubblewrap (bwrap)")
            )
        env = environment(job, home=HOME, temporary="/tmp")  # noqa: S108  # private to the sandbox
        env["PATH"] = ":".join(_own(job, each) for each in env["PATH"].split(":"))
        settings = [piece for name, value in env.items() for piece in ("--setenv", name, value)]
        with linked(job) as shown:
            argv = (bwrap, *_namespaces(job), *_view(shown), *settings, "--chdir", WORKSPACE, "--", *job.argv)
            end, documents = supervise_job(Command(argv=argv, env={}, cwd=Path("/"), status_pipe=True), job)
        if b'"exit-code"' not in documents and end.stopped_by is None and end.signal is None:
            raise _not_started(job)  # bubblewrap takes its exit code back when the program never began
        return end

    def inside(self, job: Job, host: Path) -> str:
        """Give the path inside. Raises ValueError for a host path that no mount of this job shows."""
        shown = [
            Mount(host=job.workspace, inside=WORKSPACE),
            Mount(host=job.home, inside=HOME),
            *map(placed, job.mounts),
        ]
        shown += [Mount(host=folder, inside=str(folder)) for folder in (Path("/usr"), *_folders(job.path))]
        fitting = [each for each in shown if host.is_relative_to(each.host)]
        if not fitting:
            raise ValueError(f"{host} is not shown inside this job's sandbox")
        closest = max(fitting, key=lambda each: len(each.host.parts))
        return str(PurePosixPath(closest.inside) / host.relative_to(closest.host))


@functools.cache
def _tried() -> str | None:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bubblewrap: bwrap is not installed"
    trial = [
        bwrap,
        "--unshare-all",
        "--unshare-user",
        "--uid",
        _UID,
        "--gid",
        _UID,
        "--ro-bind",
        "/",
        "/",
        "--",
        "true",
    ]
    try:
        tried = subprocess.run(trial, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return f"bubblewrap: {problem}"
    return None if tried.returncode == 0 else f"bubblewrap: {tried.stderr.decode(errors='replace').strip()[:300]}"


def _namespaces(job: Job) -> list[str]:
    apart = ["--unshare-user", "--uid", _UID, "--gid", _UID, "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    apart += ["--unshare-cgroup-try", "--hostname", "sandbox", "--new-session", "--clearenv"]
    # No --die-with-parent: the supervisor must count what was left running before it ends the namespace itself.
    apart += ["--json-status-fd", str(supervise.STATUS_FD)]
    return apart if job.network == "open" else [*apart, "--unshare-net"]


def _view(job: Job) -> list[str]:
    """Give the mounts, in order: system, /etc by name, private folders, interpreters, workspace and home, the job's own."""
    view = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM:
        system = Path(name)
        if system.is_symlink():
            view += ["--symlink", str(system.readlink()), name]
        elif system.is_dir():
            view += ["--ro-bind", name, name]
    view += ["--dir", "/etc"]
    for name in _HOST_ETC:
        view += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for own in sorted(_OWN_ETC.iterdir()):
        view += ["--ro-bind", str(own), f"/etc/{own.name}"]
    if job.network == "open":
        view += ["--ro-bind-try", str(Path("/etc/resolv.conf").resolve()), "/etc/resolv.conf"]
    view += ["--proc", "/proc", "--dev", "/dev", "--size", str(_TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp"]  # noqa: S108
    view += ["--dir", "/run", "--dir", "/var/tmp"]  # noqa: S108  # inside the sandbox's own root
    for folder in _folders(tuple(each for each in job.path if _own(job, each) == each)):
        view += ["--ro-bind", str(folder), str(folder)]
    view += ["--bind", str(job.workspace), WORKSPACE, "--bind", str(job.home), HOME]
    for mount in job.mounts:
        view += ["--bind" if mount.writable else "--ro-bind", str(mount.host), mount.inside]
    return view


def _own(job: Job, folder: str) -> str:
    """Give the name inside of a PATH folder that lies in the job's own home or workspace; others keep theirs."""
    for host, inside in ((job.home, HOME), (job.workspace, WORKSPACE)):
        if Path(folder).is_relative_to(host):
            return str(PurePosixPath(inside) / Path(folder).relative_to(host))
    return folder


def _folders(path: tuple[str, ...]) -> list[Path]:
    """Give the folders that programs on a job's PATH need: a ``bin`` with its prefix, and the interpreter a venv was made from."""
    folders: list[Path] = []
    for each in map(Path, path):
        if not each.is_dir() or each.is_relative_to("/usr"):
            continue
        prefix = each.parent if each.name == "bin" and len(each.parts) > 2 else each
        folders.append(prefix)
        if (home := _made_from(prefix)) is not None and not home.is_relative_to("/usr"):
            folders.append(home)
    return list(dict.fromkeys(folders))


def _made_from(prefix: Path) -> Path | None:
    """Give the prefix of the interpreter behind a virtual environment (``home`` of pyvenv.cfg)."""
    settings = prefix / "pyvenv.cfg"
    if not settings.is_file():
        return None
    for line in settings.read_text("utf-8").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home":
            return Path(value.strip()).resolve().parent
    return None


def _not_started(job: Job) -> WorldFault:
    complaint = job.stderr.read_bytes()[-500:].decode(errors="replace").strip()
    if "execvp" in complaint and "No such file" in complaint:
        return missing_program(job.argv[0])
    return WorldFault(
        Fault(
            code="sandbox", what="bubblewrap could not set the job up", got=complaint, hint="prereg doctor tells more"
        )
    )
