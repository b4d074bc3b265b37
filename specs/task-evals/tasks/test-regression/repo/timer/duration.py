"""Durations as people write them."""

import re

_UNITS = {"h": 3600, "m": 60, "s": 1}


def parse_duration(text):
    """Give the seconds of a duration such as ``1h 30m``, ``90s`` or ``1h30m``; a bare number is seconds.

    Raises ValueError for anything else, the empty text included.
    """
    text = text.strip()
    if text.isdigit():
        return int(text)
    found = re.findall(r"(\d+)\s*([hms])", text)
    if not found:
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(number) * _UNITS[unit] for number, unit in found)
