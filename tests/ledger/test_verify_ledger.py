"""The auditor's own reader agrees with ours on every ledger, sound or broken."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import canonical, digest
from ledger.errors import IntegrityFault
from ledger.records import Record
from ledger.store import HEAD, LEDGER, read
from tests.ledger.strategies import PLAIN, RECORDS
from tests.ledger.test_chain import FIVE, chain

SCRIPT = Path(__file__).parents[2] / "tools" / "verify_ledger.py"
REGISTRATION = b'{"type":"registration"}'
GENESIS = digest(REGISTRATION)


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_ledger", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT_MODULE = _script()


def _run(folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "registration.json").write_bytes(REGISTRATION)
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(folder), str(folder / "registration.json")]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def _ledger(folder: Path, records: list[Record]) -> Path:
    """Write what a Ledger would, without waiting for the disk."""
    lines = chain(records, GENESIS)
    head = {"seq": len(lines), "head": digest(lines[-1]) if lines else GENESIS}
    (folder / LEDGER).write_bytes(b"".join(line + b"\n" for line in lines))
    (folder / HEAD).write_bytes(canonical(head))
    return folder


@given(PLAIN)
def test_canonical_bytes_agree(value: object) -> None:
    assert SCRIPT_MODULE.rfc8785(value).encode() == canonical(value)  # type: ignore[arg-type]  # untyped strategy


@given(records=st.lists(RECORDS, max_size=4), data=st.data())
def test_it_refuses_exactly_what_we_refuse(
    records: list[Record], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = _ledger(tmp_path_factory.mktemp("run"), records)
    name = data.draw(st.sampled_from([LEDGER, HEAD]))
    lines = (folder / name).read_bytes().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(0, 2))):
        action = data.draw(st.sampled_from(["drop", "double", "swap", "flip", "cut"]))
        lines = _altered(lines, action, data.draw(st.integers(0, 10_000)))
    (folder / name).write_bytes(b"".join(lines))

    try:
        read(folder, GENESIS)
        ours = True
    except IntegrityFault as fault:
        if fault.reasons[0].code in ("kind", "shape"):
            return  # what a record may hold is beyond that reader, as its text says
        ours = False
    raw = [(folder / each).read_bytes() for each in (LEDGER, HEAD)]
    try:
        SCRIPT_MODULE.check(*raw, REGISTRATION)
        theirs = True
    except SCRIPT_MODULE.Broken:
        theirs = False
    assert theirs == ours


def _altered(lines: list[bytes], action: str, choice: int) -> list[bytes]:
    if not lines:
        return lines
    at = choice % len(lines)
    line = lines[at]
    if action == "drop":
        return lines[:at] + lines[at + 1 :]
    if action == "double":
        return [*lines[:at], line, *lines[at:]]
    if action == "swap":
        return lines[:at] + lines[at : at + 2][::-1] + lines[at + 2 :]
    if action == "cut":
        return [*lines[:-1], lines[-1][: choice % (len(lines[-1]) + 1)]]
    place = choice % len(line)
    return [*lines[:at], line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :], *lines[at + 1 :]]


def test_as_a_command(tmp_path: Path) -> None:
    done = _run(_ledger(tmp_path, FIVE))
    assert (done.returncode, done.stdout) == (0, "5 lines follow from registration.json\n")
    raw = (tmp_path / LEDGER).read_bytes()
    (tmp_path / LEDGER).write_bytes(raw.replace(b"look 2", b"look 7"))
    done = _run(tmp_path)
    assert done.returncode == 4
    assert done.stdout.startswith("REFUSED line 4: prev: expected sha256:")
    (tmp_path / LEDGER).write_bytes(raw + b'{"at"')
    assert "5 bytes of a torn tail" in _run(tmp_path).stdout
    (tmp_path / LEDGER).unlink()
    assert _run(tmp_path).returncode == 4


def test_usage() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "RUN_FOLDER" in done.stderr


def test_it_is_short_and_stands_alone() -> None:
    text = SCRIPT.read_text()
    assert len(text.splitlines()) <= 120
    assert "ledger." not in "".join(line for line in text.splitlines() if line.startswith(("import", "from")))
