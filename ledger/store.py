"""The ledger on disk: read it without writing, or be its one writer; a crash loses at most the line being written."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self
from weakref import WeakSet

from ledger.canonical import canonical, digest, parse
from ledger.chain import encode, verify
from ledger.codec import from_plain, to_plain
from ledger.disk import disk_faults, lock, sync_folder, world_fault, write_all, write_whole
from ledger.errors import Fault, IntegrityFault, WorldFault
from ledger.records import KINDS, Deviation, Line, Record

LEDGER = "ledger.jsonl"
HEAD = "head.json"
TORN = "ledger.torn-"

_KIND_OF = {noun: kind for kind, noun in KINDS.items()}
_RESTORE = "restore ledger.jsonl and head.json from the same copy"


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """What a ledger holds: its lines, the digest of the last one (genesis when there is none), and a torn tail.

    ``torn`` are bytes behind the last line feed: a line that a crash cut short. It was never acknowledged.
    """

    lines: tuple[Line, ...]
    head: str
    torn: bytes
    genesis: str = field(default="", compare=False)
    fingerprint: str = field(default="", compare=False)
    """Digest of the whole file that the lines were read from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Head:
    """head.json, the witness against a shortened ledger: how many lines there were, and the digest of the last."""

    seq: int
    head: str


def read(folder: Path, genesis: str) -> Remembered:
    """Read and verify the ledger of a run folder; nothing is written. A folder without a ledger remembers nothing.

    head.json may be one line behind, as a crash between the two writes leaves it; it is never ahead.

    Raises:
        IntegrityFault: A line was altered, doubled, dropped, reordered or is foreign (see ``chain.verify``), lines are
            missing at the end (``shortened``), were added without a witness (``head-behind``), or the last witnessed
            line is not the one that was written (``edited``).
        WorldFault: The files cannot be read.
    """
    remembered, _ = _read(folder, genesis)
    return remembered


def _read(folder: Path, genesis: str, known: Remembered | None = None) -> tuple[Remembered, int]:
    """Read as ``read`` does; give also how many lines head.json witnesses.

    A file that is byte for byte the one that ``known`` was read from, for the same genesis, is not verified line by line
    again.
    """
    raw = _bytes(folder / LEDGER) or b""
    own = digest(raw)
    if known is None or (known.fingerprint, known.genesis) != (own, genesis):
        *complete, torn = raw.split(b"\n")
        lines = verify(complete, genesis)
        last = digest(complete[-1]) if complete else genesis
        known = Remembered(lines=lines, head=last, torn=torn, genesis=genesis, fingerprint=own)
    head = _bytes(folder / HEAD)
    if head is None and known.lines:
        raise _refused("head-missing", "head.json is missing", f"the witness of {len(known.lines)} lines", "no file")
    return known, _witnessed(from_plain(_Head, parse(head, where=HEAD), where=HEAD), known) if head is not None else 0


def _witnessed(head: _Head, known: Remembered) -> int:
    """Compare head.json with the lines; give its seq."""
    count = len(known.lines)
    if head.seq > count:
        what = f"the ledger was shortened: {head.seq - count} lines at its end are missing"
        raise _refused("shortened", what, f"{head.seq} lines", f"{count} lines")
    if head.seq < count - 1:
        what = f"{count - head.seq} lines stand behind the one that head.json names; a crash leaves one at most"
        raise _refused("head-behind", what, f"{head.seq} or {head.seq + 1} lines", f"{count} lines")
    # Each line names the digest of the one before it, the first one that of the registration.
    own = known.lines[head.seq].prev if 0 <= head.seq < count else known.head
    if head.seq < 0 or own != head.head:
        what = f"line {head.seq} is not the line that was written" if head.seq > 0 else "head.json names no line"
        raise _refused("edited", what, head.head, own, where=f"line {head.seq}")
    return head.seq


