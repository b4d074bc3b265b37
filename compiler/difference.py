"""What differs between two documents, field by field: for people to read, and for a registration to keep."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeGuard

from ledger.canonical import canonical
from ledger.plain import Plain

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One difference, in the sense of RFC 6902 (add, remove, replace) but with both values.

    ``path`` is a key path (``endpoints.cost.test.kind``, ``threats[2]``, ``env["A.B"]``; empty for the whole document).
    A list item that was removed is counted in the old list, one that was added in the new. ``before`` is null for what
    was added, ``after`` for what was removed.
    """

    path: str
    kind: Literal["added", "removed", "changed"]
    before: Plain
    after: Plain

    def __str__(self) -> str:
        where = self.path or "the document"
        if self.kind == "added":
            return f"{where}: added {_text(self.after)}"
        if self.kind == "removed":
            return f"{where}: removed {_text(self.before)}"
        return f"{where}: {_text(self.before)} became {_text(self.after)}"


def difference(before: Plain, after: Plain) -> tuple[Change, ...]:
    """Compare two plain documents; nothing differs exactly when the result is empty. Sorted as the documents are."""
    return tuple(_compare(before, after, ""))


def _compare(before: Plain, after: Plain, path: str) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}):
            inner = _key(path, key)
            if key not in after:
                yield Change(path=inner, kind="removed", before=before[key], after=None)
            elif key not in before:
                yield Change(path=inner, kind="added", before=None, after=after[key])
            else:
                yield from _compare(before[key], after[key], inner)
    elif _is_list(before) and _is_list(after):
        yield from _compare_lists(before, after, path)
    elif canonical(before) != canonical(after):  # by their bytes, since True == 1 in Python
        yield Change(path=path, kind="changed", before=before, after=after)


def _compare_lists(before: Sequence[Plain], after: Sequence[Plain], path: str) -> Iterator[Change]:
    """Align two lists first, so that one item put in front is one change and not as many as there are items."""
    old, new = ([canonical(each) for each in side] for side in (before, after))
    for kind, start, end, other, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        both = min(end - start, stop - other)
        for step in range(both):
            yield from _compare(before[start + step], after[other + step], f"{path}[{other + step}]")
        for place in range(start + both, end):
            yield Change(path=f"{path}[{place}]", kind="removed", before=before[place], after=None)
        for place in range(other + both, stop):
            yield Change(path=f"{path}[{place}]", kind="added", before=None, after=after[place])


def _is_list(value: Plain) -> TypeGuard[Sequence[Plain]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _key(path: str, key: str) -> str:
    if not _NAME.fullmatch(key):
        return f"{path}[{_text(key)}]"
    return f"{path}.{key}" if path else key


def _text(value: Plain) -> str:
    return canonical(value).decode()
