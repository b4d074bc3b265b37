"""The ledger on disk: one writer, crashes at any byte, shortened and altered files, refusing disks."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import store
from ledger.canonical import canonical, digest, parse
from ledger.errors import IntegrityFault, WorldFault
from ledger.records import Deviation, Peek, Record
from ledger.store import HEAD, LEDGER, Ledger, read
from tests.ledger.strategies import RECORDS
from tests.needs import require

GENESIS = digest(b"registration")


def now() -> str:
    return "2026-11-29T12:00:00Z"


def peek(number: int) -> Peek:
    return Peek(what="status", outcomes=number)


def filled(folder: Path, count: int = 3) -> Path:
    """Make a ledger of some lines."""
    with Ledger.open(folder, GENESIS, now) as ledger:
        for number in range(count):
            ledger.append(peek(number))
    return folder


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "run", GENESIS, now) as ledger:
        assert ledger.head == GENESIS
        first = ledger.append(peek(1))
        second = ledger.append(peek(2))
        assert (first.seq, first.prev, first.at) == (1, GENESIS, now())
        lines, head = ledger.lines, ledger.head
    remembered = read(tmp_path / "run", GENESIS)
    assert remembered == store.Remembered(lines=(first, second), head=head, torn=b"")
    assert lines == (first, second)
    raw = (tmp_path / "run" / LEDGER).read_bytes()
    assert head == digest(raw.splitlines()[-1])
    assert parse((tmp_path / "run" / HEAD).read_bytes(), where=HEAD) == {"seq": 2, "head": head}


def test_an_absent_ledger_remembers_nothing_and_reading_writes_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "absent", GENESIS) == store.Remembered(lines=(), head=GENESIS, torn=b"")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=25)  # every line waits for the disk
@given(records=st.lists(RECORDS, max_size=3))
def test_every_kind_survives_reopening(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("run")
    for record in records:
        with Ledger.open(folder, GENESIS, now) as ledger:
            ledger.append(record)
    assert [line.record for line in read(folder, GENESIS).lines] == records


def test_a_record_that_cannot_be_written_leaves_the_ledger_usable(tmp_path: Path) -> None:
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        with pytest.raises(ValueError, match="float"):
            ledger.append(Deviation(what="w", reason=0.5))  # type: ignore[arg-type]  # what a careless plugin would do
        ledger.append(peek(1))
    assert len(read(tmp_path, GENESIS).lines) == 1


def test_a_closed_ledger_takes_nothing(tmp_path: Path) -> None:
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        pass
    with pytest.raises(ValueError, match="closed"):
        ledger.append(peek(1))


# --- one writer ---


def test_a_second_writer_is_refused_while_the_first_writes(tmp_path: Path) -> None:
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        with pytest.raises(WorldFault) as caught:
            Ledger.open(tmp_path, GENESIS, now)
        assert caught.value.reasons[0].code == "locked"
        ledger.append(peek(1))
        assert len(read(tmp_path, GENESIS).lines) == 1  # reading needs no lock, and does not lose that of the writer
        with pytest.raises(WorldFault):
            Ledger.open(tmp_path, GENESIS, now)
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        ledger.append(peek(2))


WRITER = f"""
import os, signal, sys, time
from pathlib import Path
from ledger.records import Peek
from ledger.store import Ledger
ledger = Ledger.open(Path(sys.argv[1]), {GENESIS!r}, lambda: "2026-11-29T12:00:00Z")
"""


def killed(folder: Path, what: str) -> str:
    """Run a writer that is killed, or kills itself; give what it printed."""
    command = [sys.executable, "-c", WRITER + textwrap.dedent(what), str(folder)]
    done = subprocess.run(command, check=False, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL
    return done.stdout


def test_the_lock_of_a_killed_writer_is_free(tmp_path: Path) -> None:
    killed(tmp_path, "ledger.append(Peek(what='status', outcomes=0)); os.kill(os.getpid(), signal.SIGKILL)")
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        assert [line.record for line in ledger.lines] == [peek(0)]


def test_a_child_of_a_killed_writer_does_not_keep_the_lock(tmp_path: Path) -> None:
    what = """
    child = os.fork()
    if child == 0:
        os.close(1)
        time.sleep(60)
        os._exit(0)
    print(child, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
    """
    child = int(killed(tmp_path, what))
    try:
        with Ledger.open(tmp_path, GENESIS, now) as ledger:
            ledger.append(peek(0))
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_writer_killed_again_and_again_loses_at_most_a_line_each_time(tmp_path: Path) -> None:
    what = """
    import threading
    number = len(ledger.lines)
    while True:
        ledger.append(Peek(what="status", outcomes=number))
        number += 1
        print(number, flush=True)
        if threading.active_count() == 1:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
    """
    for _ in range(3):
        acknowledged = int(killed(tmp_path, what).splitlines()[-1])
        assert len(read(tmp_path, GENESIS).lines) - acknowledged in (0, 1)
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        looks = [line.record.outcomes for line in ledger.lines if isinstance(line.record, Peek)]
        assert looks == list(range(len(looks))) or any(line.kind == "deviation" for line in ledger.lines)


# --- crashes ---


@settings(max_examples=40)  # every line waits for the disk
@given(cut=st.integers(0, 2000), count=st.integers(1, 3))
def test_a_crash_at_any_byte_leaves_a_readable_prefix(
    cut: int, count: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = filled(tmp_path_factory.mktemp("run"), count - 1)
    before = (folder / LEDGER).read_bytes()
    head = (folder / HEAD).read_bytes()
    filled_one = filled_copy(folder, tmp_path_factory.mktemp("other"))
    new = (filled_one / LEDGER).read_bytes()[len(before) :]
    cut = cut % (len(new) + 1)
    # The crash came after `cut` bytes of the new line had reached the disk, before head.json was brought up to it.
    (folder / LEDGER).write_bytes(before + new[:cut])
    (folder / HEAD).write_bytes(head)

    remembered = read(folder, GENESIS)
    whole = cut == len(new)
    assert [line.record for line in remembered.lines] == [peek(number) for number in range(count - 1 + whole)]
    assert remembered.torn == (b"" if whole else new[:cut])

    with Ledger.open(folder, GENESIS, now) as ledger:
        ledger.append(peek(99))
    after = read(folder, GENESIS)
    assert after.torn == b""
    notes = [line.record for line in after.lines if isinstance(line.record, Deviation)]
    assert len(notes) == (1 if remembered.torn else 0)
    if remembered.torn:
        assert (folder / "ledger.torn-1").read_bytes() == new[:cut]
        assert "ledger.torn-1" in notes[0].reason


def filled_copy(folder: Path, target: Path) -> Path:
    """Copy a ledger and append one line to the copy."""
    for name in (LEDGER, HEAD):
        (target / name).write_bytes((folder / name).read_bytes())
    with Ledger.open(target, GENESIS, now) as ledger:
        ledger.append(peek(len(ledger.lines)))
    return target


def test_a_crash_during_recovery_is_recovered(tmp_path: Path) -> None:
    filled(tmp_path)
    ledger, torn = tmp_path / LEDGER, tmp_path / "ledger.torn-1"
    whole = ledger.read_bytes()
    torn.write_bytes(b'{"at":')  # the copy was made …
    ledger.write_bytes(whole + b'{"at":')  # … but the tail is still there
    with Ledger.open(tmp_path, GENESIS, now):
        pass
    assert not (tmp_path / "ledger.torn-2").exists()
    ledger.write_bytes(ledger.read_bytes() + b'{"a')  # and again, another one
    with Ledger.open(tmp_path, GENESIS, now):
        pass
    notes = [line.record for line in read(tmp_path, GENESIS).lines if isinstance(line.record, Deviation)]
    assert [note.reason.split()[0] for note in notes] == ["ledger.torn-1", "ledger.torn-2"]
    with Ledger.open(tmp_path, GENESIS, now) as again:
        assert len(again.lines) == 5  # what was told is not told again


def test_the_note_about_a_torn_first_line_follows_the_first_line(tmp_path: Path) -> None:
    with Ledger.open(tmp_path, GENESIS, now):
        pass
    (tmp_path / LEDGER).write_bytes(b'{"at"')
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        assert ledger.lines == ()
        ledger.append(peek(1))
        assert [line.kind for line in ledger.lines] == ["peek", "deviation"]


# --- what was done to the files ---


@pytest.fixture(scope="module")
def witnessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("witnessed"))


@given(data=st.data())
def test_any_flipped_bit_of_a_witnessed_ledger_is_seen(
    data: st.DataObject, witnessed: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = shutil.copytree(witnessed, tmp_path_factory.mktemp("run") / "run")
    name = data.draw(st.sampled_from([LEDGER, HEAD]))
    raw = bytearray((folder / name).read_bytes())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= 1 << data.draw(st.integers(0, 7))
    (folder / name).write_bytes(raw)
    with pytest.raises(IntegrityFault) as caught:
        read(folder, GENESIS)
    assert all(reason.where and reason.hint for reason in caught.value.reasons)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_shortened_ledger_is_refused(kept: int, tmp_path: Path) -> None:
    filled(tmp_path)
    lines = (tmp_path / LEDGER).read_bytes().splitlines(keepends=True)
    (tmp_path / LEDGER).write_bytes(b"".join(lines[:kept]))
    for attempt in (lambda: read(tmp_path, GENESIS), lambda: Ledger.open(tmp_path, GENESIS, now)):
        with pytest.raises(IntegrityFault) as caught:
            attempt()
        reason = caught.value.reasons[0]
        assert (reason.code, reason.expected, reason.got) == ("shortened", "3 lines", f"{kept} lines")


def test_a_removed_ledger_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / LEDGER).unlink()
    with pytest.raises(IntegrityFault, match="shortened"):
        read(tmp_path, GENESIS)


def _head(folder: Path, seq: int) -> None:
    lines = (folder / LEDGER).read_bytes().splitlines()
    head = digest(lines[seq - 1]) if seq else GENESIS
    (folder / HEAD).write_bytes(canonical({"seq": seq, "head": head}))


def test_a_head_one_line_behind_is_what_a_crash_leaves(tmp_path: Path) -> None:
    _head(filled(tmp_path), 2)
    assert len(read(tmp_path, GENESIS).lines) == 3
    with Ledger.open(tmp_path, GENESIS, now):
        pass
    assert parse((tmp_path / HEAD).read_bytes(), where=HEAD)["seq"] == 3  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "head-missing"),
        ({"seq": 1, "head": "right"}, "head-behind"),
        ({"seq": 3, "head": digest(b"other")}, "edited"),
        ({"seq": -1, "head": GENESIS}, "head-behind"),
        ({"seq": 4, "head": GENESIS}, "shortened"),
        ({"seq": "3", "head": GENESIS}, "shape"),
        ({"seq": 3}, "shape"),
    ],
)
def test_a_head_that_does_not_fit_is_refused(content: dict[str, object] | None, code: str, tmp_path: Path) -> None:
    filled(tmp_path)
    if content is None:
        (tmp_path / HEAD).unlink()
    else:
        (tmp_path / HEAD).write_bytes(canonical(content))  # type: ignore[arg-type]  # built untyped
    with pytest.raises(IntegrityFault) as caught:
        read(tmp_path, GENESIS)
    assert caught.value.reasons[0].code == code


def test_a_ledger_of_another_registration_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    with pytest.raises(IntegrityFault, match="another registration"):
        Ledger.open(tmp_path, digest(b"other"), now)


# --- disks that refuse ---


@contextmanager
def tiny_disk(folder: Path, option: str) -> Iterator[bool]:
    """Mount a file system of a few pages where that is permitted; say whether it was."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", option, "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def _fill(ledger: Ledger) -> None:
    for number in range(1000):
        ledger.append(peek(number))


def test_a_full_disk_is_a_fault_of_the_world_and_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with tiny_disk(disk, "size=16k") as mounted:
        require(None if mounted else "mounting a tmpfs needs root; the file size limit is tested below")
        run = disk / "run"
        with Ledger.open(run, GENESIS, now) as ledger:
            with pytest.raises(WorldFault) as caught:
                _fill(ledger)
            assert caught.value.reasons[0].code == "disk-full"
            assert caught.value.reasons[0].hint
            written = ledger.lines
            with pytest.raises(WorldFault):
                ledger.append(peek(0))
        remembered = read(run, GENESIS)
        assert remembered.lines == written
        assert remembered.torn == b""
        subprocess.run(["mount", "-o", "remount,size=64k", str(disk)], check=True)
        with Ledger.open(run, GENESIS, now) as ledger:
            ledger.append(peek(1000))
        assert len(read(run, GENESIS).lines) == len(written) + 1


def test_a_place_that_takes_no_writing_is_a_fault_of_the_world(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with tiny_disk(disk, "size=64k") as mounted:
        filled(disk)
        if mounted:
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        else:
            require("root may write everywhere and cannot mount here" if os.geteuid() == 0 else None)
            (disk / LEDGER).chmod(0o400)
        with pytest.raises(WorldFault) as caught:
            Ledger.open(disk, GENESIS, now)
        assert caught.value.reasons[0].code == "read-only"
        assert len(read(disk, GENESIS).lines) == 3  # reading goes on


def test_a_file_that_may_not_grow_is_a_fault_of_the_world(tmp_path: Path) -> None:
    filled(tmp_path)
    before = (tmp_path / LEDGER).read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Ledger.open(tmp_path, GENESIS, now) as ledger:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 40, hard))
        try:
            with pytest.raises(WorldFault) as caught:
                ledger.append(peek(3))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.reasons[0].code == "disk-full"
    assert (tmp_path / LEDGER).read_bytes() == before  # the half line was taken back
