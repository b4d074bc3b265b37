#!/usr/bin/env python3
"""Check the chain of a ledger without prereg: Python's standard library only, written to be read by an auditor.

    python verify_ledger.py RUN_FOLDER REGISTRATION_JSON

RUN_FOLDER holds ledger.jsonl and head.json. What is checked, line by line:
  1. the bytes are the RFC 8785 form of a JSON object without floats (so that nothing can be read in two ways);
  2. "seq" counts 1, 2, 3 …;
  3. "prev" is the SHA-256 of the line before without its line feed; of REGISTRATION_JSON for the first line;
  4. head.json names the last line or, after a crash, the one before; never one that is not there.
What is not checked: that records make sense, that blobs are there, and when anything happened.
Exit code: 0 the chain holds, 4 it does not, 2 usage.
"""

import hashlib
import json
import sys
from pathlib import Path

LARGEST = 2**53 - 1


class Broken(Exception):  # noqa: N818  # read by people: "the chain is broken"
    """The chain does not hold; says where and why."""


def sha256(data: bytes) -> str:
    """Give the digest as ledgers write it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that says a key twice."""
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def integer(text: str) -> int:
    """Refuse integers that not every reader keeps exactly."""
    if abs(int(text)) > LARGEST:
        raise ValueError(f"integer beyond 2^53 - 1: {text}")
    return int(text)


def refuse(text: str) -> object:
    """Refuse floats, NaN and Infinity."""
    raise ValueError(f"{text} is no integer")


def rfc8785(value: object) -> str:
    """Write JSON without floats in its canonical form: keys sorted by UTF-16 code units, nothing superfluous."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{rfc8785(key)}:{rfc8785(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(rfc8785, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def document(data: bytes, where: str) -> dict[str, object]:
    """Read one canonical JSON object."""
    try:
        value = json.loads(
            data.decode(), object_pairs_hook=once, parse_int=integer, parse_float=refuse, parse_constant=refuse
        )
        same = rfc8785(value).encode() == data
    except (ValueError, RecursionError) as problem:
        raise Broken(f"{where}: {problem}") from problem
    if not same:
        raise Broken(f"{where}: these are not the canonical bytes of what they say")
    if not isinstance(value, dict):
        raise Broken(f"{where}: not an object")
    return value


def expect(where: str, expected: object, got: object) -> None:
    """Compare by value and type."""
    if type(expected) is not type(got) or expected != got:
        raise Broken(f"{where}: expected {expected}, got {got}")


def check(ledger: bytes, head: bytes, registration: bytes) -> tuple[int, int]:
    """Give how many lines the ledger has and how many bytes of a torn tail stand behind them; raise Broken."""
    *lines, torn = ledger.split(b"\n")
    prev = genesis = sha256(registration)
    for number, data in enumerate(lines, start=1):
        line = document(data, f"line {number}")
        expect(f"line {number}: seq", number, line.get("seq"))
        expect(f"line {number}: prev", prev, line.get("prev"))
        prev = sha256(data)
    witness = document(head, "head.json")
    seq = witness.get("seq")
    if type(seq) is not int or seq not in (len(lines), len(lines) - 1) or seq < 0:
        raise Broken(f"head.json: names line {seq}, but the ledger has {len(lines)} lines")
    expect("head.json: head", sha256(lines[seq - 1]) if seq else genesis, witness.get("head"))
    return len(lines), len(torn)


def main(arguments: list[str]) -> int:
    """Run the check and say what came of it."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    run, registration = map(Path, arguments)
    try:
        count, torn = check(*(path.read_bytes() for path in (run / "ledger.jsonl", run / "head.json", registration)))
    except (Broken, OSError) as problem:
        print(f"REFUSED {problem}")
        return 4
    print(f"{count} lines follow from {registration.name}" + (f"; {torn} bytes of a torn tail" if torn else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
