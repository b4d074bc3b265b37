"""What a sandbox must do that says of itself that it isolates (``isolates``, yes unless it says no)."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from executor.ports import Job, Mount, Sandbox
from prereg.conformance.jobs import OnSandbox, python, shell

_NETWORK = """
import socket
print([name for _, name in socket.if_nameindex()])
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
print("loopback")
try:
    socket.create_connection(("192.0.2.1", 80), timeout=2)
except OSError as problem:
    print("refused", problem.errno)
"""


class TestIsolation(OnSandbox):
    """A job in a sandbox that isolates: no network, no files and no processes of the host."""

    @pytest.fixture(autouse=True)
    def promised(self, sandbox: Sandbox) -> None:
        """Ask nothing of a sandbox that promises nothing."""
        if not getattr(sandbox, "isolates", True):
            pytest.skip(f"{sandbox.kind} does not say that it isolates")

    def test_no_network_and_a_working_loopback(self, sandbox: Sandbox, job: Job) -> None:
        """There is a loopback of its own, and no way to anywhere else."""
        for network in ("none", "model"):
            assert sandbox.run(python(job, _NETWORK, network=network)).exit_code == 0
            assert job.stdout.read_text("utf-8").splitlines() == ["['lo']", "loopback", "refused 101"]

    def test_nothing_of_the_host_but_the_list_is_seen(self, sandbox: Sandbox, job: Job, tmp_path: Path) -> None:
        """Neither files nor processes of the host are there."""
        outside = tmp_path / "held-out"
        outside.mkdir()
        script = f"ls {outside} /root /home /srv /mnt /etc/shadow /etc/ssh ; ls -d /proc/[0-9]* | wc -l"
        sandbox.run(shell(job, script))
        seen = job.stdout.read_text("utf-8")
        assert "held-out" not in seen
        assert "shadow" not in seen
        assert ".ssh" not in seen
        assert int(seen.splitlines()[-1]) <= 6

    def test_no_capability_and_nothing_to_remount(self, sandbox: Sandbox, job: Job) -> None:
        """It runs as nobody in particular, with no rights to take back what was taken away."""
        script = "grep CapEff /proc/self/status; id -u; id -un; mount -o remount,rw,bind /usr && echo BAD; touch /usr/x && echo BAD; true"
        assert sandbox.run(shell(job, script)).exit_code == 0
        assert job.stdout.read_text("utf-8").splitlines() == ["CapEff:\t0000000000000000", "1000", "agent"]
        assert not Path("/usr/x").exists()

    def test_mounts_show_what_they_name(self, sandbox: Sandbox, job: Job, tmp_path: Path) -> None:
        """A mount is where it says, and writable only where it says so."""
        shown = tmp_path / "shown"
        shown.mkdir()
        (shown / "a").write_text("a")
        mounts = (Mount(host=shown, inside="/opt/read"), Mount(host=shown, inside="/opt/write", writable=True))
        asked = shell(job, "cat /opt/read/a; touch /opt/read/b || touch /opt/write/c", mounts=mounts)
        assert sandbox.run(asked).exit_code == 0
        assert sorted(each.name for each in shown.iterdir()) == ["a", "c"]
        assert sandbox.inside(asked, shown / "a").startswith("/opt/")
        with pytest.raises(ValueError, match="not shown"):
            sandbox.inside(asked, tmp_path / "elsewhere")

    def test_a_virtual_environment_on_the_path_works(self, sandbox: Sandbox, job: Job) -> None:
        """A folder put on the path is there with what it needs."""
        bin_of = (str(Path(sys.prefix) / "bin"),)
        end = sandbox.run(
            replace(job, argv=(Path(sys.executable).name, "-c", "import sys; print(sys.prefix)"), path=bin_of)
        )
        assert (end.exit_code, job.stdout.read_text("utf-8").strip()) == (0, sys.prefix)
