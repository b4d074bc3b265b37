"""What every sandbox must do: whole trees are ended, limits hold, nothing of the host gets through."""

import os
import signal
import sys
import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from executor.ports import Job, Mount, Sandbox
from ledger.errors import WorldFault
from prereg.conformance.jobs import MIB, PYTHON, OnSandbox, begun, gone, limits, python, shell

_ORPHAN = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    time.sleep(60)  # "
# Bounded whatever happens: a tree of 1023 processes that end by themselves.
_BOMB = "import os, time\nfor _ in range(9): os.fork()\ntime.sleep(10)  # "
# Never two at once, but each one is gone as soon as it is seen.
_HOPPING = "import os\nfor _ in range(20000):\n    if os.fork(): os._exit(0)  # "
_ONE = "import time; x = bytearray(b'1') * (300 << 20); time.sleep(30)"
_MANY = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        x = bytearray(b'1') * (60 << 20)
        time.sleep(30)
time.sleep(30)
"""
_SHARED = """
import os, time
x = bytearray(b'1') * (80 << 20)
for _ in range(4):
    if os.fork() == 0:
        time.sleep(0.4)
        os._exit(0)
for _ in range(4): os.wait()
"""
_EXECUTOR = """
import importlib, sys
from decimal import Decimal
from pathlib import Path
from compiler.plan import LimitsPlan
from executor.ports import Job
module, name, folder, marker = sys.argv[1:]
sandbox = getattr(importlib.import_module(module), name)()
folder = Path(folder)
sandbox.run(Job(argv=("sh", "-c", f"touch started; setsid sleep {marker} & sleep {marker}"), workspace=folder / "workspace",
    home=folder / "home", limits=LimitsPlan(time_s=Decimal(60)), stdout=folder / "o", stderr=folder / "e"))
"""
_BACKGROUND = (
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)  # {mark}'])\n"
)
_OBEYS = """
import sys, time
print("begun", flush=True)
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
"""
_IGNORES = """
import signal, time
signal.signal(signal.SIGINT, lambda *_: print("no", flush=True))
print("begun", flush=True)
while True:
    time.sleep(0.05)
