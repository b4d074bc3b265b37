"""Find plugins by their entry points, and load the ones a plan names; nothing below this floor looks a plugin up."""

import functools
import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from executor.treatments import DescribesOptions
from ledger.errors import Fault, WorldFault
from spec_lang import kinds as language
from spec_lang.kinds import KINDS
from spec_lang.option_schemas import Kind
from spec_lang.schema import Kinds

Slot = Literal["agents", "providers", "sandboxes", "graders", "schedulers", "sources"]

SLOTS: tuple[Slot, ...] = ("agents", "providers", "sandboxes", "graders", "schedulers", "sources")
"""Each is the entry point group ``prereg.SLOT``; an entry's name is the kind, its object a class without arguments."""

PLACES: Mapping[Slot, language.Slot] = {
    "agents": "agent",
    "providers": "provider",
    "sandboxes": "sandbox",
}
"""Entry point group → where a spec names its kinds. Checks and sources bring facts too, which only the catalogue can describe."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plugin:
    """An installed plugin that is not imported yet: its kind, where it comes from, and who brought it."""

    slot: Slot
    kind: str
    target: str
    entry: EntryPoint

    @property
    def distribution(self) -> str:
        """The distribution that brought it. Read when asked for: its whole metadata is."""
        return self.entry.dist.name if self.entry.dist else "unknown"

    @property
    def version(self) -> str:
        """The version of that distribution."""
        return self.entry.dist.version if self.entry.dist else "unknown"


def installed(slot: Slot) -> dict[str, Plugin]:
    """Give the installed plugins of a slot by kind, sorted. Raises WorldFault when two claim one kind."""
    found: dict[str, Plugin] = {}
    for entry in sorted(entries(f"prereg.{slot}", tuple(sys.path)), key=lambda each: (each.name, each.value)):
        plugin = Plugin(slot=slot, kind=entry.name, target=entry.value, entry=entry)
        other = found.setdefault(plugin.kind, plugin)
        if other.target != plugin.target:
            what = f"two plugins call themselves {plugin.kind!r} among {slot}"
            got = f"{other.target} ({other.distribution}) and {plugin.target} ({plugin.distribution})"
            hint = "uninstall one of the two distributions"
            raise WorldFault(Fault(code="plugin-twice", what=what, got=got, hint=hint))
    return found


@functools.cache
def entries(group: str, path: tuple[str, ...]) -> EntryPoints:
    """Give the entry points of a group, looked up once for each path of imports: that reads of every installed distribution."""
    del path
    return entry_points(group=group)


def load(slot: Slot, kind: str) -> object:
    """Import one plugin and make its object. Raises WorldFault when it is not installed or cannot be imported."""
    known = installed(slot)
    if kind not in known:
        what = f"no plugin of kind {kind!r} is installed among {slot}"
        hint = "install the distribution that brings it" if known else "install prereg itself: python -m pip install ."
        raise WorldFault(
            Fault(code="plugin-missing", what=what, expected=kind, got=", ".join(known) or "none", hint=hint)
        )
    plugin = known[kind]
    try:
        made: object = plugin.entry.load()()
    except Exception as fault:
        what = f"the plugin {kind!r} of {plugin.distribution} {plugin.version} cannot be loaded"
        got = f"{type(fault).__name__}: {fault}"
        hint = "reinstall it, or what it needs"
        raise WorldFault(Fault(code="plugin-broken", what=what, got=got, where=plugin.target, hint=hint)) from fault
    return made


def load_all(slot: Slot, kinds: Iterable[str]) -> Mapping[str, object]:
    """Load the named plugins of a slot, by kind."""
    return {kind: load(slot, kind) for kind in sorted(set(kinds))}


def described_kinds(text: str | None) -> Kinds:
    """Give the kinds of other distributions that a text mentions (None: all), with the options that they describe; no other is imported.

    Raises WorldFault when one of them cannot be loaded, or describes its options in no valid JSON Schema.
    """
    found: dict[language.Slot, dict[str, Kind]] = {}
    for slot, place in PLACES.items():
        for kind in installed(slot):
            if kind not in KINDS[place] and (text is None or kind in text):
                made = load(slot, kind)
                if isinstance(made, DescribesOptions):  # one that does not is not for specs to name
                    found.setdefault(place, {})[kind] = _described(made, kind)
    return found


def _described(made: DescribesOptions, kind: str) -> Kind:
    doc = (inspect.getdoc(type(made)) or f"{kind}, which says nothing of itself.").split("\n", 1)[0]
    schema = {"type": "object", "properties": dict(made.options), "required": list(made.required)}
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as fault:
        what = f"the plugin {kind!r} describes its options in no valid JSON Schema"
        where = "/".join(map(str, fault.absolute_path))
        raise WorldFault(Fault(code="plugin-broken", what=what, got=fault.message, where=where)) from fault
    return Kind(doc=doc, options=made.options, required=made.required)
