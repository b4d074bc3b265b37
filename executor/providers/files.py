"""A provider that writes files of the author into the workspace: a static context layer."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import ClassVar

from executor.ports import Prepared, ProviderOrder
from executor.trees import clear
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_GLOB = re.compile(r"[*?\[]")


class FilesProvider:
    """Writes ``write`` (path in the workspace → file of the author) before the agent starts."""

    kind: ClassVar[str] = "files"

    def declares(self, options: Mapping[str, Plain]) -> tuple[str, ...]:
        """Name the files it writes."""
        written = options.get("write")
        return tuple(sorted(written)) if isinstance(written, Mapping) else ()

    def prepare(self, order: ProviderOrder) -> Prepared:
        """Write them. Raises WorldFault for a path that leaves the workspace (``path``) or a file that is no input (``input``)."""
        written = order.arm.provider.options.get("write")
        assert isinstance(written, Mapping)  # the spec's schema requires it
        for path, name in sorted(written.items()):
            if not _inside(path):
                raise WorldFault(
                    Fault(code="path", what=f"{path!r} is no file of the workspace", where="provider.write")
                )
            if str(name) not in order.inputs:
                raise WorldFault(
                    Fault(code="input", what=f"{name} is not among the registered inputs", where="provider.write")
                )
            clear(order.workspace, path).write_bytes(order.inputs[str(name)])
        return Prepared(files=tuple(sorted(written)))


def _inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and not {"..", ".git"} & set(parts) and not _GLOB.search(path)
