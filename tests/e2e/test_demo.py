"""The demo, from the tree and from a wheel in an empty environment."""

import json
import os
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from analyzer.wording import figure
from prereg.calculating import answer

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


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the demo leaves, and what it said."""
    root = tmp_path_factory.mktemp("demo")
    output = _checked([sys.executable, "-m", "prereg", "demo", "there", "--json"], root)
    return root / "there", output


def test_demo_leaves_a_finished_experiment_and_shows_three_refusals(told: tuple[Path, str]) -> None:
    folder, output = told
    assert sum("Tampered" in each for each in _steps(output)) == 3
    assert _steps(output)[-1] == "Finished"
    run = folder / "runs" / "demo"
    for name in ("run.json", "ledger.jsonl", "head.json", "verdict.json", "report.md", "report.html", "numbers.jsonl"):
        assert (run / name).is_file()
    assert "SIMULATED" in (run / "report.md").read_text("utf-8")


def test_every_command_of_a_report_gives_the_number_that_stands_behind_it(
    told: tuple[Path, str], tmp_path: Path
) -> None:
    """Each command is pasted into a shell as it stands on the page, and its answer compared with the page."""
    folder, _ = told
    (tmp_path / "prereg").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m prereg "$@"\n')
    (tmp_path / "prereg").chmod(0o755)
    shell = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    report = (folder / "runs" / "demo" / "report.md").read_text("utf-8")
    block = report.split("## Every number again")[1].split("```sh\n")[1].split("```")[0]
    page = block.strip().splitlines()
    (_, everything), *commands = zip(page[::2], page[1::2], strict=True)
    lines = (folder / "runs" / "demo" / "numbers.jsonl").read_text("utf-8").splitlines()
    assert len(commands) == len(lines) > 30
    answers = {each["of"]: each for each in map(json.loads, _shell(everything, folder, shell).splitlines())}
    assert list(answers) == [json.loads(line)["of"] for line in lines]

    def derived(beside: tuple[str, str]) -> None:
        comment, command = beside
        (said,) = map(json.loads, _shell(command, folder, shell).splitlines())
        assert said == answers[said["of"]]
        gives = comment.removeprefix(f"# {said['of']}: ")
        assert gives != comment
        told = dict(each.rsplit(" ", 1) for each in gives.split(", "))
        for key, shown in told.items():
            assert figure(said[key]) == shown, command

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(derived, commands))


def test_the_numbers_of_the_verdict_are_those_of_the_commands(told: tuple[Path, str]) -> None:
    run = told[0] / "runs" / "demo"
    verdict = json.loads((run / "verdict.json").read_bytes())["endpoints"]
    said = {each["of"]: each for each in map(answer, (run / "numbers.jsonl").read_text("utf-8").splitlines())}
    keys = {"p": ("p", "p_two_sided"), "lower": ("lo",), "upper": ("hi",), "mean": ("mean",), "median": ("median",)}
    for name, each in verdict.items():
        lines = [answer for of, answer in said.items() if of.startswith(f"{name}: ") and "exact law" not in of]
        for key in keys.keys() & each.keys():
            if each[key] is not None:
                found = [line[word] for line in lines for word in keys[key] if word in line]
                assert found == [pytest.approx(each[key], rel=1e-9)], (name, key)
        for arm, value in each.get("arms", {}).items() if "estimate" not in each else ():
            assert said[f"{name}: {arm}"]["value"] == pytest.approx(value, rel=1e-9)


def _shell(command: str, folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, command + done.stderr
    return done.stdout


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
    venv.create(home, symlinks=True)
    python = str(home / "bin" / "python")
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    # The installer of this environment works on that one, and compiles nothing ahead: the demo needs a tenth of what is there.
    pip = [sys.executable, "-m", "pip", "--python", python]
    pip += ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
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
