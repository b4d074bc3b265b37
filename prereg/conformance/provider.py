"""What every provider must keep to: purity, declared files alone, the same twice, no variable of the host, clear failures."""

import os
import pickle
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path, PurePosixPath

import pytest
from jsonschema import Draft202012Validator

from compiler.plan import AgentPlan, ArmPlan, Chosen, LimitsPlan
from executor.ports import Prepared, Provider, ProviderOrder, Sandbox, Workspace
from executor.protection import matches
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.treatments import DescribesOptions, GivesTreatment, NeedsSecrets
from executor.trees import Leaf, pack
from executor.workspace import capture, open_workspace, template
from ledger.errors import WorldFault
from ledger.plain import Plain
from prereg import plugins
from prereg.conformance.case_file import Case
from prereg.conformance.plugin import CASE

_MARK = "conformance-marker-7c1f"
"""The value of variables that no provider has any business with."""
_SECRET = "conformance-secret-94d2"  # noqa: S105  # nobody's
_LEAVES = (
    Leaf(path="README.md", data=b"# a project\n"),
    Leaf(path="src/tool.py", data=b"def answer():\n    return 42\n"),
)
_SANDBOXES_OWN = frozenset({"HOME", "PATH", "TMPDIR"})
_AGENT = AgentPlan(kind="command", version=None, model=None, limits=LimitsPlan(time_s=Decimal(60)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """What came of one call: what was prepared, and the files of workspace and home with their bytes."""

    prepared: Prepared
    changed: tuple[str, ...]
    workspace: Mapping[str, bytes]
    home: Mapping[str, bytes]


class TestProvider:
    """One provider with the options of its case, in every sandbox that works here."""

    @pytest.fixture
    def case(self, request: pytest.FixtureRequest) -> Case:
        """Give what the command line says of the provider."""
        found = request.config.stash[CASE]
        assert isinstance(found, Case)
        return found

    @pytest.fixture(params=[LocalSandbox, BubblewrapSandbox])
    def sandbox(self, request: pytest.FixtureRequest) -> Sandbox:
        """Give each sandbox that works here."""
        made: Sandbox = request.param()
        if (why := made.unavailable()) is not None:
            pytest.skip(why)
        return made

    @pytest.fixture(autouse=True)
    def marked(self, case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Set variables that the provider must not look at, those that it names, and a home that is not its own."""
        monkeypatch.setenv("PREREG_CONFORMANCE", _MARK)
        monkeypatch.setenv("HOME", str(tmp_path / "somebody"))
        (tmp_path / "somebody").mkdir()
        made = case.plugin()
        for name in made.secrets(case.options) if isinstance(made, NeedsSecrets) else ():
            monkeypatch.setenv(name, _SECRET)

    def test_it_is_found_by_its_kind(self, case: Case) -> None:
        """Its entry point bears its kind and leads to it, so that specs can name it."""
        found = plugins.installed("providers")
        assert case.plugin.kind in found, f"no entry point `{case.plugin.kind}` in the group prereg.providers"
        assert type(plugins.load("providers", case.plugin.kind)) is case.plugin

    def test_its_options_are_described(self, case: Case) -> None:
        """The schema of its options is one, and accepts the options of this test."""
        made = case.plugin()
        if not isinstance(made, DescribesOptions):
            return
        whole = {"type": "object", "properties": made.options, "required": list(made.required)}
        Draft202012Validator.check_schema(whole)
        # Amounts are written with units, and arrive as numbers; a schema speaks of what is written.
        assert set(case.options) <= set(made.options), "options that the schema does not know"
        assert set(made.required) <= set(case.options), "required options that this test does not give"

    def test_what_it_declares_depends_on_its_options_alone(
        self, case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """``declares`` is pure: the same from everywhere, on every machine, and options stay as they are."""
        options = pickle.loads(pickle.dumps(dict(case.options)))  # noqa: S301  # our own bytes
        first = case.plugin().declares(options)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PREREG_CONFORMANCE", "another")
        assert case.plugin().declares(dict(reversed(options.items()))) == first
        assert options == dict(case.options)
        for glob in first:
            parts = PurePosixPath(glob).parts
            assert parts, "an empty glob"
            assert not glob.startswith("/"), f"{glob}: paths are relative to the workspace"
            assert not {"..", ".git"} & set(parts), f"{glob} is no path of the workspace"

    def test_it_travels_to_a_worker(self, case: Case) -> None:
        """An attempt may run in another process: the plugin is pickled."""
        made: Provider = pickle.loads(pickle.dumps(case.plugin()))  # noqa: S301  # our own bytes
        assert made.declares(case.options) == case.plugin().declares(case.options)

    def test_it_touches_what_it_declares_and_nothing_else(self, case: Case, tmp_path: Path, sandbox: Sandbox) -> None:
        """As a run sees it: by the harness's own git, outside of the agent's reach; and nothing beside workspace, home and cache."""
        done = self._prepare(case, tmp_path, sandbox)
        declared = (*case.plugin().declares(case.options), *done.prepared.files)
        assert [path for path in done.changed if not matches(path, declared)] == []
        assert list((tmp_path / "somebody").rglob("*")) == [], "it wrote into somebody's home"

    def test_it_works_twice(self, case: Case, tmp_path: Path, sandbox: Sandbox) -> None:
        """Every trial calls it in a fresh place: what comes of it is the same; called again in the same place it changes nothing more."""
        first, again = (
            self._prepare(case, tmp_path / "one", sandbox, times=1),
            self._prepare(case, tmp_path / "two", sandbox, times=2),
        )
        assert _names(first.workspace) == _names(again.workspace)
        assert dict(first.prepared.versions) == dict(again.prepared.versions)
        assert first.prepared.mcp == again.prepared.mcp or not case.timeless
        if case.timeless:
            assert first.workspace == again.workspace
            assert first.home == again.home

    def test_versions_are_told(self, case: Case, tmp_path: Path, sandbox: Sandbox) -> None:
        """Programs that it brings have a version, and a version is a text."""
        prepared = self._prepare(case, tmp_path, sandbox).prepared
        assert all(value.strip() for value in prepared.versions.values()), "a version without a word"
        assert prepared.versions or not any(_programs(Path(each)) for each in prepared.path), (
            "programs without a version"
        )

    def test_the_environment_is_what_it_says(self, case: Case, tmp_path: Path, sandbox: Sandbox) -> None:
        """No variable of the host gets through, no secret is written anywhere, and what the sandbox sets is left alone."""
        done = self._prepare(case, tmp_path, sandbox)
        assert not _SANDBOXES_OWN & done.prepared.env.keys(), "HOME, PATH and TMPDIR are the sandbox's"
        held = {**done.workspace, **done.home, "env": repr(done.prepared).encode()}
        for name, data in held.items():
            assert _MARK.encode() not in data, f"a variable of the host stands in {name}"
            assert _SECRET.encode() not in data, f"a secret stands in {name}; hand it over by its name"

    def test_it_hands_over_only_what_it_says(self, case: Case, tmp_path: Path, sandbox: Sandbox) -> None:
        """Servers and settings reach no agent unless ``gives`` names them, so that an agent which takes none is refused."""
        made, prepared = case.plugin(), self._prepare(case, tmp_path, sandbox).prepared
        gives = made.gives if isinstance(made, GivesTreatment) else frozenset()
        assert "mcp" in gives or not prepared.mcp
        assert "settings" in gives or not prepared.settings
        assert all(bool(each.argv) != (each.url is not None) for each in prepared.mcp)

    def test_it_fails_clearly(self, case: Case, tmp_path: Path) -> None:
        """With broken options it raises WorldFault, which has a code and a sentence; never another exception."""
        for place, options in enumerate(case.broken):
            with pytest.raises(WorldFault) as caught:
                self._prepare(case, tmp_path / str(place), LocalSandbox(), options=options)
            assert all(fault.code and fault.what for fault in caught.value.reasons)

    def _prepare(
        self, case: Case, root: Path, sandbox: Sandbox, *, times: int = 1, options: Mapping[str, Plain] | None = None
    ) -> Done:
        root.mkdir(parents=True, exist_ok=True)
        with _place(root, _LEAVES) as workspace:
            arm = ArmPlan(
                name="treatment",
                agent=_AGENT,
                provider=Chosen(kind=case.plugin.kind, options=case.options if options is None else options),
            )
            order = ProviderOrder(
                arm=arm,
                workspace=workspace.root,
                home=root / "home",
                cache=root / "cache",
                sandbox=sandbox,
                inputs=case.inputs,
                fixture=case.fixture,
            )
            order.home.mkdir(exist_ok=True)
            order.cache.mkdir(exist_ok=True)
            for _ in range(times):
                prepared = case.plugin().prepare(order)
            return Done(
                prepared=prepared,
                changed=capture(workspace).changed,
                workspace=_files(workspace.root),
                home=_files(order.home),
            )


@contextmanager
def _place(root: Path, leaves: Sequence[Leaf]) -> Iterator[Workspace]:
    start = template(pack(tuple(leaves)), root / "templates")
    with open_workspace(start, root) as workspace:
        yield workspace
    shutil.rmtree(root / "templates", ignore_errors=True)


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(folder).parts
    }


def _names(files: Mapping[str, bytes]) -> list[str]:
    return sorted(name for name in files if "__pycache__" not in name)


def _programs(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if os.access(each, os.X_OK)] if folder.is_dir() else []
