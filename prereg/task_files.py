"""Reads the task files of a folder of tasks in the author's language, on behalf of a source that may not know it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from compiler.settings import plain_settings
from executor.reading import ReadTasks
from ledger.plain import Plain
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.load import read_source
from spec_lang.schema import Document
from spec_lang.task_file import defect_schema, read_task, task_schema

CODES = {"P938": "a task of a folder without a tree to start from"}


def read_tasks(files: Sequence[Path]) -> tuple[Mapping[str, Plain], ...]:
    """Give the content of the files of a task folder, in order; a decimal is its text.

    Raises:
        SpecErrors: Everything that is wrong with any of them, and every task without its ``repo/``.
    """
    bag = Bag()
    read = _read(files, task_schema(), bag)
    for file in files:
        if not (file.parent / "repo").is_dir():
            summary = f"the task {file.parent.name} has no repo/"
            hint = "put the tree that the agent starts from into repo/ beside the task file"
            bag.add(Diagnostic(code="P938", summary=summary, hint=hint))
    bag.raise_errors()
    return read


def read_defects(files: Sequence[Path]) -> tuple[Mapping[str, Plain], ...]:
    """Give the content of the files of injected defects, in order.

    Raises:
        SpecErrors: Everything that is wrong with any of them.
    """
    bag = Bag()
    read = _read(files, defect_schema(), bag)
    bag.raise_errors()
    return read


READERS: Mapping[str, ReadTasks] = {"task": read_tasks, "defect": read_defects}
"""The reader of each kind of task file that a source may ask for."""


def _read(files: Sequence[Path], schema: Document, bag: Bag) -> tuple[Mapping[str, Plain], ...]:
    read: list[Mapping[str, Plain]] = []
    for file in files:
        try:
            read.append(plain_settings(read_task(read_source(file), file.parent.name, schema)))
        except SpecErrors as found:
            bag.extend(found.diagnostics)
    return tuple(read)
