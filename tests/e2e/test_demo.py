"""The demo, from the tree and from a wheel in an empty environment."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _steps(output: str) -> list[str]:
    return [each["title"] for each in json.loads(output)["steps"]]


def _checked(command: list[str], cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("wheel")
    _checked(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(into), str(ROOT)],
        into,
        dict(os.environ),
    )
    (made,) = into.glob("*.whl")
    return made


def test_demo_leaves_a_finished_experiment_and_shows_three_refusals(tmp_path: Path) -> None:
    output = _checked([sys.executable, "-m", "prereg", "demo", "there", "--json"], tmp_path)
    assert sum("Tampered" in each for each in _steps(output)) == 3
    assert _steps(output)[-1] == "Finished"
    run = tmp_path / "there" / "runs" / "demo"
    for name in ("run.json", "ledger.jsonl", "head.json", "verdict.json", "report.md", "report.html"):
        assert (run / name).is_file()
    assert "SIMULATED" in (run / "report.md").read_text("utf-8")


def test_demo_refuses_a_folder_in_use(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = subprocess.run(
        [sys.executable, "-m", "prereg", "demo", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "in use" in done.stderr
    assert "Traceback" not in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.slow
def test_a_wheel_in_an_empty_environment_runs_the_demo_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=True, symlinks=True)
    python = str(home / "bin" / "python")
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    installed = subprocess.run(
        [*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")],
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    if installed.returncode and os.environ.get("CI") != "true":
        pytest.skip(f"the packages could not be installed: {installed.stderr.strip()[-200:]}")
    assert installed.returncode == 0, installed.stderr
    _checked([*pip, "--no-deps", str(wheel)], tmp_path, clean)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    output = _checked([str(home / "bin" / "prereg"), "demo", "--json"], elsewhere, clean)
    assert _steps(output)[-1] == "Finished"
    assert (elsewhere / "prereg-demo" / "runs" / "demo" / "report.html").is_file()
