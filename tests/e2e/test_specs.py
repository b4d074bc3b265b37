"""Every experiment that ships: it checks without an error, and its starter can be laid out."""

from pathlib import Path

import pytest

from prereg import api

SPECS = Path(__file__).parents[2] / "specs"
SHIPPED = sorted(each.parent.name for each in SPECS.glob("*/spec.yaml"))
BESIDE = sorted(
    each.relative_to(SPECS).as_posix()
    for each in SPECS.glob("*/*.yaml")
    if each.name != "spec.yaml" and each.read_text("utf-8").count("\nprereg: 1\n")
)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_spec_has_no_errors(name: str, tmp_path: Path) -> None:
    api.init(tmp_path / name, name)
    checked = api.check(tmp_path / name / "spec.yaml")
    assert not [each for each in checked.warnings if each.severity == "error"]


@pytest.mark.parametrize("name", BESIDE)
def test_a_shipped_design_for_real_tools_has_no_errors(name: str) -> None:
    checked = api.check(SPECS / name)
    assert not [each for each in checked.warnings if each.severity == "error"]


def test_every_starter_is_listed() -> None:
    assert list(api.starter_names()) == SHIPPED
