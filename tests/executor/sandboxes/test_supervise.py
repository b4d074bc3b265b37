"""The supervisor sees a job to its very end: a program of many threads, killed, is reaped before it is reported."""

import sys
from decimal import Decimal
from pathlib import Path

from compiler.plan import LimitsPlan
from executor.ports import Job
from executor.sandboxes.local import LocalSandbox

THREADS = """
import threading
for _ in range(48):
    threading.Thread(target=lambda: [bytearray(1 << 20) for _ in iter(int, 1)]).start()
"""


def test_a_program_of_many_threads_is_reported_as_it_was_ended(tmp_path: Path) -> None:
    for name in ("workspace", "home"):
        (tmp_path / name).mkdir()
    job = Job(
        argv=(sys.executable, "-I", "-c", THREADS),
        workspace=tmp_path / "workspace",
        home=tmp_path / "home",
        limits=LimitsPlan(time_s=Decimal("0.2")),
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
    )
    for _ in range(6):
        end = LocalSandbox().run(job)
        assert (end.stopped_by, end.signal, end.exit_code) == ("time", 9, None)
