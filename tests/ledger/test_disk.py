"""Files are whole or absent, and what the system refuses becomes a fault with a hint."""

import errno
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ledger.blobs import Blobs
from ledger.disk import lock, locked, world_fault, write_whole
from ledger.errors import WorldFault


@contextmanager
def no_file_may_pass(size: int) -> Iterator[None]:
    """Let the system refuse files that grow beyond a size, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"one")
    write_whole(path, b"two", mode=0o444)
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o444
    assert list(tmp_path.iterdir()) == [path]


def test_a_refused_write_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"one")
    with no_file_may_pass(100):
        with pytest.raises(WorldFault):
            write_whole(path, b"x" * 1000)
        with pytest.raises(WorldFault):
            Blobs(tmp_path / "blobs").put(b"x" * 1000)
    assert path.read_bytes() == b"one"
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["blobs", "file"]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EDQUOT, "disk-full"),
        (errno.EFBIG, "disk-full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "read-only"),
        (errno.EIO, "disk"),
    ],
)
def test_what_the_system_says_becomes_a_fault_with_a_hint(number: int, code: str) -> None:
    reason = world_fault(OSError(number, os.strerror(number)), Path("runs/a/ledger.jsonl")).reasons[0]
    assert reason.code == code
    assert reason.where == "runs/a/ledger.jsonl"
    assert reason.hint


def test_a_folder_is_locked_for_one(tmp_path: Path) -> None:
    with locked(tmp_path):
        with pytest.raises(WorldFault) as caught, locked(tmp_path):
            pass
        assert caught.value.reasons[0].code == "locked"
    with locked(tmp_path):
        pass


def test_what_cannot_be_locked_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldFault) as caught, locked(tmp_path / "absent"):
        pass
    assert caught.value.reasons[0].code == "disk"
    with pytest.raises(WorldFault):
        lock(10_000, tmp_path)
