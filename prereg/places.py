"""Where this tool keeps what can always be made again: a cache, and scratch space that a killed run's successor sweeps."""

import os
import tempfile
from pathlib import Path

from ledger.disk import disk_faults
from ledger.errors import Fault, WorldFault


def cache() -> Path:
    """Give the folder of the cache, made when it is not there; PREREG_CACHE names another one."""
    named = os.environ.get("PREREG_CACHE")
    folder = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "prereg"
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def scratch() -> Path:
    """Give this user's scratch folder below TMPDIR. Raises WorldFault when somebody else owns that name."""
    folder = Path(tempfile.gettempdir()).resolve() / f"prereg-{os.getuid()}"
    with disk_faults(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        owned = folder.lstat()
    if folder.is_symlink() or owned.st_uid != os.getuid():
        hint = "remove it, or set TMPDIR to a folder of your own"
        raise WorldFault(
            Fault(code="scratch", what="the scratch folder belongs to somebody else", where=str(folder), hint=hint)
        )
    return folder
