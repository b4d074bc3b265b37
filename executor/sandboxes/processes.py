"""Processes as /proc and control groups show them: the tree below this process, its memory, its end, and a fence around it."""
# ruff: noqa: PTH102, PTH106, PTH110, PTH116, PTH123, PTH208  # pathlib would cost the supervisor its quick start

import os
import signal
from collections.abc import Iterator

_MOST_PROCESSES = 8192
"""How many processes a job without a limit of its own may have."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


def descendants() -> Iterator[int]:
    """Give every living process below this one, as they are found; orphans too, in a subreaper."""
    waiting = [os.getpid()]
    while waiting:
        for pid in _children(waiting.pop()):
            waiting.append(pid)
            if _lives(pid):
                yield pid


def kill(pid: int) -> None:
    """Kill a process; one that is gone is fine."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def interrupt(pid: int) -> None:
    """Interrupt a process; one that is gone is fine."""
    try:
        os.kill(pid, signal.SIGINT)
    except ProcessLookupError:
        return


def first_child(pid: int) -> int | None:
    """Give the oldest living child of a process, or None."""
    living = [child for child in _children(pid) if _lives(child)]
    return min(living, key=_started, default=None)


def _started(pid: int) -> int:
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[19]) if len(fields) > 19 else 1 << 62


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as names:
                found += [int(name) for name in names.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass  # it ended meanwhile; its children are ours now and will be seen
    return found


def _lives(pid: int) -> bool:
    stat = _read(f"/proc/{pid}/stat")
    return bool(stat) and stat.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def resident(pid: int) -> int:
    """Give the bytes of memory that are its own or shared after a fork; 0 when it ended meanwhile."""
    fields = _read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * _PAGE if len(fields) > 2 else 0


def proportional(pid: int) -> int:
    """Give the bytes of memory, shared pages divided among those who share them; 0 when it ended meanwhile."""
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def processes_of(uid: int) -> int:
    """Count the processes of a user."""
    return sum(1 for name in os.listdir("/proc") if name.isdigit() and _owner(name) == uid)


def _owner(name: str) -> int:
    try:
        return os.stat(f"/proc/{name}").st_uid
    except OSError:
        return -1


def room(limit: int) -> int:
    """Give how many processes the kernel allows under a registered limit: more, so that the watch sees the limit passed and reports it."""
    return 2 * limit + 64


class Fence:
    """A control group that no process of the job can leave and that holds a bounded number: a fork bomb cannot outrun the killing.

    It stands above the registered limit, which the watch enforces and reports. Where the kernel gives no such group
    (not root, or none delegated) there is none: then RLIMIT_NPROC bounds the number, from which only root is exempt.
    """

    def __init__(self, limit: int | None) -> None:
        self.home = _own_group()
        self.inside: str | None = None
        if self.home is None:
            return
        inside = f"{self.home}/prereg-{os.getpid()}"
        try:
            os.mkdir(inside)
            self.inside = inside
            _write(f"{inside}/pids.max", _MOST_PROCESSES if limit is None else room(limit))
            _write(f"{inside}/cgroup.procs", os.getpid())
        except OSError:
            self.leave()

    def leave(self) -> None:
        """Step out and take the group away."""
        if self.inside is None:
            return
        try:
            _write(f"{self.home}/cgroup.procs", os.getpid())
            os.rmdir(self.inside)
        except OSError:
            return  # an empty group is left behind, which holds nothing and costs nothing


def _own_group() -> str | None:
    """Give the folder of this process's control group for process numbers (version 1, else 2)."""
    for line in _read("/proc/self/cgroup").decode().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "pids":
            return f"/sys/fs/cgroup/pids{path.rstrip('/')}"
        if controllers == "" and os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            return f"/sys/fs/cgroup{path.rstrip('/')}"
    return None


def _write(path: str, number: int) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, str(number).encode())
    finally:
        os.close(handle)
