"""Facts that a spec collects from JSON files an agent or a treatment left in the workspace; what is not there is unknown."""

import json
import os
import stat
from collections.abc import Mapping
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
            values[name] = _typed(_at(_read(root, each.file), each.path), each.type)
        except (_NotThereError, ValueError, RecursionError) as problem:
            values[name] = None
            reasons[name] = f"{each.file}: {problem}"
    return values, reasons


class _NotThereError(Exception):
    pass


def _read(root: Path, file: str) -> object:
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
        return json.loads(opened.read())


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
