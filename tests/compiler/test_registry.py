"""The registry: written whole, never overwritten, every altered byte refused, no forks."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.registration import Registration
from compiler.registry import Entry, Registry
from ledger.blobs import Blobs
from ledger.canonical import canonical, digest, parse
from ledger.codec import from_plain, to_plain
from ledger.disk import locked
from ledger.errors import IntegrityFault, WorldFault
from tests.compiler.nouns import INPUTS, PROMPT, Compiled, compiled

SOURCE = b"prereg: 1\n"
TOOL = {"name": "prereg-compiler", "version": "0.1.0", "digest": digest(b"tool")}
NOW = "2026-11-29T12:00:00Z"


def register(registry: Registry, what: Compiled, parent: Entry | None = None, **more: object) -> Entry:
    """Register with the arguments that tests do not look at."""
    return registry.register(
        what,
        source_bytes=SOURCE,
        inputs=INPUTS,
        tool=TOOL,
        now=NOW,
        new_id="ab" * 16,
        parent=parent,
        **more,  # type: ignore[arg-type]  # a test's own choice
    )


def chain(folder: Path, count: int = 3) -> tuple[Entry, ...]:
    """Make a registration and amendments of it."""
    registry = Registry(folder)
    last = None
    for number in range(count):
        last = register(registry, compiled(f"threat {number}"), last, reason=f"reason {number}" if last else None)
    return registry.entries()


def test_what_is_registered_is_read_back(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "registry")
    what = compiled()
    entry = register(registry, what)
    assert registry.entries() == (entry,)
    assert registry.newest() == entry
    assert entry.plan() == what.plan
    assert entry.plan_bytes() == what.plan_bytes
    assert entry.spec_bytes() == what.spec_bytes
    assert entry.source_bytes() == SOURCE
    assert entry.inputs() == INPUTS
    registered = entry.registration
    assert registered.plan == {"digest": what.plan_digest, "trials": 2}
    assert registered.spec == {"digest": what.spec_digest, "source_digest": digest(SOURCE)}
    assert registered.foreknowledge == {
        "access": "nothing-run",
        "statement": "Nobody ran it.",
        "model_cutoffs": {"m": "2026-05-01"},
        "pilots": [],
    }
    assert (registered.parent, registered.reason, registered.changes, registered.prior) == (None, None, (), ())


def test_the_folder_holds_what_sha256sum_can_check(tmp_path: Path) -> None:
    entry = register(Registry(tmp_path), compiled())
    raw = (entry.folder / "registration.json").read_bytes()
    assert entry.digest == digest(raw)
    assert entry.folder.name == f"0001-{digest(raw).removeprefix('sha256:')[:12]}"
    files = sorted(str(path.relative_to(entry.folder)) for path in entry.folder.rglob("*") if path.is_file())
    inputs = sorted(f"inputs/{digest(data).removeprefix('sha256:')}" for data in (*INPUTS.values(), PROMPT))
    assert files == sorted([*inputs, "plan.json", "registration.json", "spec.json", "spec.yaml"])
    assert [path.name for path in tmp_path.iterdir()] == [entry.name]


def test_an_empty_or_absent_registry_has_no_entries(tmp_path: Path) -> None:
    assert Registry(tmp_path / "absent").entries() == ()
    assert Registry(tmp_path).newest() is None
    assert Registry(tmp_path).find("1") is None


def test_amendments_keep_the_lineage_and_say_what_changed(tmp_path: Path) -> None:
    first, second, third = chain(tmp_path)
    assert [each.name[:4] for each in (first, second, third)] == ["0001", "0002", "0003"]
    assert second.registration.parent == first.digest
    assert third.registration.prior == (first.digest, second.digest)
    assert third.registration.registration_id == first.registration.registration_id
    assert [str(each) for each in second.registration.changes] == ['spec.threats[0]: "threat 0" became "threat 1"']


def test_a_registration_is_found_by_name_number_and_digest(tmp_path: Path) -> None:
    entries = chain(tmp_path)
    registry = Registry(tmp_path)
    for number, entry in enumerate(entries, start=1):
        for name in (entry.name, str(number), f"{number:04d}", entry.digest, entry.name[5:]):
            assert registry.find(name) == entry
    assert registry.find("0009") is None
    assert registry.find("ff") is None
    assert registry.find("") is None


def test_forks_are_refused(tmp_path: Path) -> None:
    first, *_ = chain(tmp_path, 2)
    for parent in (first, None):
        with pytest.raises(IntegrityFault) as caught:
            register(Registry(tmp_path), compiled("other"), parent, reason="why")
        assert caught.value.reasons[0].code == "registry-fork"
    assert len(list(tmp_path.iterdir())) == 2


# --- what was done to the folder ---


def _every_file(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _read_all(folder: Path) -> None:
    for entry in Registry(folder).entries():
        entry.plan()
        entry.spec_bytes()
        entry.source_bytes()
        entry.inputs()
        Blobs(entry.folder / "inputs").get(digest(PROMPT))  # named by the plan, as a run reads it


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("registered")
    chain(folder, 2)
    return folder


@given(data=st.data())
def test_any_flipped_bit_is_refused(
    data: st.DataObject, registered: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = shutil.copytree(registered, tmp_path_factory.mktemp("registry") / "registry")
    path = data.draw(st.sampled_from(_every_file(folder)))
    raw = bytearray(path.read_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.chmod(0o644)
    path.write_bytes(raw)
    with pytest.raises(IntegrityFault) as caught:
        _read_all(folder)
    reason = caught.value.reasons[0]
    assert reason.expected
    assert reason.got
    assert reason.where
    assert reason.hint


def _renamed(folder: Path) -> None:
    second = sorted(folder.iterdir())[1]
    second.rename(folder / second.name.replace("0002", "0005"))


def _altered_and_renamed(folder: Path) -> None:
    """Do what a forger would: change the record and name the folder after its new digest."""
    second = sorted(folder.iterdir())[1]
    path = second / "registration.json"
    record = from_plain(Registration, parse(path.read_bytes(), where="x"), where="x")
    data = canonical(to_plain(replace(record, created_at_untrusted="2020-01-01T00:00:00Z")))
    path.chmod(0o644)
    path.write_bytes(data)
    second.rename(folder / f"0002-{digest(data).removeprefix('sha256:')[:12]}")


@pytest.mark.parametrize(
    ("alter", "code"),
    [
        (lambda folder: shutil.rmtree(min(folder.iterdir())), "registry-gap"),
        (lambda folder: shutil.rmtree(sorted(folder.iterdir())[1]), "registry-gap"),
        (_renamed, "registry-gap"),
        (_altered_and_renamed, "registry-prior"),
        (lambda folder: (folder / "notes.txt").write_text("x"), "registry-name"),
        (lambda folder: (min(folder.iterdir()) / "plan.json").unlink(), "registry-missing"),
        (lambda folder: shutil.rmtree(min(folder.iterdir()) / "inputs"), "blob-missing"),
    ],
)
def test_what_was_done_to_the_folder_is_named(alter: Callable[[Path], object], code: str, tmp_path: Path) -> None:
    chain(tmp_path)
    alter(tmp_path)
    with pytest.raises(IntegrityFault) as caught:
        _read_all(tmp_path)
    assert caught.value.reasons[0].code == code


def test_an_input_that_was_not_registered_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IntegrityFault, match=r"no input other\.yaml"):
        register(Registry(tmp_path), compiled()).input("other.yaml")


# --- the world ---


def test_what_an_interrupted_registering_left_is_no_registration(tmp_path: Path) -> None:
    (tmp_path / ".new-abc").mkdir()
    entry = register(Registry(tmp_path), compiled())
    assert Registry(tmp_path).entries() == (entry,)


def test_two_cannot_register_at_once(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(WorldFault) as caught:
        register(Registry(tmp_path), compiled())
    assert caught.value.reasons[0].code == "locked"
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_takes_no_writing_is_a_fault_of_the_world(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorldFault):
        register(Registry(tmp_path / "file" / "registry"), compiled())
