"""What the evals tasks need on a machine."""

import shutil
from pathlib import Path

from prereg.task_files import read_tasks


def lacking(task: Path) -> str | None:
    """Say which program a task needs that is not here: those it requires, and npm where it prepares dependencies."""
    said = read_tasks([next(task / name for name in ("task.json", "task.yaml") if (task / name).is_file())])[0]
    required = said.get("requires", ())
    assert isinstance(required, list | tuple)
    needed = [*map(str, required), *(["npm"] if said.get("setup") else [])]
    missing = [name for name in needed if shutil.which(name) is None]
    return f"{', '.join(missing)} is not installed" if missing else None
