"""Looks for the answer in what a treatment brought along: lines that the reference change adds, in files that the provider added."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from executor.scan import look, shown

_SUBSTANTIAL = 24
"""Shorter lines (``return None``, ``else:``) stand in any program."""
_ENOUGH = 3
"""So many different lines of one reference in one file are no accident; all of them where it has fewer."""
_LARGEST = 32 << 20
_MOST_LINES = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Leak:
    """A file that holds part of the answer: how many of the reference's substantial lines."""

    file: str
    lines: int
    of: int


def answer_lines(reference: bytes, given: Iterable[bytes]) -> frozenset[bytes]:
    """Give the substantial lines that a reference patch adds and the starting tree does not have."""
    added = {
        line[1:].strip()
        for line in reference.splitlines()
        if line.startswith(b"+") and not line.startswith(b"+++ ") and _substantial(line[1:].strip())
    }
    for content in given:
        if not added:
            break
        added -= {line.strip() for line in content.splitlines()}
    return frozenset(sorted(added, key=lambda line: (-len(line), line))[:_MOST_LINES])


def find_leaks(answer: frozenset[bytes], roots: Iterable[Path]) -> Iterator[Leak]:
    """Search files and folders of files; links are not followed."""
    if not answer:
        return
    enough = min(_ENOUGH, len(answer))
    for path, name in _files(roots):
        if path.stat().st_size > _LARGEST:
            continue
        data = path.read_bytes()
        plain = data.replace(b'\\"', b'"')  # as JSON and its like hold quotes
        held = sum(1 for line in answer if line in data or line in plain)
        if held >= enough:
            yield Leak(file=shown(name), lines=held, of=len(answer))


def _files(roots: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for root in roots:
        if root.is_symlink() or not root.exists():
            continue
        if root.is_file():
            yield root, root.name
            continue
        for name, about in sorted(look(root).files.items()):
            path = root / name
            if about is not None and path.is_file() and not path.is_symlink():
                yield path, name


def _substantial(line: bytes) -> bool:
    return len(line) >= _SUBSTANTIAL and not line.startswith((b"import ", b"from ", b"#", b"//", b"*", b'"""'))
