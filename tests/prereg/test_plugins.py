"""Plugins: found by entry point, loaded by kind, and clear when missing, doubled or broken."""

import sys
import types
from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from ledger.errors import WorldFault
from prereg import plugins


def points(*found: tuple[str, str]) -> object:
    return lambda group, path: [EntryPoint(name=name, value=value, group=group) for name, value in found]


def test_the_shipped_plugins_are_found_the_way_a_third_party_ones_are() -> None:
    for slot in plugins.SLOTS:
        assert plugins.installed(slot), slot
    assert plugins.installed("sandboxes")["local"].distribution == "prereg-compiler"


def test_every_shipped_plugin_loads_and_calls_itself_by_its_kind() -> None:
    for slot in plugins.SLOTS:
        for kind, made in plugins.load_all(slot, plugins.installed(slot)).items():
            assert getattr(made, "kind", None) == kind, (slot, kind)


def test_a_missing_kind_names_what_is_there() -> None:
    with pytest.raises(WorldFault) as caught:
        plugins.load("sandboxes", "submarine")
    (reason,) = caught.value.reasons
    assert reason.code == "plugin-missing"
    assert "local" in str(reason.got)


@pytest.mark.parametrize("value", ["no_such_module:Thing", "json:NoSuch", "json:loads"])
def test_a_broken_plugin_is_a_fault_of_the_world(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(plugins, "entries", points(("odd", value)))
    with pytest.raises(WorldFault) as caught:
        plugins.load("agents", "odd")
    assert caught.value.reasons[0].code == "plugin-broken"
    assert caught.value.reasons[0].where == value


def test_two_plugins_of_one_kind_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "entries", points(("odd", "a:A"), ("odd", "b:B")))
    with pytest.raises(WorldFault, match="two plugins"):
        plugins.installed("agents")


class Described:
    """Adds a layer. More is not shown."""

    kind = "layer"
    options: ClassVar[dict[str, dict[str, object]]] = {"depth": {"type": "integer", "minimum": 1}}
    required = ("depth",)


class Undescribed:
    kind = "plain"


class Faulty:
    kind = "faulty"
    options: ClassVar[dict[str, dict[str, object]]] = {"depth": {"type": "whole"}}
    required = ()


def test_kinds_of_others_are_described_by_themselves_and_imported_only_when_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = points(
        ("layer", f"{__name__}:Described"), ("plain", f"{__name__}:Undescribed"), ("none", "no_such_module:None")
    )
    monkeypatch.setattr(plugins, "entries", found)
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or types.ModuleType(__name__))
    for each in (Described, Undescribed, Faulty):
        monkeypatch.setattr(sys.modules[__name__], each.__name__, each, raising=False)
    assert plugins.described_kinds("arms: {a: {provider: {kind: files}}}") == {}
    kinds = plugins.described_kinds("kind: layer, kind: plain")["provider"]
    assert list(kinds) == ["layer"]  # what does not describe itself is not for specs to name
    assert (kinds["layer"].doc, kinds["layer"].required) == ("Adds a layer. More is not shown.", ("depth",))
    monkeypatch.setattr(plugins, "entries", points(("faulty", f"{__name__}:Faulty")))
    with pytest.raises(WorldFault, match="no valid JSON Schema"):
        plugins.described_kinds("faulty")