"""


class TestSandbox(OnSandbox):
    """A job in a sandbox, from its arguments to its end."""

    @pytest.mark.parametrize("code", [0, 1, 2, 77, 128, 255])
    def test_exit_codes(self, sandbox: Sandbox, job: Job, code: int) -> None:
        """The status of the program is told as it is."""
        end = sandbox.run(shell(job, f"exit {code}"))
        assert (end.exit_code, end.signal, end.stopped_by) == (code, None, None)

    @pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
    def test_signals(self, sandbox: Sandbox, job: Job, name: signal.Signals) -> None:
        """A program that a signal ended has no status."""
        end = sandbox.run(shell(job, f"kill -{name.value} $$"))
        assert (end.exit_code, end.signal, end.stopped_by) == (None, name, None)

    def test_output_goes_to_the_two_files(self, sandbox: Sandbox, job: Job) -> None:
        """What it prints stands in two files, each its own."""
        sandbox.run(shell(job, "printf out; printf err >&2"))
        assert (job.stdout.read_bytes(), job.stderr.read_bytes()) == (b"out", b"err")

    def test_output_is_cut_at_its_limit(self, sandbox: Sandbox, job: Job) -> None:
        """Output ends at its limit, on either stream, and not below it."""
        for script in ("head -c 3000 /dev/zero", "head -c 3000 /dev/zero >&2", "yes", "yes >&2"):
            end = sandbox.run(shell(job, script, limits=limits(output_bytes=1000)))
            assert end.stopped_by == "output"
            assert job.stdout.stat().st_size <= 1000
            assert job.stderr.stat().st_size <= 1000
        assert sandbox.run(shell(job, "head -c 1000 /dev/zero", limits=limits(output_bytes=1000))).stopped_by is None

    def test_time_ends_the_whole_tree(self, sandbox: Sandbox, job: Job) -> None:
        """At the time limit everything that was started is dead, whatever it did to live on."""
        marker = f"3{time.time_ns() % 10**8}"
        script = (
            f"sleep {marker} & setsid sleep {marker} & nohup sh -c 'trap \"\" TERM; sleep {marker}' & sleep {marker}"
        )
        begin = time.monotonic()
        end = sandbox.run(shell(job, script, limits=limits(time_s=Decimal("0.5"))))
        assert (end.exit_code, end.signal, end.stopped_by) == (None, signal.SIGKILL, "time")
        assert Decimal("0.5") <= end.seconds < 3
        assert time.monotonic() - begin < 4
        assert gone(marker)

    def test_what_is_left_running_is_counted_and_killed(self, sandbox: Sandbox, job: Job) -> None:
        """What outlives the program is counted and killed; what is ending anyhow is not counted."""
        marker = f"4{time.time_ns() % 10**8}"
        begin = time.monotonic()
        end = sandbox.run(python(job, _ORPHAN + marker))
        assert (end.exit_code, end.left_running) == (0, 1)
        end = sandbox.run(shell(job, f"sleep {marker} & setsid sleep {marker} & exit 3"))
        assert (end.exit_code, end.left_running) == (3, 2)
        assert sandbox.run(shell(job, "sleep 0.01 & exit 0")).left_running == 0
        assert time.monotonic() - begin < 8
        assert gone(marker)

    def test_a_fork_bomb_meets_its_limit(self, sandbox: Sandbox, job: Job) -> None:
        """A tree of too many processes is ended; one within its limit is left alone."""
        marker = f"bomb{time.time_ns() % 10**8}"
        end = sandbox.run(python(job, _BOMB + marker, limits=limits(processes=40)))
        assert end.stopped_by == "processes"
        assert gone(marker)
        assert sandbox.run(shell(job, "sleep 0.2 | sleep 0.2 | sleep 0.2", limits=limits(processes=40))).exit_code == 0

    def test_a_process_that_hops_is_caught(self, sandbox: Sandbox, job: Job) -> None:
        """A process that is another one every moment does not get away."""
        marker = f"hop{time.time_ns() % 10**8}"
        end = sandbox.run(python(job, _HOPPING + marker))
        assert end.exit_code == 0
        assert gone(marker)

    def test_memory_of_the_tree_is_limited(self, sandbox: Sandbox, job: Job) -> None:
        """Memory counts over the whole tree, and what processes share counts once."""
        for script, expected in ((_ONE, "memory"), (_MANY, "memory"), (_SHARED, None)):
            assert sandbox.run(python(job, script, limits=limits(memory_bytes=150 * MIB))).stopped_by == expected

    def test_the_environment_is_scrubbed(self, sandbox: Sandbox, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing of the host gets through: the job's own variables, and those that a sandbox sets."""
        monkeypatch.setenv("SECRET_OF_THE_HOST", "s3cret")
        sandbox.run(shell(job, "env; cat /proc/$$/environ /proc/$PPID/environ | tr '\\0' '\\n'", env={"MINE": "ü=1"}))
        seen = job.stdout.read_text("utf-8").splitlines()
        assert "MINE=ü=1" in seen
        assert not any("s3cret" in line for line in seen)
        names = {line.partition("=")[0] for line in seen}
        assert names <= {"MINE", "HOME", "TMPDIR", "PATH", "LANG", "USER", "LOGNAME", "PWD", "SHLVL", "_", "OLDPWD"}
        sandbox.run(shell(job, "echo $PATH", env={"PATH": "/bin:/usr/bin"}))
        assert job.stdout.read_text("utf-8") == "/bin:/usr/bin\n"

    def test_arguments_arrive_as_they_are(self, sandbox: Sandbox, job: Job) -> None:
        """No shell and no encoding comes between."""
        script = "import sys; sys.stdout.buffer.write(b'\\0'.join(a.encode('utf-8', 'surrogateescape') for a in sys.argv[1:]))"
        said = ["naïve 漢字 🐍", "", "two words", "$(touch x) ; `id` 'q' \"q\"", "-x", "--", "line\nfeed", "*"]
        sandbox.run(replace(job, argv=(Path(PYTHON).name, "-c", script, *said)))
        assert job.stdout.read_bytes().split(b"\0") == [each.encode() for each in said]

    def test_stdin_is_closed_or_what_was_given(self, sandbox: Sandbox, job: Job) -> None:
        """Standard input is what was given, or at its end."""
        assert sandbox.run(replace(job, argv=("cat",))).exit_code == 0
        assert job.stdout.read_bytes() == b""
        assert sandbox.run(replace(job, argv=("cat",), stdin=b"said\0" * 50_000)).exit_code == 0
        assert job.stdout.read_bytes() == b"said\0" * 50_000

    def test_a_missing_program_is_a_fault_of_the_world(self, sandbox: Sandbox, job: Job) -> None:
        """A program that is not there is a WorldFault which names it."""
        for name in ("no-such-program-anywhere", "/no/such/program", "./none"):
            with pytest.raises(WorldFault) as raised:
                sandbox.run(replace(job, argv=(name,)))
            assert raised.value.reasons[0].code == "program-missing"
            assert name in raised.value.reasons[0].what

    def test_workspace_and_home_are_writable_and_named_inside(self, sandbox: Sandbox, job: Job) -> None:
        """Both are there under the names that ``inside`` gives, and what is made in them belongs to the user."""
        end = sandbox.run(
            shell(job, 'pwd; echo "$HOME"; echo made > made; echo home > "$HOME/made"; echo t > "$TMPDIR/t"')
        )
        assert end.exit_code == 0
        where, home = job.stdout.read_text("utf-8").splitlines()
        assert (where, home) == (sandbox.inside(job, job.workspace), sandbox.inside(job, job.home))
        assert (job.workspace / "made").read_text("utf-8") == "made\n"
        assert (job.home / "made").stat().st_uid == os.getuid()

    def test_a_relative_mount_is_a_folder_of_links_while_the_job_runs(
        self, sandbox: Sandbox, job: Job, tmp_path: Path
    ) -> None:
        """Packages are found in the workspace, nothing that stands there is covered, and no trace of them is left."""
        for name in ("one", "two"):
            (tmp_path / "store" / name).mkdir(parents=True)
            (tmp_path / "store" / name / "said").write_text(name)
        mounts = (Mount(host=tmp_path / "store", inside="parts"),)
        end = sandbox.run(shell(job, "cat parts/one/said parts/two/said; echo x > parts/cache", mounts=mounts))
        assert (end.exit_code, job.stdout.read_text("utf-8")) == (0, "onetwo")
        assert list(job.workspace.iterdir()) == []
        (job.workspace / "parts/one").mkdir(parents=True)
        (job.workspace / "parts/one/said").write_text("mine")
        end = sandbox.run(shell(job, "cat parts/one/said parts/two/said", mounts=mounts))
        assert (end.exit_code, job.stdout.read_text("utf-8")) == (0, "minetwo")
        assert [each.name for each in (job.workspace / "parts").iterdir()] == ["one"]

    def test_file_descriptors_of_the_executor_are_not_inherited(
        self, sandbox: Sandbox, job: Job, tmp_path: Path
    ) -> None:
        """No open file of the executor is open inside."""
        with (tmp_path / "open").open("w") as held:
            os.set_inheritable(held.fileno(), True)  # noqa: FBT003
            sandbox.run(shell(job, "ls -l /proc/self/fd"))
        assert "/open" not in job.stdout.read_text("utf-8")
        assert len(job.stdout.read_text("utf-8").splitlines()) <= 5

    def test_a_dead_executor_takes_its_jobs_with_it(self, sandbox: Sandbox, job: Job, tmp_path: Path) -> None:
        """An executor that is killed leaves nothing running."""
        assert job.home.is_dir()
        marker = f"5{time.time_ns() % 10**8}"
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-c", _EXECUTOR, type(sandbox).__module__, type(sandbox).__name__, str(tmp_path), marker],
            {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        until = time.monotonic() + 10
        while not (tmp_path / "workspace/started").exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while not gone(marker):
            assert time.monotonic() < until
            time.sleep(0.01)

    def test_a_program_is_interrupted_as_a_person_would_and_what_it_leaves_is_ended(
        self, sandbox: Sandbox, job: Job
    ) -> None:
        """A cancelled job is interrupted first, and what it leaves is ended."""
        mark = f"left-{os.getpid()}-{sandbox.kind}"
        end = sandbox.run(python(job, _BACKGROUND.format(mark=mark) + _OBEYS, cancel=lambda: begun(job)))
        assert (end.stopped_by, end.exit_code, end.left_running) == ("cancel", 3, 1)
        assert job.stdout.read_text() == "begun\ninterrupted\n"
        assert end.seconds < 5
        assert gone(mark)

    def test_a_program_that_ignores_it_is_killed_after_a_grace(self, sandbox: Sandbox, job: Job) -> None:
        """A job that does not heed the interrupt is killed a little later."""
        end = sandbox.run(python(job, _IGNORES, cancel=lambda: begun(job)))
        assert (end.stopped_by, end.exit_code, end.signal) == ("cancel", None, signal.SIGKILL)
        assert 4 < end.seconds < 12
        assert job.stdout.read_text() == "begun\nno\n"

    def test_a_program_that_ends_by_itself_was_not_cancelled(self, sandbox: Sandbox, job: Job) -> None:
        """Being asked is not being cancelled."""
        asked: list[float] = []

        def never() -> bool:
            asked.append(time.monotonic())
            return False

        end = sandbox.run(shell(job, "sleep 0.1; exit 2", cancel=never))
        assert (end.stopped_by, end.exit_code) == (None, 2)
        assert asked
