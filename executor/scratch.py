"""Folders for work in progress: named after the process that made them, so that what a killed process left can be swept away."""

import ctypes
import os
import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = re.compile(r"[a-z]+-(\d+)-(\d+)-[0-9a-f]{12}")
_MNT_DETACH = 2
_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def own_folder(scratch: Path, what: str) -> Iterator[Path]:
    """Give a new folder of this process; it is gone afterwards, with whatever is mounted in it."""
    folder = scratch / f"{what}-{os.getpid()}-{_born(os.getpid())}-{uuid.uuid4().hex[:12]}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        discard(folder)


def sweep(scratch: Path) -> int:
    """Remove the folders of processes that are gone, after unmounting what they had mounted; give how many there were."""
    swept = 0
    for folder in sorted(scratch.iterdir()) if scratch.is_dir() else ():
        named = _NAME.fullmatch(folder.name)
        if named and _born(int(named[1])) != named[2]:
            discard(folder)
            swept += 1
    return swept


def discard(folder: Path) -> None:
    """Remove a folder whatever a foreign program made of it: mounts, unwritable folders, trees deeper than a path may be."""
    for mounted in _mounts_below(folder):
        unmount(mounted)
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return
    for place, folders, _ in os.walk(folder):
        for name in folders:
            inner = Path(place, name)
            if not inner.is_symlink():
                inner.chmod(0o700)
    subprocess.run(["rm", "-rf", "--", str(folder)], check=True, capture_output=True)


def mount_overlay(lower: Path, upper: Path, work: Path, at: Path) -> str | None:
    """Mount a writable view of ``lower`` at ``at``; give the reason where this machine does not do it, else None."""
    if any(mark in str(each) for each in (lower, upper, work) for mark in ",:\\"):
        return "the folder's name holds a character that separates mount options"
    folders = f"lowerdir={lower},upperdir={upper},workdir={work}"
    # redirect_dir lets a program rename a folder of the lower tree; volatile spares syncing what is thrown away.
    for options in (f"{folders},redirect_dir=on,volatile", folders):
        if _libc.mount(b"overlay", os.fsencode(at), b"overlay", 0, options.encode("utf-8", "surrogateescape")) == 0:
            return None
    return f"overlay cannot be mounted: {os.strerror(ctypes.get_errno())}"


def unmount(at: Path) -> None:
    """Unmount; what is busy goes when its last user goes."""
    if _libc.umount2(os.fsencode(at), 0) != 0:
        _libc.umount2(os.fsencode(at), _MNT_DETACH)


def _mounts_below(folder: Path) -> list[Path]:
    """Give mount points below a folder, deepest first."""
    table = Path("/proc/self/mountinfo")
    if not table.exists():
        return []
    points = (line.split(b" ")[4] for line in table.read_bytes().splitlines())
    plain = (re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), point) for point in points)
    found = (Path(os.fsdecode(point)) for point in plain)
    return sorted((each for each in found if each.is_relative_to(folder)), key=lambda each: -len(each.parts))


def _born(pid: int) -> str:
    """Give when a process started, in clock ticks since boot; a pid alone may have been given to another since."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "0"
