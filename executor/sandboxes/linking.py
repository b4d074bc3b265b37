"""Links in a workspace to what a job's mounts bring along: made before the job, gone after it, so that they are part of no change."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from executor.ports import Job, Mount


@contextmanager
def linked(job: Job) -> Iterator[Job]:
    """Link the entries of every mount whose ``inside`` is relative; gives the job with those mounts at their own place.

    What stands in the workspace stays: no entry is put over another, and a folder that is a link is left alone. A folder that was made
    here is removed with whatever came into it meanwhile (caches of tools), one that was there keeps what is not ours.
    """
    wanted = [mount for mount in job.mounts if is_relative(mount)]
    made: list[tuple[Path, list[Path] | None]] = []
    try:
        for mount in wanted:
            folder = job.workspace / mount.inside
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                continue
            there = folder.is_dir()
            links: list[Path] = []
            made.append((folder, links if there else None))
            folder.mkdir(exist_ok=True)
            for entry in sorted(mount.host.iterdir()):
                link = folder / entry.name
                if not link.is_symlink() and not link.exists():
                    link.symlink_to(entry)
                    links.append(link)
        yield replace(job, mounts=tuple(map(placed, job.mounts))) if wanted else job
    finally:
        for folder, own in made:
            _undo(folder, own)


def is_relative(mount: Mount) -> bool:
    """Say whether a mount is a folder of links in the workspace."""
    return not mount.inside.startswith("/")


def placed(mount: Mount) -> Mount:
    """Give a mount whose entries are linked at its own place, where the links lead."""
    return replace(mount, inside=str(mount.host)) if is_relative(mount) else mount


def _undo(folder: Path, own: list[Path] | None) -> None:
    """Take links back. A program may have put anything in their place: no link is followed, and nothing else is removed."""
    if folder.is_symlink():
        folder.unlink()
    elif own is None and folder.is_dir():
        shutil.rmtree(folder)
    else:
        for link in own or ():
            if link.is_symlink():
                link.unlink()
