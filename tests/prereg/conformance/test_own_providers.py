"""Our own providers run through the suite that providers of others run through; and the suite finds what is wrong."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from executor.ports import Prepared, ProviderOrder
from executor.providers.files import FilesProvider
from executor.providers.fixture import FixtureProvider
from executor.providers.mcp import McpProvider
from executor.providers.none import NoProvider
from executor.providers.settings import SettingsProvider
from executor.providers.setup import SetupProvider
from executor.sandboxes.local import LocalSandbox
from executor.treatments import McpServer
from ledger.plain import Plain
from prereg.conformance.provider import ProviderConformance


class TestNone(ProviderConformance):
    provider = NoProvider


class TestFiles(ProviderConformance):
    provider = FilesProvider
    options: ClassVar[Mapping[str, Plain]] = {"write": {"GUIDE.md": "guide.md", "docs/deep/a.md": "guide.md"}}
    inputs: ClassVar[Mapping[str, bytes]] = {"guide.md": b"read me\n"}
    broken = ({"write": {"GUIDE.md": "absent.md"}}, {"write": {"../GUIDE.md": "guide.md"}})


class TestFixture(ProviderConformance):
    provider = FixtureProvider
    options: ClassVar[Mapping[str, Plain]] = {"to": "CLAUDE.md"}
    fixture = b"shared context\n"


class TestSetup(ProviderConformance):
    provider = SetupProvider
    options: ClassVar[Mapping[str, Plain]] = {
        "run": [
            [
                "sh",
                "-c",
                'mkdir -p "$HOME/.local/bin" && printf "#!/bin/sh\\necho tool 1.2.3\\n" > "$HOME/.local/bin/tool"',
            ],
            ["sh", "-c", 'chmod +x "$HOME/.local/bin/tool" && tool > built.txt'],
        ],
        "declares": ["built.txt"],
        "versions": {"tool": ["tool", "--version"]},
    }
    broken = ({"run": [["false"]]}, {"run": [["no-such-program-anywhere"]]})


class TestMcp(ProviderConformance):
    provider = McpProvider
    options: ClassVar[Mapping[str, Plain]] = {
        "servers": {
            "far": {"url": "https://mcp.example/", "bearer": "FAR_TOKEN"},
            "sums": {"run": ["python3", "{files}/sums.py"], "pass_env": ["SUMS_KEY"], "tools": ["add"]},
        },
        "files": {"sums.py": "sums.py"},
    }
    inputs: ClassVar[Mapping[str, bytes]] = {"sums.py": b"print()\n"}
    timeless = False  # the folder of the files is another where no sandbox moves it
    broken = ({"servers": {"both": {"run": ["a"], "url": "https://x/"}}}, {"servers": {}, "files": {"a": "absent"}})


class TestSettings(ProviderConformance):
    provider = SettingsProvider
    options: ClassVar[Mapping[str, Plain]] = {"name": "v2", "settings": {"prompt": {"version": "v2"}}}


class Careless:
    """Does one thing wrong after the other."""

    kind: ClassVar[str] = "careless"
    wrong: ClassVar[str] = ""

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        import os

        return (os.environ["PREREG_CONFORMANCE"],) if self.wrong == "impure" else ("NOTES.md",)

    def prepare(self, order: ProviderOrder) -> Prepared:
        import itertools
        import os

        notes = order.workspace / "NOTES.md"
        notes.write_text("read me\n")
        match self.wrong:
            case "undeclared":
                (order.workspace / "README.md").write_text("mine now\n")
            case "host":
                (Path(os.environ["HOME"]) / ".rc").write_text("")
            case "grows":
                with notes.open("a") as file:
                    file.write("".join(f"{each}" for each in itertools.repeat("x", _CALLS.setdefault("n", 0))))
                _CALLS["n"] += 1
            case "version":
                return Prepared(versions={"tool": ""})
            case "variable":
                return Prepared(env={"SEEN": os.environ["PREREG_CONFORMANCE"]})
            case "path":
                return Prepared(env={"PATH": "/mine"})
            case "unsaid":
                return Prepared(mcp=(McpServer(name="a", argv=("a",)),))
            case "unclear":
                raise KeyError("write")
        return Prepared()


_CALLS: dict[str, int] = {}


class Suite(ProviderConformance):
    provider = Careless
    broken: ClassVar[Any] = ({},)


@pytest.mark.parametrize(
    ("wrong", "test"),
    [
        ("undeclared", "test_it_touches_what_it_declares_and_nothing_else"),
        ("host", "test_it_touches_what_it_declares_and_nothing_else"),
        ("grows", "test_it_works_twice"),
        ("version", "test_versions_are_told"),
        ("variable", "test_the_environment_is_what_it_says"),
        ("path", "test_the_environment_is_what_it_says"),
        ("unsaid", "test_it_hands_over_only_what_it_says"),
    ],
)
def test_the_suite_finds_what_is_wrong(wrong: str, test: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "somebody").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "somebody"))
    monkeypatch.setenv("PREREG_CONFORMANCE", "conformance-marker-7c1f")
    getattr(Suite(), test)(
        tmp_path / "right", LocalSandbox()
    ) if test != "test_it_touches_what_it_declares_and_nothing_else" else None
    monkeypatch.setattr(Careless, "wrong", wrong)
    with pytest.raises(AssertionError):
        getattr(Suite(), test)(tmp_path, LocalSandbox())


def test_the_suite_finds_impurity_and_unclear_failures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PREREG_CONFORMANCE", "one")
    monkeypatch.setattr(Careless, "wrong", "impure")
    with pytest.raises(AssertionError):
        Suite().test_what_it_declares_depends_on_its_options_alone(monkeypatch, tmp_path)
    monkeypatch.setattr(Careless, "wrong", "unclear")
    with pytest.raises(KeyError):
        Suite().test_it_fails_clearly(tmp_path)
    with pytest.raises(AssertionError, match="no entry point `careless`"):
        Suite().test_it_is_found_by_its_kind()
