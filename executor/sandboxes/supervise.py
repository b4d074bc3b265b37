"""The process that stands between the executor and a job: runs one program, ends its whole tree, reports how it went.

It is a process of its own so that every orphan of the job becomes its child (Linux subreaper), and so that a dead executor
(end of file on the control pipe) takes its jobs with it. It is started with ``-I -S`` and imports little: that is its cost.
"""
# ruff: noqa: PTH116, SIM105  # neither pathlib, contextlib nor typing is imported: they would cost more than the rest

from __future__ import annotations

import ctypes
import itertools
import marshal
import os
import resource
import select
import signal
import time

from executor.sandboxes.processes import (
    Fence,
    descendants,
    first_child,
    interrupt,
    kill,
    processes_of,
    proportional,
    resident,
    room,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TICK = 0.05
_SETTLE = 0.1
"""Seconds that processes get to end by themselves after the program ended."""
_KILLING = 10.0
_GRACE = 5.0
"""Seconds that a program gets to end by itself once it was interrupted."""
INTERRUPT = b"i"
"""What the executor writes to the control pipe when the program is to be interrupted, as a person would by Ctrl-C."""
STATUS_FD = 9
"""Where bubblewrap is told to write its status documents."""


def main() -> None:
    """Read the order (marshal) from stdin, carry it out, write the report (marshal) to stdout."""
    control = 0
    size = int.from_bytes(_read_exactly(control, 8), "big")
    order: dict[str, Any] = marshal.loads(_read_exactly(control, size))  # noqa: S302  # our own parent wrote it
    ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    report = Supervisor(order, control).run()
    os.write(1, marshal.dumps(report))


def _read_exactly(handle: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = os.read(handle, size - len(data))
        if not piece:
            raise SystemExit(1)  # the executor died before it said what to do
        data += piece
    return data


class Supervisor:
    """One job from start to last dead process."""

    def __init__(self, order: dict[str, Any], control: int) -> None:
        self.order = order
        self.control = control
        self.ended: dict[int, int] = {}
        self.status_pipe: tuple[int, int] | None = None
        self.documents = b""
        self.cancelled = False

    def run(self) -> dict[str, Any]:
        """Give ``{"status", "stopped_by", "seconds", "left_running", "documents", "error"}``; ``status`` as of wait(2)."""
        # Entering a control group takes longer than a short job. A process namespace is ended by the kernel as a whole, so that nothing
        # outruns the killing; only without one is the fence needed.
        fence = None if self.order["status_pipe"] else Fence(self.order["processes"])
        try:
            return self._run()
        finally:
            if fence is not None:
                fence.leave()

    def _run(self) -> dict[str, Any]:
        begin = time.monotonic()
        try:
            program = self._spawn()
        except OSError as problem:
            return {"error": os.strerror(problem.errno or 0), "status": 0}
        stopped_by = self._watch(program, begin)
        seconds = time.monotonic() - begin
        left = self._settle() if program in self.ended else 0
        kept_alive = self._kill_all()
        if stopped_by is None and self._too_much_output():
            stopped_by = "output"
        self._cut()
        return {
            "error": f"{kept_alive} processes cannot be killed" if kept_alive else None,
            "status": self.ended.get(program, int(signal.SIGKILL)),
            "stopped_by": stopped_by,
            "seconds": seconds,
            "left_running": left,
            "documents": self._read_documents(),
        }

    def _spawn(self) -> int:
        order = self.order
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if order["processes"] and os.getuid() != 0:  # the kernel exempts root, whom the fence holds
            _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
            here = processes_of(os.getuid()) + room(order["processes"])
            soft = here if hard == resource.RLIM_INFINITY else min(here, hard)
            resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
        stdin = os.open("/dev/null", os.O_RDONLY)
        if order["stdin"] is not None:
            stdin = os.memfd_create("stdin")
            with os.fdopen(os.dup(stdin), "wb") as filled:
                filled.write(order["stdin"])
            os.lseek(stdin, 0, os.SEEK_SET)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        actions: list[Any] = [
            (os.POSIX_SPAWN_DUP2, stdin, 0),
            (os.POSIX_SPAWN_DUP2, os.open(order["stdout"], flags, 0o600), 1),
            (os.POSIX_SPAWN_DUP2, os.open(order["stderr"], flags, 0o600), 2),
        ]
        if order["status_pipe"]:
            self.status_pipe = os.pipe()
            os.set_blocking(self.status_pipe[0], False)
            actions.append((os.POSIX_SPAWN_DUP2, self.status_pipe[1], STATUS_FD))
        os.chdir(order["cwd"])
        defaults = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM]
        return os.posix_spawn(
            order["argv"][0], order["argv"], order["env"], file_actions=actions, setsid=True, setsigdef=defaults
        )

    def _watch(self, program: int, begin: float) -> str | None:
        """Wait until the program ended (None), or until a limit (its name) or the executor's death says stop; ``cancel`` once asked to."""
        order = self.order
        ready = select.poll()
        watched = os.pidfd_open(program)
        ready.register(watched, select.POLLIN)
        ready.register(self.control, select.POLLIN)
        deadline, late = begin + order["time"], "time"
        sampled = any(order[name] is not None for name in ("memory", "processes", "output"))
        while True:
            rest = deadline - time.monotonic()
            if rest <= 0:
                return late
            for handle, _ in ready.poll(min(rest, _TICK if sampled else rest) * 1000):
                if handle == watched:
                    self._reap()
                    return "cancel" if self.cancelled else None
                if os.read(self.control, 1) != INTERRUPT:
                    self._kill_all()  # end of file: nobody is there to report to
                    raise SystemExit(1)
                self._interrupt(program)
                deadline, late = min(deadline, time.monotonic() + _GRACE), "cancel"
            self._reap()
            if reason := self._exceeded():
                return reason

    def _interrupt(self, program: int) -> None:
        """Interrupt the program itself; in a sandbox with a namespace of its own that is the first process behind the namespace's own."""
        self.cancelled = True
        init = _init_of(self._read_documents())
        interrupt(program if init is None else first_child(init) or init)

    def _exceeded(self) -> str | None:
        order = self.order
        if self._too_much_output():
            return "output"
        if order["processes"] is None and order["memory"] is None:
            return None
        # A fork bomb grows faster than it can be listed: stop counting where the limit is passed.
        most = order["processes"]
        tree = list(itertools.islice(descendants(), None if most is None else most + 1))
        if most is not None and len(tree) > most:
            return "processes"
        memory = order["memory"]
        # Cheap sum first; it counts pages shared after a fork more than once, so ask exactly before acting on it.
        if memory is not None and sum(map(resident, tree)) > memory and sum(map(proportional, tree)) > memory:
            return "memory"
        return None

    def _too_much_output(self) -> bool:
        limit = self.order["output"]
        return limit is not None and any(os.stat(self.order[name]).st_size > limit for name in ("stdout", "stderr"))

    def _cut(self) -> None:
        limit = self.order["output"]
        if limit is None:
            return
        for name in ("stdout", "stderr"):
            if os.stat(self.order[name]).st_size > limit:
                os.truncate(self.order[name], limit)

    def _settle(self) -> int:
        """Count what still runs after the program ended, once it had a moment to end by itself."""
        until = time.monotonic() + _SETTLE
        init = _init_of(self._read_documents())
        while True:
            self._reap()
            left = sum(1 for pid in descendants() if pid != init)
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.001)

    def _kill_all(self) -> int:
        """Kill until no descendant lives; give how many could not be killed."""
        until = time.monotonic() + _KILLING
        if init := _init_of(self._read_documents()):
            kill(init)  # the kernel ends its whole namespace with it, however fast that grows
        while True:
            alive = 0
            for pid in descendants():
                kill(pid)
                alive += 1
            # A process of many threads is no longer alive before its last thread is gone: it has ended when it can be reaped.
            unreaped = self._reap()
            if not (alive or unreaped) or time.monotonic() > until:
                return alive
            time.sleep(0.0005)

    def _reap(self) -> bool:
        """Note what ended; say whether any child is left that did not."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self.ended[pid] = status

    def _read_documents(self) -> bytes:
        """Give what bubblewrap has written about its own work so far."""
        if self.status_pipe is not None:
            try:
                self.documents += os.read(self.status_pipe[0], 65536)
            except BlockingIOError:
                pass
        return self.documents


def _init_of(documents: bytes) -> int | None:
    """Give the process that bubblewrap keeps as the first of its namespace: it is no part of the job."""
    _, found, rest = documents.partition(b'"child-pid":')
    digits = rest.strip().split(b",")[0].split(b"}")[0].split(b"\n")[0].strip()
    return int(digits) if found and digits.isdigit() else None
