"""Providers: each does what it declares, in the agent's home or the workspace, and tells how it failed."""

from pathlib import Path
from typing import Any

import pytest

from compiler.plan import Chosen
from executor.ports import Prepared, Provider, ProviderOrder, Sandbox
from executor.providers.files import FilesProvider
from executor.providers.fixture import FixtureProvider
from executor.providers.none import NoProvider
from executor.providers.setup import SetupProvider
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from ledger.errors import WorldFault
from tests.executor.worlds import arm
from tests.needs import require


@pytest.fixture(params=[LocalSandbox, pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    made: Sandbox = request.param()
    require(made.unavailable())
    return made


def prepare(
    root: Path,
    provider: Provider,
    sandbox: Sandbox | None = None,
    inputs: Any = None,
    fixture: bytes | None = None,
    **options: Any,
) -> Prepared:
    for name in ("workspace", "home", "cache"):
        (root / name).mkdir(exist_ok=True)
    order = ProviderOrder(
        arm=arm("more", "any", provider=Chosen(kind=provider.kind, options=options)),
        workspace=root / "workspace",
        home=root / "home",
        cache=root / "cache",
        sandbox=sandbox or LocalSandbox(),
        inputs=inputs or {},
        fixture=fixture,
    )
    return provider.prepare(order)


def test_the_control_adds_nothing(tmp_path: Path) -> None:
    assert prepare(tmp_path, NoProvider()) == Prepared()
    assert NoProvider().declares({}) == ()


def test_files_are_written_where_they_are_declared(tmp_path: Path) -> None:
    options = {"write": {"GUIDE.md": "guide.md", "docs/deep/a.md": "guide.md"}}
    prepared = prepare(tmp_path, FilesProvider(), inputs={"guide.md": b"read me"}, **options)
    assert prepared.files == FilesProvider().declares(options) == ("GUIDE.md", "docs/deep/a.md")
    assert (tmp_path / "workspace/docs/deep/a.md").read_bytes() == b"read me"


@pytest.mark.parametrize("path", ["../up", "/etc/x", ".git/hooks/x", "a/../../b", "*.md", ""])
def test_files_stay_in_the_workspace(tmp_path: Path, path: str) -> None:
    with pytest.raises(WorldFault):
        prepare(tmp_path, FilesProvider(), inputs={"guide.md": b""}, write={path: "guide.md"})
    with pytest.raises(WorldFault, match="not among the registered inputs"):
        prepare(tmp_path, FilesProvider(), write={"a": "other.md"})


def test_setup_runs_its_commands_in_order_in_the_sandbox(tmp_path: Path, sandbox: Sandbox) -> None:
    script = 'cd "$HOME"; mkdir -p .local/bin; printf "#!/bin/sh\\necho tool 1.2.3\\n" > .local/bin/tool; chmod +x .local/bin/tool'
    prepared = prepare(
        tmp_path,
        SetupProvider(),
        sandbox,
        run=[["sh", "-c", script], ["sh", "-c", "tool > built.txt"]],
        declares=["built.txt"],
        versions={"tool": ["tool", "--version"]},
    )
    assert prepared.versions == {"tool": "tool 1.2.3"}
    assert prepared.files == ("built.txt",)
    assert (tmp_path / "workspace/built.txt").read_text() == "tool 1.2.3\n"
    assert str(tmp_path / "home/.local/bin") in prepared.path


def test_setup_makes_a_virtual_environment_where_python_is_asked_for(tmp_path: Path) -> None:
    prepared = prepare(
        tmp_path, SetupProvider(), run=[["python", "-c", "import sys; assert sys.prefix != sys.base_prefix"]]
    )
    assert (tmp_path / "home/.venv/bin/python").exists()
    assert prepared.path[0] == str(tmp_path / "home/.venv/bin")


def test_a_failing_setup_tells_which_command_and_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(WorldFault) as raised:
        prepare(tmp_path, SetupProvider(), run=[["true"], ["sh", "-c", "echo no such version >&2; exit 4"]])
    fault = raised.value.reasons[0]
    assert (fault.code, fault.got) == ("setup", "no such version")
    assert "ended with code 4" in fault.what
    with pytest.raises(WorldFault) as raised:
        prepare(tmp_path, SetupProvider(), run=[["no-such-installer"]])
    assert raised.value.reasons[0].code == "program-missing"


def test_a_fixture_is_written_where_it_is_declared(tmp_path: Path) -> None:
    provider = FixtureProvider()
    assert provider.declares({"to": "docs/CLAUDE.md"}) == ("docs/CLAUDE.md",)
    prepared = prepare(tmp_path, provider, fixture=b"what holds here\n", to="docs/CLAUDE.md")
    assert prepared.files == ("docs/CLAUDE.md",)
    assert (tmp_path / "workspace/docs/CLAUDE.md").read_text() == "what holds here\n"


@pytest.mark.parametrize(
    ("to", "fixture", "code"),
    [("../out.md", b"x", "path"), ("/out.md", b"x", "path"), (".git/hooks/x", b"x", "path"), ("A.md", None, "fixture")],
)
def test_a_fixture_that_cannot_be_written(tmp_path: Path, to: str, fixture: bytes | None, code: str) -> None:
    with pytest.raises(WorldFault) as caught:
        prepare(tmp_path, FixtureProvider(), fixture=fixture, to=to)
    assert caught.value.reasons[0].code == code