class Ledger:
    """The one writer of a ledger. Use ``with Ledger.open(…) as ledger``; leaving gives the lock back."""

    def __init__(self, folder: Path, handle: int, remembered: Remembered, now: Callable[[], str]) -> None:
        self._folder = folder
        self._handle = handle
        self._lines = list(remembered.lines)
        self._head = remembered.head
        self._size = 0
        self._witnessed = 0
        self._now = now
        self._notes: list[Deviation] = []
        self._broken: WorldFault | None = None
        self._turn = threading.Lock()
        _OPEN.add(self)

    @classmethod
    def open(cls, folder: Path, genesis: str, now: Callable[[], str], *, known: Remembered | None = None) -> Self:
        """Lock, verify and recover the ledger of a run folder, which is made when it is not there.

        ``now`` gives the claimed time of a line (RFC 3339, UTC). A torn tail is moved to ``ledger.torn-N`` and a
        ``deviation`` says so: at once, or behind the first line of a ledger that has none yet. ``known`` is what ``read``
        gave a moment ago: where the file is still the same bytes, it is not verified once more.

        Raises:
            IntegrityFault: As ``read``.
            WorldFault: ``locked`` when another process writes here; ``disk-full``, ``read-only`` or ``disk``.
        """
        path = folder / LEDGER
        with disk_faults(path):
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            lock(handle, path)  # on the ledger itself: there is no lock file to be left behind or forgotten
            remembered, witnessed = _read(folder, genesis, known)
            ledger = cls(folder, handle, remembered, now)
            ledger._witnessed = witnessed
            ledger._recover(remembered.torn)
        except BaseException:
            os.close(handle)
            raise
        return ledger

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines so far, in order; a copy, so ask once and keep it."""
        return tuple(self._lines)

    @property
    def head(self) -> str:
        """Digest of the last line, or of registration.json when there is none."""
        return self._head

    def append(self, record: Record) -> Line:
        """Remember one record: it is on the disk when this returns.

        Raises:
            ValueError: The record holds a float or another value that no canonical document holds; nothing is written.
            WorldFault: The disk is full, read-only or failing. The ledger then takes no more lines; opening it again
                recovers what was written.
        """
        with self._turn:
            line = self._append(record)
            while self._notes:
                self._append(self._notes.pop(0))
            return line

    def close(self) -> None:
        """Give the lock back."""
        with self._turn:
            self._disown()

    def _disown(self) -> None:
        # Without the turn: another thread of the parent may hold it, and in the child nobody would ever give it back.
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, record: Record) -> Line:
        if self._broken is not None:
            raise self._broken
        if self._handle < 0:
            raise ValueError("the ledger is closed")
        line = Line(
            seq=len(self._lines) + 1, prev=self._head, kind=_KIND_OF[type(record)], at=self._now(), record=record
        )
        data = encode(line)
        try:
            self._witness()  # an earlier crash may have left head.json one behind; two would be a fault
            self._write(data + b"\n")
            self._lines.append(line)
            self._head = digest(data)
            self._witness()
        except WorldFault as fault:
            self._broken = fault
            raise
        return line

    def _write(self, data: bytes) -> None:
        try:
            write_all(self._handle, data)
            os.fsync(self._handle)
        except OSError as problem:
            # Take back a half-written line; where even that fails, the next opening finds the torn tail.
            with suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise world_fault(problem, self._folder / LEDGER) from problem
        self._size += len(data)

    def _witness(self) -> None:
        """Bring head.json up to the last line."""
        if self._witnessed == len(self._lines) and (self._witnessed or (self._folder / HEAD).exists()):
            return
        write_whole(self._folder / HEAD, canonical(to_plain(_Head(seq=len(self._lines), head=self._head))))
        self._witnessed = len(self._lines)

    def _recover(self, torn: bytes) -> None:
        """Set a torn tail aside, and note every one that no deviation mentions yet (a crash may have come between)."""
        path = self._folder / LEDGER
        kept = sorted(self._folder.glob(f"{TORN}*"), key=lambda each: (len(each.name), each.name))
        if torn and not any(_bytes(each) == torn for each in kept):
            kept.append(self._folder / f"{TORN}{len(kept) + 1}")
            write_whole(kept[-1], torn)
        with disk_faults(path):
            self._size = os.fstat(self._handle).st_size - len(torn)
            if torn:
                os.ftruncate(self._handle, self._size)
                os.fsync(self._handle)
            sync_folder(self._folder)
        self._witness()
        told = " ".join(line.record.reason for line in self._lines if isinstance(line.record, Deviation))
        self._notes = [_torn_note(each) for each in kept if f"{each.name} " not in told]
        while self._lines and self._notes:
            self._append(self._notes.pop(0))


def _torn_note(kept: Path) -> Deviation:
    data = _bytes(kept) or b""
    return Deviation(
        what="torn tail",
        reason=f"{kept.name} keeps {len(data)} bytes ({digest(data)}) of a line that an interruption cut short",
    )


_OPEN: WeakSet[Ledger] = WeakSet()


def _let_go() -> None:
    """Close every ledger in a forked child: a copied descriptor would keep the lock after the writer was killed."""
    for ledger in _OPEN:
        ledger._disown()


os.register_at_fork(after_in_child=_let_go)


def _bytes(path: Path) -> bytes | None:
    """Read a file; None when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise WorldFault(
            Fault(code="unreadable", what=f"cannot read {path.name}: {problem.strerror}", where=str(path))
        ) from problem


def _refused(code: str, what: str, expected: str, got: str, where: str = LEDGER) -> IntegrityFault:
    return IntegrityFault(Fault(code=code, what=what, expected=expected, got=got, where=where, hint=_RESTORE))
