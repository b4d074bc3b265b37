"""Find plugins by their entry points, and load the ones a plan names; nothing below this floor looks a plugin up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Literal

from ledger.errors import Fault, WorldFault

Slot = Literal["agents", "providers", "sandboxes", "graders", "schedulers", "sources"]

SLOTS: tuple[Slot, ...] = ("agents", "providers", "sandboxes", "graders", "schedulers", "sources")
"""Each is the entry point group ``prereg.SLOT``; an entry's name is the kind, its object a class without arguments."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plugin:
    """An installed plugin that is not imported yet: its kind, where it comes from, and who brought it."""

    slot: Slot
    kind: str
    target: str
    distribution: str
    version: str
    entry: EntryPoint


def installed(slot: Slot) -> dict[str, Plugin]:
    """Give the installed plugins of a slot by kind, sorted. Raises WorldFault when two claim one kind."""
    found: dict[str, Plugin] = {}
    for entry in sorted(entry_points(group=f"prereg.{slot}"), key=lambda each: (each.name, each.value)):
        plugin = _plugin(slot, entry)
        other = found.setdefault(plugin.kind, plugin)
        if other.target != plugin.target:
            what = f"two plugins call themselves {plugin.kind!r} among {slot}"
            got = f"{other.target} ({other.distribution}) and {plugin.target} ({plugin.distribution})"
            hint = "uninstall one of the two distributions"
            raise WorldFault(Fault(code="plugin-twice", what=what, got=got, hint=hint))
    return found


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


def _plugin(slot: Slot, entry: EntryPoint) -> Plugin:
    brought = entry.dist
    return Plugin(
        slot=slot,
        kind=entry.name,
        target=entry.value,
        distribution=brought.name if brought else "unknown",
        version=brought.version if brought else "unknown",
        entry=entry,
    )
