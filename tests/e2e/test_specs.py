"""Every experiment that ships: it checks without an error, and its starter can be laid out."""

from pathlib import Path

import pytest

from prereg import api

SPECS = Path(__file__).parents[2] / "specs"
SHIPPED = sorted(each.parent.name for each in SPECS.glob("*/spec.yaml"))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_spec_has_no_errors(name: str, tmp_path: Path) -> None:
    api.init(tmp_path / name, name)
    checked = api.check(tmp_path / name / "spec.yaml")
    assert not [each for each in checked.warnings if each.severity == "error"]


def test_every_starter_is_listed() -> None:
    assert list(api.starter_names()) == SHIPPED
