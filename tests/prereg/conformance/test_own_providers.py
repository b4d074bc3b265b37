"""Our own providers run through the suite that providers of others run through; and the suite finds what is wrong."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from executor.ports import Prepared, ProviderOrder
from executor.sandboxes.local import LocalSandbox
from executor.treatments import McpServer
from ledger.plain import Plain
from prereg.conformance.case_file import Case, read_case
from prereg.conformance.provider import TestProvider as Suite

FILES = sorted((Path(__file__).parent / "providers").glob("*.yaml"))


class TestOwnProviders(Suite):
    @pytest.fixture(params=FILES, ids=lambda file: file.stem)
    def case(self, request: pytest.FixtureRequest) -> Case:
        return read_case("provider", request.param.stem, request.param)


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


CARELESS = Case(plugin=Careless, broken=({},))


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
        CARELESS, tmp_path / "right", LocalSandbox()
    ) if test != "test_it_touches_what_it_declares_and_nothing_else" else None
    monkeypatch.setattr(Careless, "wrong", wrong)
    with pytest.raises(AssertionError):
        getattr(Suite(), test)(CARELESS, tmp_path, LocalSandbox())


def test_the_suite_finds_impurity_and_unclear_failures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PREREG_CONFORMANCE", "one")
    monkeypatch.setattr(Careless, "wrong", "impure")
    with pytest.raises(AssertionError):
        Suite().test_what_it_declares_depends_on_its_options_alone(CARELESS, monkeypatch, tmp_path)
    monkeypatch.setattr(Careless, "wrong", "unclear")
    with pytest.raises(KeyError):
        Suite().test_it_fails_clearly(CARELESS, tmp_path)
    with pytest.raises(AssertionError, match="no entry point `careless`"):
        Suite().test_it_is_found_by_its_kind(CARELESS)
