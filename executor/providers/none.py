"""The control: a provider that adds nothing."""

from collections.abc import Mapping
from typing import ClassVar

from executor.ports import Prepared, ProviderOrder
from ledger.plain import Plain


class NoProvider:
    """Adds nothing."""

    kind: ClassVar[str] = "none"

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """It touches nothing."""
        del options
        return ()

    def prepare(self, order: ProviderOrder) -> Prepared:
        """Do nothing."""
        del order
        return Prepared()
