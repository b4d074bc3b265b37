"""Reads the task files of a task folder in the author's language, on behalf of a source that may not know it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from compiler.settings import plain_settings
from ledger.plain import Plain
from spec_lang.diagnostics import Bag, Diagnostic, SpecErrors
from spec_lang.load import read_source
from spec_lang.task_file import read_task


def read_tasks(files: Sequence[Path]) -> tuple[Mapping[str, Plain], ...]:
    """Give the content of task files, in order; a decimal is its text.

    Raises:
        SpecErrors: Everything that is wrong with any of them, and every task without its ``repo/``.
    """
    bag = Bag()
    read: list[Mapping[str, Plain]] = []
    for file in files:
        try:
            read.append(plain_settings(read_task(read_source(file), file.parent.name)))
        except SpecErrors as found:
            bag.extend(found.diagnostics)
        if not (file.parent / "repo").is_dir():
            summary = f"the task {file.parent.name} has no repo/"
            hint = "put the tree that the agent starts from into repo/ beside the task file"
            bag.add(Diagnostic(code="P938", summary=summary, hint=hint))
    bag.raise_errors()
    return tuple(read)
