"""Blobs whose digests tell nothing to whoever can guess their bytes: each is stored behind a salt that a key gives."""

import hashlib
import hmac
from pathlib import Path

from ledger.blobs import Blobs

SALT_BYTES = 32


class SealedBlobs(Blobs):
    """A folder of sealed blobs. The file is salt and bytes, and named by the digest of both, so that stock tools verify it.

    The salt is HMAC-SHA-256 of the bytes under the key: the same bytes have the same digest for whoever has the key, and
    a digest that was published can be tried by nobody else. Opening one needs no key, but the file.
    """

    def __init__(self, folder: Path, key: bytes) -> None:
        super().__init__(folder)
        self._key = key

    def put(self, data: bytes) -> str:
        """Seal bytes and give their digest. Sealing twice is sealing once. Raises WorldFault as ``Blobs.put``."""
        return super().put(hmac.new(self._key, data, hashlib.sha256).digest() + data)

    def get(self, digest: str) -> bytes:
        """Give the bytes that were sealed. Raises IntegrityFault as ``Blobs.get``."""
        return super().get(digest)[SALT_BYTES:]
