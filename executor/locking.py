"""A lock on a file: one process at a time makes what several want, the others wait for it."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which is made where it is not there."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
