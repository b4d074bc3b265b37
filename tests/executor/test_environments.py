"""Interpreters: found by version, built once, and missing ones said plainly."""

import shutil
import sys
from pathlib import Path

import pytest

from compiler.plan import Chosen
from executor.environments import prepare
from ledger.errors import WorldFault
from ledger.plain import Plain

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def venv(tmp_path: Path, **options: Plain) -> Chosen:
    return Chosen(kind="venv", options=options)


def code(environment: Chosen, tmp_path: Path) -> str:
    with pytest.raises(WorldFault) as caught:
        prepare(environment, base=tmp_path, cache=tmp_path / "cache")
    assert caught.value.reasons[0].hint or caught.value.reasons[0].expected
    return caught.value.reasons[0].code


def test_the_host_is_the_interpreter_that_runs_prereg(tmp_path: Path) -> None:
    found = prepare(None, base=tmp_path, cache=tmp_path)
    assert found == prepare(Chosen(kind="host"), base=tmp_path, cache=tmp_path)
    assert found.path == (Path(sys.executable).parent,)
    assert found.versions["python"].startswith(HERE)
    assert found.versions["pytest"]
    assert not list(tmp_path.iterdir())


def test_a_host_interpreter_is_found_by_version_or_name(tmp_path: Path) -> None:
    found = prepare(Chosen(kind="host", options={"python": HERE}), base=tmp_path, cache=tmp_path)
    assert found.versions["python"].startswith(HERE)
    named = Chosen(kind="host", options={"python": sys.executable})
    assert prepare(named, base=tmp_path, cache=tmp_path).python == Path(sys.executable)


def test_a_virtual_environment_is_built_once_and_shows_its_base(tmp_path: Path) -> None:
    asked = venv(tmp_path, python=HERE)
    first = prepare(asked, base=tmp_path, cache=tmp_path / "cache")
    mark = first.path[0] / "mark"
    mark.touch()
    assert prepare(asked, base=tmp_path, cache=tmp_path / "cache") == first
    assert mark.exists()
    assert first.path[0].is_relative_to(tmp_path / "cache")
    assert set(first.versions) >= {"python"}
    assert "pytest" not in first.versions
    shown = [each.host for each in first.mounts]
    assert all(
        any(place.is_relative_to(each) for each in [*shown, Path("/usr")])
        for place in (first.python, Path(sys.base_prefix))
    )


def test_one_that_was_not_finished_is_built_anew(tmp_path: Path) -> None:
    asked = venv(tmp_path, python=HERE)
    first = prepare(asked, base=tmp_path, cache=tmp_path / "cache")
    folder = first.path[0].parent
    (folder / "prereg-environment.json").unlink()
    shutil.rmtree(folder / "bin")
    assert prepare(asked, base=tmp_path, cache=tmp_path / "cache") == first


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert code(venv(tmp_path, python="9.99"), tmp_path) == "no-interpreter"
    assert code(Chosen(kind="host", options={"python": "no-such-python"}), tmp_path) == "no-interpreter"
    assert code(venv(tmp_path, python=HERE, requirements="nowhere.txt"), tmp_path) == "no-requirements"
    assert code(Chosen(kind="container"), tmp_path) == "environment"


def test_a_requirement_that_cannot_be_had_is_said_and_tried_again_next_time(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("--no-index\nno-such-package==1\n")
    asked = venv(tmp_path, python=HERE, requirements="requirements.txt")
    assert code(asked, tmp_path) == "environment"
    assert not list((tmp_path / "cache").rglob("prereg-environment.json"))
