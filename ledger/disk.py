"""Files that are whole or absent, and the disk's refusals as world faults."""

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.errors import Fault, WorldFault

_KNOWN = {
    errno.ENOSPC: ("disk-full", "the disk is full", "free some space and run again; the work resumes"),
    errno.EDQUOT: ("disk-full", "the disk quota is used up", "free some space and run again; the work resumes"),
    errno.EFBIG: ("disk-full", "the file may not grow further", "raise the file size limit and run again"),
    errno.EROFS: ("read-only", "the file system is read-only", "mount it writable or use another folder"),
    errno.EACCES: ("read-only", "writing is not permitted", "make the folder writable for this user"),
    errno.EPERM: ("read-only", "writing is not permitted", "make the folder writable for this user"),
}


def world_fault(problem: OSError, path: Path) -> WorldFault:
    """Turn what the operating system said about a path into a WorldFault (``disk-full``, ``read-only`` or ``disk``)."""
    code, what, hint = _KNOWN.get(
        problem.errno or 0, ("disk", problem.strerror or str(problem), "look after the disk and run again")
    )
    return WorldFault(
        Fault(code=code, what=f"cannot write {path.name}: {what}", got=str(problem), where=str(path), hint=hint)
    )


@contextmanager
def disk_faults(path: Path) -> Iterator[None]:
    """Raise WorldFault for every OSError inside."""
    try:
        yield
    except OSError as problem:
        raise world_fault(problem, path) from problem


def write_whole(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file so that after a crash it is there with all its bytes, or is as it was before.

    Raises:
        WorldFault: The disk is full, read-only or failing.
    """
    with disk_faults(path), new_file(path.parent) as (handle, temporary):
        write_all(handle, data)
        os.fchmod(handle, mode)
        os.fsync(handle)
        temporary.replace(path)
        sync_folder(path.parent)


@contextmanager
def new_file(folder: Path) -> Iterator[tuple[int, Path]]:
    """Open a temporary file of that folder for writing; it is gone afterwards unless it was renamed."""
    handle, name = tempfile.mkstemp(prefix=".new-", dir=folder)
    temporary = Path(name)
    try:
        yield handle, temporary
    finally:
        os.close(handle)
        temporary.unlink(missing_ok=True)


def write_all(handle: int, data: bytes) -> None:
    """Write all bytes to a file descriptor; the system may take them in pieces."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sync_folder(folder: Path) -> None:
    """Make created and renamed names in a folder survive a power loss."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(handle: int, path: Path) -> None:
    """Take the exclusive lock of an open file or folder; it ends when the last copy of the descriptor is closed.

    flock, not lockf: closing another descriptor of the same file must not lose it.

    Raises:
        WorldFault: Another process holds it (code ``locked``), or the file system has no locks.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        hint = "wait until it ends, then run again"
        raise WorldFault(
            Fault(code="locked", what=f"another process is writing {path.name}", where=str(path), hint=hint)
        ) from None
    except OSError as problem:
        raise world_fault(problem, path) from problem


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the exclusive lock of a folder that is there.

    Raises:
        WorldFault: As ``lock``.
    """
    with disk_faults(folder):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        lock(handle, folder)
        yield
    finally:
        os.close(handle)
