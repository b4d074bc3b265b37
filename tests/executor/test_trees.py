"""Trees as bytes: equal trees are equal bytes, and a tree never reaches out of its folder."""

import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.trees import Leaf, clear, lay, leaves, pack, remove
from ledger.errors import IntegrityFault

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=120).filter(
    lambda name: name not in (".", "..")
)
LEAVES = st.lists(
    st.builds(Leaf, path=NAMES, data=st.binary(max_size=40), kind=st.sampled_from(("file", "executable"))),
    unique_by=lambda leaf: leaf.path,
)


@given(LEAVES, st.randoms())
def test_packing_is_undone_by_reading_and_ignores_order(files: list[Leaf], random: object) -> None:
    data = pack(files)
    assert sorted(leaves(data), key=lambda leaf: leaf.path) == sorted(files, key=lambda leaf: leaf.path)
    random.shuffle(files)  # type: ignore[attr-defined]
    assert pack(files) == data


def test_files_links_and_modes_are_laid_down(tmp_path: Path) -> None:
    lay(
        pack([Leaf(path="a/run", data=b"x", kind="executable"), Leaf(path="link", data=b"a/run", kind="link")]),
        tmp_path,
    )
    assert (tmp_path / "a/run").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "link").readlink() == Path("a/run")
    assert (tmp_path / "link").read_bytes() == b"x"


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", ""])
def test_a_path_out_of_the_tree_is_never_packed(path: str) -> None:
    with pytest.raises(ValueError, match="leaves the tree"):
        pack([Leaf(path=path, data=b"")])


def _tar(name: str, kind: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        entry = tarfile.TarInfo(name)
        entry.type = kind
        entry.linkname = "x"
        tar.addfile(entry)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [_tar("../x", tarfile.REGTYPE), _tar("dev", tarfile.CHRTYPE), _tar("hard", tarfile.LNKTYPE), b"no tar" * 200],
)
def test_a_foreign_tar_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(IntegrityFault):
        lay(data, tmp_path)


def test_links_on_the_way_are_replaced_and_never_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "keep").write_text("x")
    (root / "a").symlink_to(outside)
    remove(root, "a/keep")
    assert (outside / "keep").exists()
    clear(root, "a/keep").write_text("inside")
    assert (outside / "keep").read_text() == "x"
    assert (root / "a/keep").read_text() == "inside"
