"""The checks of this task; the one that is named runs."""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, ".")
from parcels import minutes  # noqa: E402


def refuses(*texts):
    """Whether each of the texts is refused."""
    for text in texts:
        try:
            minutes(text)
        except ValueError:
            continue
        return False
    return True


CHECKS = {
    "both": lambda: (minutes("1h 20m"), minutes(" 2h5m ")) == (80, 125),
    "one": lambda: (minutes("45m"), minutes("90m"), minutes("2h"), minutes("0m")) == (45, 90, 120, 0),
    "order": lambda: refuses("20m 1h", "1h 60m", "1h 20"),
    "nothing": lambda: refuses("", "  ", "soon", "-5m", "1.5h"),
}
sys.exit(not CHECKS[sys.argv[1]]())
