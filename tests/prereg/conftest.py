"""What the tests of the face share: a small experiment in several states, and the command line called in this process."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.backends.backend_svg  # noqa: F401  # once: each report is drawn in a copy of this process, which would import it anew
import pytest

from prereg.cli import main
from tests.prereg.laying import lay_experiment, run_by_hand


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What a call of the command line said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        """The codes of the reasons of a fault."""
        return [each["code"] for each in self.json["reasons"]]


Call = Callable[..., Said]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Call the command line; gives exit code, stdout and stderr."""

    def run(*arguments: str | Path) -> Said:
        capfd.readouterr()
        code = main([str(each) for each in arguments])
        out, err = capfd.readouterr()
        return Said(code=code, out=out, err=err)

    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that is compiled, with one closed run; made once, copied by every test."""
    root = lay_experiment(tmp_path_factory.mktemp("made") / "small")
    assert main(["compile", str(root), "--json"]) == 0
    run_by_hand(root)
    return root


@pytest.fixture
def experiment(made: Path, tmp_path: Path) -> Path:
    """A copy of the experiment with its closed run ``runs/one``, not analyzed."""
    root = tmp_path / "small"
    shutil.copytree(made, root)
    return root


@pytest.fixture
def run(experiment: Path) -> Path:
    """The closed run."""
    return experiment / "runs" / "one"


@pytest.fixture(scope="session")
def judged(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment with its run analyzed; made once, copied by every test."""
    root = tmp_path_factory.mktemp("judged") / "small"
    shutil.copytree(made, root)
    assert main(["analyze", str(root / "runs" / "one"), "--json"]) == 0
    return root


@pytest.fixture
def analyzed(judged: Path, tmp_path: Path) -> Path:
    """A copy of the closed run, analyzed."""
    root = tmp_path / "small"
    shutil.copytree(judged, root)
    return root / "runs" / "one"
