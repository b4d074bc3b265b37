"""A private store: found by its variable, opened with its key, naming things so that nobody else can connect them."""

from pathlib import Path

import pytest

from executor.vault import Vault, open_vault, store_env
from ledger.errors import IntegrityFault, WorldFault

ENV = "PREREG_TEST_STORE"


def laid(root: Path, key: str = "ab" * 32) -> Vault:
    root.mkdir(exist_ok=True)
    (root / "key").write_text(key)
    return Vault(ENV, root)


def code(env: str = ENV) -> str:
    with pytest.raises(WorldFault) as caught:
        open_vault(env)
    assert all(ENV in each.what for each in caught.value.reasons)
    return caught.value.reasons[0].code


def test_a_set_is_private_where_its_options_say_so() -> None:
    assert store_env({"private": {"store_env": ENV}}) == ENV
    assert store_env({"repository": "kit"}) is None


def test_a_store_that_is_not_there_or_has_no_key_is_named_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENV, raising=False)
    assert code() == "store-missing"
    monkeypatch.setenv(ENV, str(tmp_path / "none"))
    assert code() == "store-missing"
    monkeypatch.setenv(ENV, str(tmp_path))
    for key in (None, "", "ab" * 31, "xy" * 32, "AB" * 32):
        if key is not None:
            (tmp_path / "key").write_text(key)
        assert code() == "store-key"
    (tmp_path / "key").write_text("ab" * 32 + "\n")
    assert open_vault(ENV).key == b"\xab" * 32


def test_names_depend_on_the_key_on_the_text_and_on_what_they_name(tmp_path: Path) -> None:
    one, other = laid(tmp_path / "one"), laid(tmp_path / "other", "cd" * 32)
    names = {
        one.opaque("task", "a"),
        one.opaque("task", "b"),
        one.opaque("origin", "a"),
        other.opaque("task", "a"),
    }
    assert len(names) == 4
    assert one.opaque("task", "a") == laid(tmp_path / "one").opaque("task", "a")
    assert all(name[0] == "p" and len(name) == 17 for name in names)


def test_burned_instances_are_remembered_in_order(tmp_path: Path) -> None:
    vault = laid(tmp_path)
    assert vault.burned() == {}
    vault.burn("p1", "quoted", "2026-11-29T10:00:00Z")
    vault.burn("p2", "a slide", "2026-11-30T10:00:00Z")
    assert laid(tmp_path).burned() == {"p1": "quoted", "p2": "a slide"}


@pytest.mark.parametrize("line", ["{", '{"task": "p1"}', "[]", '{"reason":"x","task":1}'])
def test_a_damaged_list_is_refused(tmp_path: Path, line: str) -> None:
    vault = laid(tmp_path)
    (tmp_path / "burned.jsonl").write_text(line + "\n")
    with pytest.raises(IntegrityFault):
        vault.burned()


def test_a_record_is_what_was_sealed(tmp_path: Path) -> None:
    vault = laid(tmp_path)
    assert vault.record(vault.blobs.put(b'{"id":"p1"}')) == {"id": "p1"}
    with pytest.raises(IntegrityFault):
        vault.record(vault.blobs.put(b"[]"))
