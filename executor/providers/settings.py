"""A provider that lays a named set of settings over the agent's own: a variant of it."""

from collections.abc import Mapping
from typing import ClassVar

from executor.ports import Prepared, ProviderOrder
from executor.treatments import Treatment
from ledger.canonical import canonical, digest
from ledger.plain import Plain


class SettingsProvider:
    """Hands ``settings`` to the agent, which lays them over its own, key by key; ``name`` is what reports call the variant."""

    kind: ClassVar[str] = "settings"
    gives: ClassVar[frozenset[Treatment]] = frozenset({"settings"})

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """It touches no file of the workspace."""
        del options
        return ()

    def prepare(self, order: ProviderOrder) -> Prepared:
        """Give the settings, and their digest as the variant's version."""
        options = order.arm.provider.options
        said = options.get("settings")
        settings = dict(said) if isinstance(said, Mapping) else {}
        name = str(options.get("name", "settings"))
        return Prepared(settings=settings, versions={f"variant {name}": digest(canonical(settings))})
