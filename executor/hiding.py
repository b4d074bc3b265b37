"""A PATH on which certain programs cannot be found: the host's own copies of a treatment, hidden from every arm alike."""

from collections.abc import Iterable
from pathlib import Path


def clean_path(folders: Iterable[str], hidden: Iterable[str], scratch: Path) -> tuple[str, ...]:
    """Give the folders of a PATH, each one that holds a hidden program replaced by a folder of links to its other programs."""
    names = frozenset(hidden)
    cleaned = []
    for n, folder in enumerate(dict.fromkeys(folders)):
        held = [name for name in names if (Path(folder) / name).exists()]
        cleaned.append(str(_without(Path(folder), names, scratch / f"path-{n}")) if held else folder)
    return tuple(cleaned)


def _without(folder: Path, hidden: frozenset[str], made: Path) -> Path:
    made.mkdir(parents=True, exist_ok=True)
    for program in folder.iterdir():
        if program.name not in hidden:
            (made / program.name).symlink_to(program)
    return made
