"""Sealed blobs: the key decides the digest, stock tools verify the file, and what was sealed comes back."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.blobs import Blobs
from ledger.canonical import digest
from ledger.errors import IntegrityFault
from ledger.sealed import SALT_BYTES, SealedBlobs

KEY, OTHER = b"k" * 32, b"o" * 32


@given(st.binary(max_size=200))
def test_what_was_sealed_comes_back(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    blobs = SealedBlobs(tmp_path_factory.mktemp("sealed"), KEY)
    name = blobs.put(data)
    assert blobs.get(name) == data
    assert blobs.put(data) == name


def test_a_digest_cannot_be_tried_without_the_key(tmp_path: Path) -> None:
    mine, theirs = SealedBlobs(tmp_path, KEY).put(b"known text"), SealedBlobs(tmp_path, OTHER).put(b"known text")
    assert len({mine, theirs, digest(b"known text")}) == 3


def test_stock_tools_verify_the_file(tmp_path: Path) -> None:
    name = SealedBlobs(tmp_path, KEY).put(b"text")
    file = tmp_path / name.removeprefix("sha256:")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == file.name
    assert file.read_bytes()[SALT_BYTES:] == b"text"
    assert Blobs(tmp_path).get(name) == file.read_bytes()


def test_an_altered_salt_is_found(tmp_path: Path) -> None:
    blobs = SealedBlobs(tmp_path, KEY)
    name = blobs.put(b"text")
    file = blobs.path(name)
    file.chmod(0o644)
    file.write_bytes(b"\0" + file.read_bytes()[1:])
    with pytest.raises(IntegrityFault):
        blobs.get(name)
