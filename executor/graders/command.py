"""The ``command`` check: a command in a copy of the graded tree; its exit status says whether the check holds."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from executor.graders.jobs import copied, job, new_place
from executor.ports import CheckResult, GradeOrder, JobEnd
from ledger.plain import Plain

_SHOWN = 400


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
        place = new_place(order, "command")
        with copied(order) as tree:
            end = order.sandbox.run(job(order, options["run"], tree, place))
        wanted = options.get("expect_exit", 0)
        facts: dict[str, Plain] = {"exit_code": None if end.stopped_by else end.exit_code}
        printed = {name: place / name for name in ("stdout", "stderr")}
        ok = end.stopped_by is None and end.exit_code == wanted
        return CheckResult(ok=ok, facts=facts, detail=_told(end, wanted, printed), artefacts=printed)


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
