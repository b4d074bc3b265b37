"""The ``command`` check: a command in a copy of the graded tree; its exit status says whether the check holds."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

from compiler.plan import LimitsPlan
from executor.ports import CheckResult, GradeOrder, Job, JobEnd
from executor.scratch import mount_overlay, own_folder
from ledger.plain import Plain

TIMEOUT_S = 120
_OUTPUT_BYTES = 16 * 1024 * 1024
_SHOWN = 400
_ENV = {"TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


class CommandGrader:
    """Runs one command. What it writes is seen by no other check: each runs in a copy of its own."""

    kind: ClassVar[str] = "command"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Run ``run`` (a text is a line for ``sh -c``) without network, and compare its status with ``expect_exit``.

        A command that has to be stopped does not hold.

        Raises:
            WorldFault: It could not be started: there is no such program, or the sandbox failed.
        """
        options = order.check.options
        place = Path(tempfile.mkdtemp(prefix="command-", dir=order.scratch))
        with _copy(order) as tree:
            end = order.sandbox.run(_job(order, tree, place))
        wanted = options.get("expect_exit", 0)
        facts: dict[str, Plain] = {"exit_code": None if end.stopped_by else end.exit_code}
        printed = {name: place / name for name in ("stdout", "stderr")}
        ok = end.stopped_by is None and end.exit_code == wanted
        return CheckResult(ok=ok, facts=facts, detail=_told(end, wanted, printed), artefacts=printed)


def command_line(run: Plain) -> tuple[str, ...]:
    """Give the arguments that a ``run`` option means."""
    if isinstance(run, str):
        return ("sh", "-c", run)
    assert isinstance(run, Sequence)
    return tuple(str(word) for word in run)


def _job(order: GradeOrder, tree: Path, place: Path) -> Job:
    options: Mapping[str, Plain] = order.check.options
    home = place / "home"
    home.mkdir()
    return Job(
        argv=command_line(options["run"]),
        workspace=tree,
        home=home,
        limits=LimitsPlan(time_s=Decimal(str(options.get("timeout", TIMEOUT_S))), output_bytes=_OUTPUT_BYTES),
        stdout=place / "stdout",
        stderr=place / "stderr",
        env=_ENV,
        path=order.path,
        mounts=order.mounts,
    )


@contextmanager
def _copy(order: GradeOrder) -> Iterator[Path]:
    """Give a copy of the graded tree: an overlay where the kernel allows."""
    with own_folder(order.scratch, "copy") as folder:
        tree = folder / "tree"
        for name in ("upper", "work", "tree"):
            (folder / name).mkdir()
        if mount_overlay(order.root, folder / "upper", folder / "work", tree) is not None:
            shutil.copytree(order.root, tree, symlinks=True, dirs_exist_ok=True)
        yield tree


def _told(end: JobEnd, wanted: Plain, printed: Mapping[str, Path]) -> str:
    if end.stopped_by is not None:
        return f"stopped: over its limit of {end.stopped_by}"
    said = f"exit status {end.exit_code}" if end.signal is None else f"ended by signal {end.signal}"
    if end.exit_code == wanted:
        return said
    tail = " / ".join(each for each in (_tail(printed["stderr"]), _tail(printed["stdout"])) if each)
    return f"{said}, expected {wanted}" + (f": {tail}" if tail else "")


def _tail(file: Path) -> str:
    text = file.read_bytes()[-4096:].decode("utf-8", "replace") if file.is_file() else ""
    return " / ".join(line.strip() for line in text.splitlines() if line.strip())[-_SHOWN:]
