"""A provider that hands out the task's own fixture, the shared context of its repository, as one file of the workspace."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import ClassVar

from executor.ports import Prepared, ProviderOrder
from executor.trees import clear
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain


class FixtureProvider:
    """Writes the fixture to ``to`` before the agent starts."""

    kind: ClassVar[str] = "fixture"

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """Name the file it writes."""
        return (str(options["to"]),)

    def prepare(self, order: ProviderOrder) -> Prepared:
        """Write it. Raises WorldFault for a path that leaves the workspace (``path``) or a task without one (``fixture``)."""
        path = str(order.arm.provider.options["to"])
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or {"..", ".git"} & set(parts):
            raise WorldFault(Fault(code="path", what=f"{path!r} is no file of the workspace", where="provider.to"))
        if order.fixture is None:
            raise WorldFault(
                Fault(code="fixture", what="the task has no fixture", where="provider", hint="compile anew")
            )
        clear(order.workspace, path).write_bytes(order.fixture)
        return Prepared(files=(path,))
