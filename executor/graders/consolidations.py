"""Call sites that a change merged into one, as its author reports them: each report is held against both trees, or does not count."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from executor.graders.sites import Site
from ledger.plain import Plain

MOST_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Reported:
    """One reported consolidation: ``refused`` says why it does not count, or is None; ``merged`` is how many sites it saves."""

    said: str
    merged: int = 0
    refused: str | None = None

    def plain(self) -> Plain:
        """Give it for an artefact."""
        return {"said": self.said, "merged": self.merged, "refused": self.refused}


def read_reports(file: Path, before: Sequence[Site], after: Sequence[Site]) -> tuple[Reported, ...]:
    """Read ``[{"sites": ["src/a.py:3", …], "into": "src/a.py:7", "why": "…"}, …]`` and judge each entry.

    ``sites`` are two or more call sites of the starting tree, ``into`` the one of the graded tree that does their work now.
    No site is merged twice, and none serves two reports. A file that is not there reports nothing.
    """
    if not file.is_file() or file.resolve() != file.parent.resolve() / file.name:
        return ()
    if file.stat().st_size > MOST_BYTES:
        return (Reported(said=file.name, refused=f"the file has more than {MOST_BYTES} bytes"),)
    try:
        entries = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return (Reported(said=file.name, refused="the file is not JSON"),)
    if not isinstance(entries, list):
        return (Reported(said=file.name, refused="the file is not a list"),)
    free, targets = list(before), list(after)
    return tuple(_judge(each, free, targets) for each in entries)


def _judge(entry: object, free: list[Site], targets: list[Site]) -> Reported:
    said = json.dumps(entry, ensure_ascii=True, sort_keys=True)[:500]
    if not isinstance(entry, dict):
        return Reported(said=said, refused="not a map")
    sites, into, why = entry.get("sites"), entry.get("into"), entry.get("why")
    if not isinstance(sites, list) or len(sites) < 2 or not isinstance(into, str):
        return Reported(said=said, refused="needs `sites`, two or more, and `into`")
    if not isinstance(why, str) or not why.strip():
        return Reported(said=said, refused="gives no reason")
    taken: list[Site] = []
    for place in sites:
        site = next((each for each in free if each not in taken and each.place == place), None)
        if site is None:
            return Reported(said=said, refused=f"{place}: no such call site in the starting tree, or merged already")
        taken.append(site)
    target = next((each for each in targets if each.place == into), None)
    if target is None:
        return Reported(said=said, refused=f"{into}: no such call site in the result, or named already")
    targets.remove(target)
    for site in taken:
        free.remove(site)
    return Reported(said=said, merged=len(taken) - 1)
