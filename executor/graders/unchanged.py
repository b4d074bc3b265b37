"""The ``unchanged`` check: nothing changed but what may, files byte for byte, functions one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from executor.graders.functions import Outline, read_outline
from executor.ports import CheckResult, GradeOrder
from executor.protection import matches
from ledger.plain import Plain

_SHOWN = 10


class UnchangedGrader:
    """Compares what the change touches with the starting tree. Its findings name paths and functions, never what they hold."""

    kind: ClassVar[str] = "unchanged"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Look at every changed path. ``files`` may change in any way, ``new_files`` may be added, all others must be as they were.

        A file under ``functions`` is judged by them, also where a glob of ``files`` has it. In it all functions but those named must be
        the same bytes, from decorator and comment above to the last line; a renamed function, one moved to another class or file, and
        one with other spaces is a changed one. Their order and the empty lines between them do not count. The code around them must be
        the same too, unless ``module_code`` is ``any``; imports may change, but no name that other code defines or uses may stand for
        something else by one. A file that cannot be parsed may hide anything: it never holds.
        """
        asked = _Asked.read(order.check.options)
        blame: list[str] = []
        functions = 0
        for path in order.changed:
            if path not in asked.functions:
                if matches(path, asked.files) or (matches(path, asked.new_files) and not _there(order.pristine / path)):
                    continue
                blame.append(f"{path}: {_became(order, path)}")
                continue
            found = _compare(order, path)
            if isinstance(found, str):
                blame.append(f"{path}: {found}")
            else:
                functions += len(found.differ)
                blame += [f"{path}: {each}" for each in _judge(asked, path, found)]
        facts: dict[str, Plain] = {"files": len(order.changed), "functions": functions, "unexpected": len(blame)}
        more = [f"and {len(blame) - _SHOWN} more"] if len(blame) > _SHOWN else []
        detail = "; ".join([*blame[:_SHOWN], *more]) or f"{len(order.changed)} files changed, all as they may"
        return CheckResult(ok=not blame, facts=facts, detail=detail)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """The options of the check, read."""

    files: tuple[str, ...]
    new_files: tuple[str, ...]
    functions: Mapping[str, tuple[str, ...]]
    new_functions: bool
    module_code: str

    @classmethod
    def read(cls, options: Mapping[str, Plain]) -> "_Asked":
        functions = options.get("functions")
        return cls(
            files=_texts(options.get("files")),
            new_files=_texts(options.get("new_files")),
            functions={path: _texts(names) for path, names in functions.items()}
            if isinstance(functions, Mapping)
            else {},
            new_functions=options.get("new_functions") is True,
            module_code=str(options.get("module_code", "same")),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compared:
    before: Outline
    after: Outline

    @property
    def differ(self) -> tuple[str, ...]:
        """Names of the functions that are not the same on both sides."""
        before, after = self.before.functions, self.after.functions
        return tuple(name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name))


def _compare(order: GradeOrder, path: str) -> _Compared | str:
    """Take both sides apart, or say why they cannot be compared."""
    sides: list[Outline] = []
    for file in (order.pristine / path, order.root / path):
        if file.is_symlink() or not file.is_file():
            return _became(order, path)
        try:
            outline = read_outline(path, file.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            outline = None
        if outline is None:
            return "cannot be parsed"
        sides.append(outline)
    if _mode(order.pristine / path) != _mode(order.root / path):
        return "another mode"
    return _Compared(before=sides[0], after=sides[1])


def _judge(asked: _Asked, path: str, found: _Compared) -> Iterator[str]:
    before, after = found.before, found.after
    for name in found.differ:
        if name in asked.functions[path]:
            continue
        if name in before.functions:
            yield f"`{name}` {'changed' if name in after.functions else 'is gone'}"
        elif not asked.new_functions or name.partition("#")[0] in before.functions:
            yield f"`{name}` is new"
    if asked.module_code == "same" and before.around != after.around:
        yield "the code outside of functions changed"
    yield from (f"`{name}` is imported otherwise, and other code uses it" for name in _taken(asked, path, found))


def _taken(asked: _Asked, path: str, found: _Compared) -> Sequence[str]:
    """Give the names that imports bind to something else than before, and that what may not change defines or uses."""
    before, after = found.before, found.after
    may = {*asked.functions[path], *(() if asked.module_code == "same" else ("",))}
    used = {*before.functions, *after.functions}
    used.update(name for where, names in after.names.items() if where not in may for name in names)
    bound = {*before.imported, *after.imported}
    return sorted(name for name in bound & used if before.imported.get(name) != after.imported.get(name))


def _became(order: GradeOrder, path: str) -> str:
    if not _there(order.pristine / path):
        return "is new"
    return "changed" if _there(order.root / path) else "is gone"


def _there(file: Path) -> bool:
    return file.is_symlink() or file.exists()


def _mode(file: Path) -> int:
    return file.stat().st_mode & 0o111


def _texts(said: Plain) -> tuple[str, ...]:
    return tuple(map(str, said)) if isinstance(said, Sequence) and not isinstance(said, str) else ()
