"""The private store of a task set: its instances and all that would give one away; only digests and opaque ids leave it."""

import hashlib
import hmac
import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from ledger.canonical import canonical, parse
from ledger.disk import disk_faults
from ledger.errors import Fault, IntegrityFault, WorldFault
from ledger.plain import Plain
from ledger.sealed import SealedBlobs

_KEY = re.compile(rb"([0-9a-f]{64,})\n?")
_ID_DIGITS = 16


class Vault:
    """A private store on this machine: ``key``, ``store.json``, ``blobs/`` and ``burned.jsonl`` in one folder.

    ``env`` is the environment variable that says where it is; faults name that and never the folder.
    """

    def __init__(self, env: str, root: Path) -> None:
        self.env, self.root = env, root

    @cached_property
    def key(self) -> bytes:
        """The key under which ids and digests are made. Raises WorldFault (``store-key``)."""
        try:
            said = _KEY.fullmatch((self.root / "key").read_bytes())
        except OSError:
            said = None
        if said is None:
            raise WorldFault(
                Fault(
                    code="store-key",
                    what=f"the private store ${self.env} has no key",
                    expected="a file `key` with at least 64 hex digits",
                    where=f"${self.env}/key",
                    hint=f'openssl rand -hex 32 > "${self.env}/key", once, before the first harvest; the ids depend on it',
                )
            )
        return bytes.fromhex(said[1][: len(said[1]) // 2 * 2].decode("ascii"))

    @property
    def blobs(self) -> SealedBlobs:
        """The sealed blobs: material of tasks, records of candidates, artefacts of attempts."""
        return SealedBlobs(self.root / "blobs", self.key)

    def opaque(self, about: str, text: str) -> str:
        """Give a name for a text that nobody without the key can connect with it; ``about`` keeps kinds of names apart."""
        told = hmac.new(self.key, f"prereg/{about}\0{text}".encode(), hashlib.sha256).hexdigest()
        return f"p{told[:_ID_DIGITS]}"

    def record(self, digest: str) -> Mapping[str, Plain]:
        """Read what the store keeps of a candidate. Raises IntegrityFault when it is not there or altered."""
        read = parse(self.blobs.get(digest), where="a record of the private store")
        if not isinstance(read, Mapping):
            raise IntegrityFault(Fault(code="shape", what="a record of the private store is no map", expected=digest))
        return read

    def burned(self) -> dict[str, str]:
        """Give the instances that leaked, by opaque id, with the reason. Raises IntegrityFault when the list is damaged."""
        file = self.root / "burned.jsonl"
        found: dict[str, str] = {}
        for number, line in enumerate(file.read_bytes().splitlines() if file.is_file() else (), start=1):
            where = f"${self.env}/burned.jsonl, line {number}"
            try:
                said = parse(line, where=where)
            except IntegrityFault:
                said = None  # what the line holds is not shown
            if not isinstance(said, Mapping) or not all(isinstance(said.get(key), str) for key in ("task", "reason")):
                raise IntegrityFault(Fault(code="shape", what="the list of burned instances is damaged", where=where))
            found[str(said["task"])] = str(said["reason"])
        return found

    def burn(self, task: str, reason: str, at: str) -> None:
        """Remember that an instance leaked. Raises WorldFault when the store cannot be written."""
        file = self.root / "burned.jsonl"
        with disk_faults(file), file.open("ab") as opened:
            opened.write(canonical({"task": task, "reason": reason, "at": at}) + b"\n")
            opened.flush()
            os.fsync(opened.fileno())


def store_env(options: Mapping[str, Plain]) -> str | None:
    """Give the environment variable that the options of a source name under ``private``, or None: the set is public."""
    private = options.get("private")
    return str(private["store_env"]) if isinstance(private, Mapping) else None


def open_vault(env: str) -> Vault:
    """Open the store that an environment variable names.

    Raises:
        WorldFault: The variable is not set, or what it names is no folder (``store-missing``); there is no key
            (``store-key``).
    """
    said = os.environ.get(env, "")
    if not said or not Path(said).is_dir():
        what = f"the private store is not there: ${env} " + ("names no folder" if said else "is not set")
        hint = (
            f"export {env}=FOLDER; the tasks of a private set can be harvested and executed only where their store is"
        )
        raise WorldFault(Fault(code="store-missing", what=what, where=f"${env}", hint=hint))
    vault = Vault(env, Path(said).resolve())
    _ = vault.key
    return vault
