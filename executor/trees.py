"""Trees of files as bytes: the same files always give the same tar, and laying one down never leaves its folder."""

import io
import os
import shutil
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from ledger.errors import Fault, IntegrityFault

# A fixed moment (2000-01-01T00:00:00Z): after 1980, which zip needs, and telling nothing about the history.
_MOMENT = 946_684_800


@dataclass(frozen=True, kw_only=True, slots=True)
class Leaf:
    """A file, an executable file, or a symbolic link (``data`` is then its target); ``path`` uses ``/``."""

    path: str
    data: bytes
    kind: Literal["file", "executable", "link"] = "file"


def pack(leaves: Iterable[Leaf]) -> bytes:
    """Write leaves as a tar: sorted, without owner, time or compression, so that equal trees are equal bytes.

    Raises:
        ValueError: Two leaves share a path, or a path leaves the tree.
    """
    ordered = sorted(leaves, key=lambda leaf: leaf.path.encode("utf-8", "surrogateescape"))
    buffer = io.BytesIO()
    seen: set[str] = set()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for leaf in ordered:
            if leaf.path in seen or not _inside(leaf.path):
                raise ValueError(f"{leaf.path!r} is there twice or leaves the tree")
            seen.add(leaf.path)
            entry = tarfile.TarInfo(leaf.path)
            entry.mtime = _MOMENT
            entry.mode = 0o644 if leaf.kind == "file" else 0o755
            if leaf.kind == "link":
                entry.type = tarfile.SYMTYPE
                entry.linkname = leaf.data.decode("utf-8", "surrogateescape")
                tar.addfile(entry)
            else:
                entry.size = len(leaf.data)
                tar.addfile(entry, io.BytesIO(leaf.data))
    return buffer.getvalue()


def gather(root: Path) -> Iterator[Leaf]:
    """Read a folder's files and links, without repositories and compiled Python.

    Raises:
        ValueError: It holds what is neither a file nor a link.
    """
    for place, folders, names in os.walk(root):
        folders[:] = sorted(each for each in folders if each not in (".git", "__pycache__"))
        linked = [each for each in folders if Path(place, each).is_symlink()]
        for name in (*linked, *sorted(names)):
            path = Path(place, name)
            inside = path.relative_to(root).as_posix()
            if path.is_symlink():
                yield Leaf(path=inside, data=os.fsencode(path.readlink()), kind="link")
            elif path.is_file():
                executable = path.stat().st_mode & 0o100
                yield Leaf(path=inside, data=path.read_bytes(), kind="executable" if executable else "file")
            else:
                raise ValueError(f"{inside} is neither a file nor a link")


def leaves(data: bytes) -> Iterator[Leaf]:
    """Read a tar back; folders are implied by paths and skipped.

    Raises:
        IntegrityFault: It is no tar, or holds something other than files and links inside its tree.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for entry in tar:
                if entry.isdir():
                    continue
                if not _inside(entry.name) or not (entry.isreg() or entry.issym()):
                    raise _foreign(f"holds {entry.name!r}, which is no file inside it")
                if entry.issym():
                    target = entry.linkname.encode("utf-8", "surrogateescape")
                    yield Leaf(path=entry.name, data=target, kind="link")
                    continue
                opened = tar.extractfile(entry)
                content = opened.read() if opened is not None else b""
                yield Leaf(path=entry.name, data=content, kind="executable" if entry.mode & 0o100 else "file")
    except tarfile.TarError as error:
        raise _foreign(f"cannot be read: {error}") from error


def lay(data: bytes, root: Path) -> None:
    """Lay a tree's files into a folder, over whatever stands in their way.

    A link that stands where a folder should be is replaced by a folder, never followed: nothing outside ``root`` is touched.
    """
    for leaf in leaves(data):
        target = clear(root, leaf.path)
        if leaf.kind == "link":
            target.symlink_to(os.fsdecode(leaf.data))
            continue
        target.write_bytes(leaf.data)
        target.chmod(0o755 if leaf.kind == "executable" else 0o644)
        os.utime(target, (_MOMENT, _MOMENT))


def clear(root: Path, path: str) -> Path:
    """Make room for a path: real folders above it, nothing at it. Gives the place."""
    here = root
    *above, name = PurePosixPath(path).parts
    for part in above:
        here = here / part
        if here.is_symlink() or (here.exists() and not here.is_dir()):
            here.unlink()
        here.mkdir(exist_ok=True)
    target = here / name
    remove(root, path)
    return target


def remove(root: Path, path: str) -> None:
    """Remove a file, link or folder, unless a link above it leads elsewhere (then it is not in this tree)."""
    here = root
    *above, name = PurePosixPath(path).parts
    for part in above:
        here = here / part
        if here.is_symlink() or not here.is_dir():
            return
    target = here / name
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def _inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


def _foreign(what: str) -> IntegrityFault:
    return IntegrityFault(
        Fault(code="tree", what=f"a stored tree {what}", hint="harvest again; blobs are written by harvest alone")
    )
