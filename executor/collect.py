"""Facts that a spec collects from files of JSON, or JSON lines, that an agent or a treatment left; what is not there is unknown."""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from compiler.plan import CollectPlan
from executor.storable import storable_text
from ledger.plain import Plain

_LARGEST = 16 << 20


def collect(plan: Mapping[str, CollectPlan], root: Path) -> tuple[dict[str, Plain], dict[str, str]]:
    """Give (values, reasons): a value for each name, None with a reason where the file, the path or the type does not fit."""
    values: dict[str, Plain] = {}
    reasons: dict[str, str] = {}
    for name, each in plan.items():
        try:
            values[name] = _typed(_value(_read(root, each.file), each), each.type)
        except (_NotThereError, ValueError, RecursionError) as problem:
            values[name] = None
            reasons[name] = f"{each.file}: {problem}"
    return values, reasons


class _NotThereError(Exception):
    pass


def _value(data: bytes, plan: CollectPlan) -> object:
    if plan.lines is None:
        return _at(json.loads(data), plan.path or "")
    matching = [line for line in _lines(data) if all(_holds(line, path, value) for path, value in plan.where.items())]
    if plan.lines == "count":
        return len(matching)
    if not matching:
        raise _NotThereError("no line matches")
    return _at(matching[-1], plan.path or "")


def _lines(data: bytes) -> Iterator[object]:
    """Read JSON lines. Whoever wrote them may have been killed: a last line without its end says nothing, if it is no JSON."""
    *whole, last = data.split(b"\n")
    for number, line in enumerate(whole, 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as problem:
                raise _NotThereError(f"line {number} is no JSON") from problem
    with suppress(ValueError):
        if last.strip():
            yield json.loads(last)


def _holds(line: object, path: str, value: Plain) -> bool:
    try:
        found = _at(line, path)
    except _NotThereError:
        return False
    return type(found) is type(value) and found == value


def _read(root: Path, file: str) -> bytes:
    """Read a file that lies in the workspace, through no link."""
    here = root
    for part in PurePosixPath(file).parts:
        here = here / part
        if part == ".." or here.is_symlink():
            raise _NotThereError("the way there leads through a link")
    try:
        handle = os.open(here, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as problem:
        raise _NotThereError(problem.strerror) from problem
    with os.fdopen(handle, "rb") as opened:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
            raise _NotThereError("it is no file, or too large")
        return opened.read()


def _at(value: object, path: str) -> object:
    """Follow a dotted path; a number picks from a list; ``length`` at the end counts a list."""
    for part in path.split(".") if path else ():
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, list) and part == "length":
            value = len(value)
        else:
            raise _NotThereError(f"there is no {path}")
    return value


def _typed(value: object, wanted: str) -> Plain:
    if wanted == "count" and type(value) is int and 0 <= value < 1 << 53:
        return value
    if wanted == "bool" and type(value) is bool:
        return value
    if wanted == "text" and isinstance(value, str):
        return storable_text(value)
    raise _NotThereError(f"it is no {wanted}")
