"""The ``file-contains`` and ``answer-contains`` checks: a pattern is, or is not, in files of the tree or in the final answer."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from executor.ports import CheckResult, GradeOrder
from executor.protection import matches
from ledger.plain import Plain

MOST_BYTES = 1 << 20
"""A file or an answer is searched this far: what is longer is no text that somebody wrote.

Where the agent wrote so much, a check with ``negate`` does not hold: what must not be there could stand behind it.
"""
_MAGIC = re.compile(r"[*?]")


class FileContainsGrader:
    """Searches the files of the graded tree that a path or glob names. Links are no files: they may lead out of the tree."""

    kind: ClassVar[str] = "file-contains"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Count matches; with ``negate`` none may be found. A file that is not there contains nothing."""
        asked = str(order.check.options["path"])
        files = tuple(_files(order.root, asked))
        count = sum(_count(order.check.options, path.read_bytes()) for path in files)
        touched = (path for path in files if path.relative_to(order.root).as_posix() in order.changed)
        where = (
            f"{len(files)} files of {asked}" if _MAGIC.search(asked) else asked if files else f"{asked}: no such file"
        )
        return _result(
            order.check.options, count, where, whole=all(path.stat().st_size <= MOST_BYTES for path in touched)
        )


class AnswerContainsGrader:
    """Searches the agent's final answer."""

    kind: ClassVar[str] = "answer-contains"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Count matches; with ``negate`` none may be found, but there must be an answer."""
        if order.answer is None:
            return CheckResult(ok=False, facts={"count": 0}, detail="there is no final answer")
        said = order.answer.encode("utf-8", "surrogateescape")
        whole = len(said) <= MOST_BYTES
        return _result(order.check.options, _count(order.check.options, said), "the final answer", whole=whole)


def _count(options: Mapping[str, Plain], data: bytes) -> int:
    text = data[:MOST_BYTES].decode("utf-8", "replace").replace("\r\n", "\n")
    flags = re.ASCII | re.MULTILINE | (re.IGNORECASE if options.get("ignore_case") else 0)
    return sum(1 for _ in re.compile(str(options["pattern"]), flags).finditer(text))


def _result(options: Mapping[str, Plain], count: int, where: str, *, whole: bool) -> CheckResult:
    """Hold a count against what was asked for; of what was not searched to its end nobody can say that it holds no match."""
    negated = options.get("negate") is True
    found = f"{count} matches of {options['pattern']} in {where}"
    detail = found + (", expected none" if negated and count else ", expected one" if not negated and not count else "")
    if negated and not count and not whole:
        detail += f", but it was searched through its first {MOST_BYTES} bytes only"
    return CheckResult(ok=(count == 0 and whole) if negated else count > 0, facts={"count": count}, detail=detail)


def _files(root: Path, asked: str) -> Iterator[Path]:
    """Give the files that a path or glob names, without following a link anywhere."""
    for place, folders, names in os.walk(root):
        folders[:] = sorted(each for each in folders if each != ".git")
        for name in sorted(names):
            path = Path(place, name)
            if matches(path.relative_to(root).as_posix(), (asked,)) and path.is_file() and not path.is_symlink():
                yield path
