"""How the tasks of a plan were chosen, in a few lines: found, dropped by reason, passed over, drawn."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ledger.plain import Plain

_TOLD = ("found", "dropped", "eligible", "gated", "excluded_tasks", "burned", "passed", "drawn")


def selection_json(selection: Mapping[str, Plain]) -> dict[str, Any]:
    """Give, for each set, what became of its candidates."""
    return {name: {key: of_set[key] for key in _TOLD if key in of_set} for name, of_set in _sets(selection)}


def selection_lines(selection: Mapping[str, Plain]) -> list[str]:
    """Give a line for each set, and one for each reason for which candidates were dropped or passed over."""
    lines = []
    for name, of_set in _sets(selection):
        drawn, dropped = of_set.get("drawn", ()), of_set.get("dropped", {})
        lines.append(f"  set    {name}: {of_set.get('found')} found, {len(drawn)} drawn")
        lines += [f"         dropped {count}: {reason}" for reason, count in sorted(dropped.items())]
        passed = Counter(of_set.get("passed", {}).values())
        lines += [f"         passed over {count}: {reason}" for reason, count in sorted(passed.items())]
    return lines


def _sets(selection: Mapping[str, Plain]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in sorted(selection):
        of_set = selection[name]
        if isinstance(of_set, Mapping):
            yield name, of_set
