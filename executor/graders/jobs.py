"""Runs a command of a check in a copy of the graded tree: what it writes is seen by no other check."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

from compiler.plan import LimitsPlan
from executor.ports import GradeOrder, Job
from executor.scratch import mount_overlay, own_folder
from ledger.plain import Plain

TIMEOUT_S = 120
_OUTPUT_BYTES = 16 * 1024 * 1024
_ENV = {"TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


def new_place(order: GradeOrder, what: str) -> Path:
    """Make a folder for a job's home and for what it prints."""
    return Path(tempfile.mkdtemp(prefix=f"{what}-", dir=order.scratch))


def command_line(run: Plain) -> tuple[str, ...]:
    """Give the arguments that a ``run`` option means."""
    if isinstance(run, str):
        return ("sh", "-c", run)
    assert isinstance(run, Sequence)
    return tuple(str(word) for word in run)


def job(order: GradeOrder, run: Plain, tree: Path, place: Path) -> Job:
    """Give the job of a ``run`` option in a tree, without network, within the option ``timeout``."""
    home = place / "home"
    home.mkdir()
    return Job(
        argv=command_line(run),
        workspace=tree,
        home=home,
        limits=LimitsPlan(
            time_s=Decimal(str(order.check.options.get("timeout", TIMEOUT_S))), output_bytes=_OUTPUT_BYTES
        ),
        stdout=place / "stdout",
        stderr=place / "stderr",
        env=_ENV,
        path=order.path,
        mounts=order.mounts,
    )


@contextmanager
def copied(order: GradeOrder) -> Iterator[Path]:
    """Give a copy of the graded tree: an overlay where the kernel allows."""
    with own_folder(order.scratch, "copy") as folder:
        tree = folder / "tree"
        for name in ("upper", "work", "tree"):
            (folder / name).mkdir()
        if mount_overlay(order.root, folder / "upper", folder / "work", tree) is not None:
            shutil.copytree(order.root, tree, symlinks=True, dirs_exist_ok=True)
        yield tree
