"""Blobs: same bytes, same name; nothing altered comes back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.blobs import Blobs
from ledger.canonical import digest
from ledger.errors import IntegrityFault


@given(data=st.binary(max_size=200))
def test_what_is_put_can_be_got(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    blobs = Blobs(tmp_path_factory.mktemp("blobs") / "blobs")
    name = blobs.put(data)
    assert name == digest(data)
    assert blobs.put(data) == name
    assert blobs.has(name)
    assert blobs.get(name) == data
    assert [path.name for path in blobs.folder.iterdir()] == [name.removeprefix("sha256:")]
    assert blobs.path(name).stat().st_mode & 0o777 == 0o444


def test_an_altered_blob_is_refused(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"true")
    blobs.path(name).chmod(0o644)
    blobs.path(name).write_bytes(b"false")
    with pytest.raises(IntegrityFault) as caught:
        blobs.get(name)
    reason = caught.value.reasons[0]
    assert (reason.code, reason.expected, reason.got) == ("blob-altered", name, digest(b"false"))


def test_a_missing_blob_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IntegrityFault) as caught:
        Blobs(tmp_path).get(digest(b"x"))
    assert caught.value.reasons[0].code == "blob-missing"


@pytest.mark.parametrize(
    "name", ["", "x", "sha256:", "sha256:../../etc/passwd", "sha256:" + "A" * 64, "md5:" + "0" * 32]
)
def test_a_name_that_is_no_digest_never_becomes_a_path(name: str, tmp_path: Path) -> None:
    with pytest.raises(IntegrityFault) as caught:
        Blobs(tmp_path).path(name)
    assert caught.value.reasons[0].code == "digest"
