"""Which known name was probably meant: spelling hints."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name most like ``name``, or None when none is alike."""
    by_lower = {each.lower(): each for each in sorted(known)}
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def hint(name: str, known: Iterable[str], *, what: str) -> str | None:
    """Say which known name is nearest; where none is alike, list them if they are few; ``what`` names their kind."""
    names = sorted(known)
    near = nearest(name, names)
    if near is not None:
        return f"nearest: `{near}`"
    if 0 < len(names) <= 12:
        return f"{what}: {', '.join(names)}"
    return None
