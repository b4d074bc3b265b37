"""Content-addressed files: put bytes, get a digest; get by digest, and nothing altered comes back."""

import re
from pathlib import Path

from ledger.canonical import digest as digest_of
from ledger.disk import disk_faults, write_whole
from ledger.errors import Fault, IntegrityFault

_DIGEST = re.compile(r"sha256:([0-9a-f]{64})", re.ASCII)


class Blobs:
    """A folder of files named by the hex of their SHA-256. Files are read-only and never rewritten."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        """Say where the blob of a digest stands, whether it is there or not.

        Raises:
            IntegrityFault: It is not a digest (code ``digest``): a name from outside never becomes a path unchecked.
        """
        match = _DIGEST.fullmatch(digest)
        if match is None:
            raise IntegrityFault(
                Fault(
                    code="digest",
                    what="a blob is named by something that is no digest",
                    expected="sha256:<64 hex>",
                    got=digest[:100],
                    where=str(self.folder),
                    hint="the document that names it was altered or written by another tool",
                )
            )
        return self.folder / match[1]

    def has(self, digest: str) -> bool:
        """Say whether a blob is there; its bytes are not checked."""
        return self.path(digest).is_file()

    def put(self, data: bytes) -> str:
        """Store bytes and give their digest. Storing twice is storing once.

        Raises:
            WorldFault: The disk is full, read-only or failing.
        """
        name = digest_of(data)
        target = self.path(name)
        if not target.exists():
            with disk_faults(target):
                self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(target, data, mode=0o444)
        return name

    def get(self, digest: str) -> bytes:
        """Give the bytes of a digest, hashed again on the way.

        Raises:
            IntegrityFault: There is no such blob (``blob-missing``) or it was altered (``blob-altered``).
        """
        path = self.path(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise IntegrityFault(
                Fault(
                    code="blob-missing",
                    what=f"blob {path.name[:12]} is not there",
                    expected=digest,
                    where=str(path),
                    hint="restore the file; it cannot be made again",
                )
            ) from None
        got = digest_of(data)
        if got != digest:
            raise IntegrityFault(
                Fault(
                    code="blob-altered",
                    what=f"blob {path.name[:12]} holds other bytes than its name says",
                    expected=digest,
                    got=got,
                    where=str(path),
                    hint="restore the original file",
                )
            )
        return data
