"""A provider of one's own: scaffolded, installed as another distribution, held to the suite, named in a spec, carried out and audited."""

import json
import os
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.prereg.conftest import Call
from tests.prereg.history import lay_history

RUN = "import sys; from prereg.cli import main; sys.exit(main())"
PROVIDER = "{provider: {kind: files, write: {GUIDE.md: guide.md}}}"
OURS = "{provider: {kind: my-layer, to: NOTES.md, note: Look in kit.}}"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter in whose environment the scaffolded package is installed; it sees what is installed here too."""
    root = tmp_path_factory.mktemp("own")
    there = root / "venv"
    venv.create(there, with_pip=False, symlinks=True)
    found = there / "bin/python"
    (folder,) = there.glob("lib/python*/site-packages")
    here = [each for each in site.getsitepackages() if Path(each).is_dir()]
    (folder / "here.pth").write_text("".join(f"import site; site.addsitedir({each!r})\n" for each in here))
    package = root / "package"
    assert tell(sys.executable, "-c", RUN, "providers", "new", "my-layer", str(package)).returncode == 0
    install = ["-m", "pip", "--python", str(found), "install", "-q", "--no-deps", "--no-build-isolation"]
    done = tell(sys.executable, *install, "--disable-pip-version-check", str(package))
    assert done.returncode == 0, done.stderr
    return found


def tell(*argv: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(list(argv), capture_output=True, text=True, check=False, env=env, cwd=cwd)


def prereg(python: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return tell(str(python), "-c", RUN, *map(str, arguments))


def suite(python: Path, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    return tell(str(python), "-m", "pytest", *quiet, *map(str, arguments), cwd=cwd)


def test_it_passes_the_conformance_suite(python: Path, tmp_path: Path) -> None:
    package = python.parents[2] / "package"
    for arguments, cwd in (((), package), ((package, "-k", "described"), tmp_path)):
        done = suite(python, *arguments, cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
        assert " passed" in done.stdout


def test_the_suite_says_what_is_wrong_with_its_plugin_and_with_its_file(python: Path, tmp_path: Path) -> None:
    asked = ("--prereg-provider", "my-layer", "--prereg-options")
    file = tmp_path / "mine.yaml"
    file.write_text("options: {to: NOTES.md, nota: read me}\n")
    wrong = suite(python, *asked, file, cwd=tmp_path)
    assert wrong.returncode == pytest.ExitCode.USAGE_ERROR
    assert "`nota`" in wrong.stderr
    assert "nearest: `note`" in wrong.stderr
    assert f"{file}:1:25" in wrong.stderr
    file.write_text("options: {to: ../NOTES.md, note: read me}\n")
    failed = suite(python, *asked, file, cwd=tmp_path)
    assert failed.returncode == pytest.ExitCode.TESTS_FAILED
    assert "is no path of the workspace" in failed.stdout
    unknown = suite(python, "--prereg-provider", "no-layer", cwd=tmp_path)
    assert unknown.returncode == pytest.ExitCode.USAGE_ERROR
    assert "no plugin of kind 'no-layer' is installed among providers" in unknown.stderr
    for few in (("--prereg-options", file), ("--prereg-agent", "noop", "--prereg-sandbox", "local")):
        assert suite(python, *few, cwd=tmp_path).returncode == pytest.ExitCode.USAGE_ERROR


def test_it_is_listed_with_its_distribution(python: Path) -> None:
    listed = json.loads(prereg(python, "providers", "--json").stdout)["providers"]
    (mine,) = [each for each in listed if each["kind"] == "my-layer"]
    assert (mine["distribution"], mine["version"], mine["broken"]) == ("prereg-my-layer", "0.1.0", False)
    schema = json.loads(prereg(python, "schema").stdout)
    assert "my-layer" in schema["$defs"]["provider"]["properties"]["kind"]["enum"]


def test_a_spec_can_name_it_to_an_audited_verdict(python: Path, tmp_path: Path) -> None:
    root = lay_history(tmp_path / "road")
    spec = root / "spec.yaml"
    text = spec.read_text()
    assert PROVIDER in text
    spec.write_text(text.replace(PROVIDER, OURS.replace("note:", "nota:")))
    wrong = prereg(python, "check", spec)
    assert wrong.returncode == 1
    assert "`nota`" in wrong.stderr
    assert "nearest: `note`" in wrong.stderr
    spec.write_text(text.replace(PROVIDER, OURS))
    for arguments in (
        ("harvest", root),
        ("compile", root),
        ("execute", root, "--run", "one"),
        ("analyze", root / "runs/one"),
    ):
        done = prereg(python, *arguments)
        assert done.returncode == 0, done.stderr
    audited = json.loads(prereg(python, "audit", root / "runs/one", "--json").stdout)
    assert audited["status"] == "verified", audited


def test_where_it_is_not_installed_its_kind_is_unknown(tmp_path: Path, call: Call) -> None:
    root = lay_history(tmp_path / "road")
    spec = root / "spec.yaml"
    spec.write_text(spec.read_text().replace(PROVIDER, OURS))
    said = call("check", spec)
    assert said.code == 1
    assert "my-layer" in said.err


@pytest.mark.parametrize(("name", "code"), [("My_Layer", "name"), ("none", "plugin-twice"), ("x" * 3 + "-", "name")])
def test_names_that_cannot_be_one(name: str, code: str, tmp_path: Path, call: Call) -> None:
    said = call("providers", "new", name, tmp_path / "new", "--json")
    assert (said.code, said.codes) == (3, [code])
    assert not (tmp_path / "new").exists()


def test_a_folder_in_use_is_left_alone(tmp_path: Path, call: Call) -> None:
    (tmp_path / "file").touch()
    assert call("providers", "new", "mine", tmp_path, "--json").codes == ["folder"]
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
