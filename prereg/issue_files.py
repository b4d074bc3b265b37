"""Reads exports of issues and the file of a private store in their exact shape, on behalf of a source that may not know it."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from executor.reading import Export
from ledger.plain import Plain
from spec_lang.diagnostics import Bag, SpecErrors
from spec_lang.issue_export import ISSUES, PULLS, place_of, read_document, store_schema

STORE = "store.json"


class ExportFiles:
    """What the source ``issues`` is given to read with."""

    def export(self, root: Path, issues: str, pulls: str, *, hide: bool) -> Export:
        """Read both exports. Raises SpecErrors with everything that is wrong with either."""
        bag = Bag()
        read = []
        for name, schema, key in ((issues, ISSUES, "issues"), (pulls, PULLS, "pulls")):
            try:
                read.append(read_document(root / name, schema, name=_called(name, key, hide=hide), hide=hide))
            except SpecErrors as found:
                bag.extend(found.diagnostics)
        bag.raise_errors()
        return Export(
            issues=read[0], pulls=read[1], place=lambda at: _place(root, pulls, _called(pulls, "pulls", hide=hide), at)
        )

    def store(self, root: Path) -> Mapping[str, Plain]:
        """Read ``store.json``. Raises SpecErrors with everything that is wrong with it."""
        return cast("Mapping[str, Plain]", read_document(root / STORE, store_schema(), name=STORE, hide=True))


def _called(name: str, key: str, *, hide: bool) -> str:
    """Give the name under which faults speak of an export: of a private one by its key in the store, as its own name may tell."""
    return f"the file that {STORE} names as `{key}`" if hide and name != f"{key}.json" else name


def _place(root: Path, pulls: str, called: str, at: int) -> str:
    return place_of(root / pulls, (at, "mergeCommit", "oid"), name=called)
