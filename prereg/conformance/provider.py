"""What every provider must keep to, as a test class: subclass it in a test module as ``class TestMine(ProviderConformance)``."""

import os
import pickle
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

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


class ProviderConformance:
    """Set ``provider`` (the class), ``options`` (as a plan holds them) and ``inputs`` (files of the author that they name).

    ``broken`` are options with which it must fail, and say how. ``timeless`` is false for a provider that builds what differs in bytes from
    time to time (an index, an installation): then only names are compared.
    """

    provider: ClassVar[type[Any]]
    options: ClassVar[Mapping[str, Plain]] = {}
    inputs: ClassVar[Mapping[str, bytes]] = {}
    leaves: ClassVar[Sequence[Leaf]] = _LEAVES
    fixture: ClassVar[bytes | None] = None
    broken: ClassVar[Sequence[Mapping[str, Plain]]] = ()
    timeless: ClassVar[bool] = True

    @pytest.fixture(params=[LocalSandbox, BubblewrapSandbox])
    def sandbox(self, request: pytest.FixtureRequest) -> Sandbox:
        """Give each sandbox that works here."""
        made: Sandbox = request.param()
        if (why := made.unavailable()) is not None:
            pytest.skip(why)
        return made

    @pytest.fixture(autouse=True)
    def marked(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Set variables that the provider must not look at, those that it names, and a home that is not its own."""
        monkeypatch.setenv("PREREG_CONFORMANCE", _MARK)
        monkeypatch.setenv("HOME", str(tmp_path / "somebody"))
        (tmp_path / "somebody").mkdir()
        made = self.provider()
        for name in made.secrets(self.options) if isinstance(made, NeedsSecrets) else ():
            monkeypatch.setenv(name, _SECRET)

    def test_it_is_found_by_its_kind(self) -> None:
        """Its entry point bears its kind and leads to it, so that specs can name it."""
        found = plugins.installed("providers")
        assert self.provider.kind in found, f"no entry point `{self.provider.kind}` in the group prereg.providers"
        assert type(plugins.load("providers", self.provider.kind)) is self.provider

    def test_its_options_are_described(self) -> None:
        """The schema of its options is one, and accepts the options of this test."""
        made = self.provider()
        if not isinstance(made, DescribesOptions):
            return
        whole = {"type": "object", "properties": made.options, "required": list(made.required)}
        Draft202012Validator.check_schema(whole)
        # Amounts are written with units, and arrive as numbers; a schema speaks of what is written.
        assert set(self.options) <= set(made.options), "options that the schema does not know"
        assert set(made.required) <= set(self.options), "required options that this test does not give"

    def test_what_it_declares_depends_on_its_options_alone(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """``declares`` is pure: the same from everywhere, on every machine, and options stay as they are."""
        options = pickle.loads(pickle.dumps(dict(self.options)))  # noqa: S301  # our own bytes
        first = self.provider().declares(options)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PREREG_CONFORMANCE", "another")
        assert self.provider().declares(dict(reversed(options.items()))) == first
        assert options == dict(self.options)
        for glob in first:
            parts = PurePosixPath(glob).parts
            assert parts, "an empty glob"
            assert not glob.startswith("/"), f"{glob}: paths are relative to the workspace"
            assert not {"..", ".git"} & set(parts), f"{glob} is no path of the workspace"

    def test_it_travels_to_a_worker(self) -> None:
        """An attempt may run in another process: the plugin is pickled."""
        made: Provider = pickle.loads(pickle.dumps(self.provider()))  # noqa: S301  # our own bytes
        assert made.declares(self.options) == self.provider().declares(self.options)

    def test_it_touches_what_it_declares_and_nothing_else(self, tmp_path: Path, sandbox: Sandbox) -> None:
        """As a run sees it: by the harness's own git, outside of the agent's reach; and nothing beside workspace, home and cache."""
        done = self._prepare(tmp_path, sandbox)
        declared = (*self.provider().declares(self.options), *done.prepared.files)
        assert [path for path in done.changed if not matches(path, declared)] == []
        assert list((tmp_path / "somebody").rglob("*")) == [], "it wrote into somebody's home"

    def test_it_works_twice(self, tmp_path: Path, sandbox: Sandbox) -> None:
        """Every trial calls it in a fresh place: what comes of it is the same; called again in the same place it changes nothing more."""
        first, again = (
            self._prepare(tmp_path / "one", sandbox, times=1),
            self._prepare(tmp_path / "two", sandbox, times=2),
        )
        assert _names(first.workspace) == _names(again.workspace)
        assert dict(first.prepared.versions) == dict(again.prepared.versions)
        assert first.prepared.mcp == again.prepared.mcp or not self.timeless
        if self.timeless:
            assert first.workspace == again.workspace
            assert first.home == again.home

    def test_versions_are_told(self, tmp_path: Path, sandbox: Sandbox) -> None:
        """Programs that it brings have a version, and a version is a text."""
        prepared = self._prepare(tmp_path, sandbox).prepared
        assert all(value.strip() for value in prepared.versions.values()), "a version without a word"
        assert prepared.versions or not any(_programs(Path(each)) for each in prepared.path), (
            "programs without a version"
        )

    def test_the_environment_is_what_it_says(self, tmp_path: Path, sandbox: Sandbox) -> None:
        """No variable of the host gets through, no secret is written anywhere, and what the sandbox sets is left alone."""
        done = self._prepare(tmp_path, sandbox)
        assert not _SANDBOXES_OWN & done.prepared.env.keys(), "HOME, PATH and TMPDIR are the sandbox's"
        held = {**done.workspace, **done.home, "env": repr(done.prepared).encode()}
        for name, data in held.items():
            assert _MARK.encode() not in data, f"a variable of the host stands in {name}"
            assert _SECRET.encode() not in data, f"a secret stands in {name}; hand it over by its name"

    def test_it_hands_over_only_what_it_says(self, tmp_path: Path, sandbox: Sandbox) -> None:
        """Servers and settings reach no agent unless ``gives`` names them, so that an agent which takes none is refused."""
        made, prepared = self.provider(), self._prepare(tmp_path, sandbox).prepared
        gives = made.gives if isinstance(made, GivesTreatment) else frozenset()
        assert "mcp" in gives or not prepared.mcp
        assert "settings" in gives or not prepared.settings
        assert all(bool(each.argv) != (each.url is not None) for each in prepared.mcp)

    def test_it_fails_clearly(self, tmp_path: Path) -> None:
        """With broken options it raises WorldFault, which has a code and a sentence; never another exception."""
        for place, options in enumerate(self.broken):
            with pytest.raises(WorldFault) as caught:
                self._prepare(tmp_path / str(place), LocalSandbox(), options=options)
            assert all(fault.code and fault.what for fault in caught.value.reasons)

    def _prepare(
        self, root: Path, sandbox: Sandbox, *, times: int = 1, options: Mapping[str, Plain] | None = None
    ) -> Done:
        root.mkdir(parents=True, exist_ok=True)
        with _place(root, self.leaves) as workspace:
            arm = ArmPlan(
                name="treatment",
                agent=_AGENT,
                provider=Chosen(kind=self.provider.kind, options=self.options if options is None else options),
            )
            order = ProviderOrder(
                arm=arm,
                workspace=workspace.root,
                home=root / "home",
                cache=root / "cache",
                sandbox=sandbox,
                inputs=self.inputs,
                fixture=self.fixture,
            )
            order.home.mkdir(exist_ok=True)
            order.cache.mkdir(exist_ok=True)
            for _ in range(times):
                prepared = self.provider().prepare(order)
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
