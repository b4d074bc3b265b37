"""Looks at a folder that a foreign program has had: files and links as they are, nothing followed, nothing believed."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

MOST_FILES = 200_000
LARGEST_FILE = 64 << 20
LARGEST_CHANGE = 256 << 20

Stamp: TypeAlias = tuple[int, int, int, int]
"""Mode, size, mtime and ctime (ns). A program cannot set ctime back: an equal stamp is an untouched file."""


@dataclass(kw_only=True, slots=True)
class Seen:
    """Files and links by path (None: it is there, but cannot be taken), and notes on what deserves one."""

    files: dict[str, Stamp | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def stamp(seen: os.stat_result) -> Stamp:
    """Give the stamp of a file."""
    return seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def look(root: Path) -> Seen:
    """List what lies below a root. Repositories (``.git``) and compiled Python (``__pycache__``, ``.pyc``) are never taken."""
    seen = Seen()
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        for entry in _entries(root, folder, seen):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name == ".git":
                if folder:
                    seen.notes.append(
                        f"{shown(path)}: a repository inside the repository; its files are plain files here"
                    )
            elif entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    waiting.append(path)
            elif len(seen.files) >= MOST_FILES:
                seen.notes.append(f"more than {MOST_FILES} files; the rest is left out")
                return seen
            else:
                seen.files[path] = _taken(entry, path, seen)
    return seen


def _entries(root: Path, folder: str, seen: Seen) -> list[os.DirEntry[str]]:
    try:
        about = (root / folder).lstat()
        if about.st_mode & stat.S_IRWXU != stat.S_IRWXU:  # a program may shut what is its own, from us too
            (root / folder).chmod(about.st_mode | stat.S_IRWXU)
        with os.scandir(root / folder) as listed:
            return sorted(listed, key=lambda entry: entry.name)
    except OSError as problem:
        seen.notes.append(f"{shown(folder)}: cannot be read ({problem.strerror}); left out")
        return []


def _taken(entry: os.DirEntry[str], path: str, seen: Seen) -> Stamp | None:
    about = entry.stat(follow_symlinks=False)
    if stat.S_ISLNK(about.st_mode):
        target = os.readlink(entry.path)  # noqa: PTH115  # a Path would tidy the target up
        if Path(os.path.normpath(Path(path).parent / target)).parts[:1] in (("/",), ("..",)):
            seen.notes.append(f"{shown(path)}: a link out of the workspace, to {shown(target)}; never followed")
        return stamp(about)
    if not stat.S_ISREG(about.st_mode):
        seen.notes.append(f"{shown(path)}: neither file nor link; left out")
        return None
    return None if compiled(path) else stamp(about)


def compiled(path: str) -> bool:
    """Say whether a path is compiled Python."""
    return path.endswith(".pyc") or "__pycache__" in path.split("/")


def bounded(files: dict[str, Stamp | None], notes: list[str]) -> list[str]:
    """Give the paths whose content can be taken: none above 64 MiB, none once 256 MiB are taken; a note for each left out."""
    taken, room = [], LARGEST_CHANGE
    for path, about in sorted(files.items()):
        if about is None:
            continue
        if about[1] > min(LARGEST_FILE, room):
            notes.append(f"{shown(path)}: {about[1]} bytes are too many; left out")
            continue
        room -= about[1]
        taken.append(path)
    return taken


def git_mode(mode: int) -> str:
    """Give git's mode of a file or link."""
    if stat.S_ISLNK(mode):
        return "120000"
    return "100755" if mode & stat.S_IXUSR else "100644"


def content(path: Path, mode: int) -> bytes:
    """Give the bytes of a file, or the target of a link."""
    if stat.S_ISLNK(mode):
        return os.fsencode(os.readlink(path))  # noqa: PTH115  # a Path would tidy the target up
    if not mode & stat.S_IRUSR:
        path.chmod(stat.S_IMODE(mode) | stat.S_IRUSR)
    return path.read_bytes()


def shown(path: str) -> str:
    """Give a path as text that any document may hold: short, no control character, no lone surrogate."""
    text = path if len(path) <= 200 else f"{path[:199]}…"
    return text.encode("utf-8", "backslashreplace").decode() if text.isprintable() else ascii(text)
